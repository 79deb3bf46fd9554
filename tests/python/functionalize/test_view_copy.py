"""functionalize(remove="mutations_and_views"): copies take the place of views."""

from collections.abc import Callable

import opwright as ow
import pytest
from opwright.func import functionalize


def counted(*sizes: int) -> ow.Tensor:
    return ow.arange(float(ow.zeros(sizes).numel())).reshape(sizes)


def without_views(f: Callable) -> Callable:
    return functionalize(f, remove="mutations_and_views")


def test_without_views_the_graph_has_copies_instead():
    def first_column_plus_one(x):
        y = x.transpose(0, 1)
        y[0].add_(1)
        return y

    graph = str(ow.make_fx(without_views(first_column_plus_one))(counted(2, 3)).graph)

    assert "transpose_copy" in graph
    assert "aten::transpose." not in graph
    assert "aten::select." not in graph


def test_without_views_results_and_writes_are_the_same():
    def write(x):
        rows = x.view(4).split(2)
        rows[1].mul_(10)
        x.t().select(0, 0).add_(1)
        return x, rows[0]

    x, y = counted(2, 2), counted(2, 2)
    expected = write(x)
    actual = without_views(write)(y)

    assert y.tolist() == x.tolist()
    assert [each.tolist() for each in actual] == [each.tolist() for each in expected]


def test_without_views_an_output_does_not_share_memory_with_an_argument():
    x = counted(2, 2)

    row = without_views(lambda x: x[0])(x)
    row.zero_()

    assert x.tolist() == [[0, 1], [2, 3]]


def test_without_views_tensors_show_the_strides_of_views():
    seen = []
    without_views(lambda x: seen.append(x.t().stride()) or x)(counted(2, 3))

    assert [tuple(each) for each in seen] == [(1, 3)]


def test_without_views_a_part_of_a_repeated_view_cannot_be_written():
    with pytest.raises(NotImplementedError, match="a view with repeated elements"):
        without_views(lambda x: x.expand(3, 2)[0].add_(1))(counted(1, 2))


def test_a_copy_of_a_view_is_found_by_its_name():
    x = counted(2, 3)

    copy = ow.ops.aten.transpose_copy.int(x, 0, 1)

    assert copy.tolist() == x.t().tolist()
    assert copy.is_contiguous()

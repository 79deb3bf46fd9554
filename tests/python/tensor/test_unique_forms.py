"""unique and unique_consecutive return what is asked for; forms that write to `out`."""

import opwright as ow
import pytest


def test_unique_alone_returns_a_tensor():
    assert ow.tensor([3, 1, 3]).unique().tolist() == [1, 3]


def test_unique_returns_places_and_counts_if_asked():
    found, inverse, counts = ow.unique(
        ow.tensor([3, 1, 3]), return_inverse=True, return_counts=True
    )

    assert (found.tolist(), inverse.tolist(), counts.tolist()) == ([1, 3], [1, 0, 1], [1, 2])


def test_unique_along_a_dimension_compares_slices():
    found, counts = ow.tensor([[1, 2], [0, 5], [1, 2]]).unique(dim=0, return_counts=True)

    assert found.tolist() == [[0, 5], [1, 2]]
    assert counts.tolist() == [1, 2]


def test_unique_consecutive_keeps_later_repetitions():
    found, inverse = ow.unique_consecutive(ow.tensor([1, 1, 2, 1]), return_inverse=True)

    assert found.tolist() == [1, 2, 1]
    assert inverse.tolist() == [0, 0, 1, 2]


def test_the_size_of_unique_elements_is_a_symbol_in_a_trace():
    graph = ow.make_fx(lambda x: x.unique() * 2, tracing_mode="symbolic")(ow.tensor([3, 1, 3]))

    assert graph(ow.tensor([5, 5, 5, 4])).tolist() == [8, 10]


def test_an_out_form_writes_every_result():
    values, indices = ow.empty(0), ow.empty(0, dtype=ow.int64)

    ow.ops.aten.cummax.out(ow.tensor([1.0, 3.0, 2.0]), 0, values=values, indices=indices)

    assert values.tolist() == [1.0, 3.0, 3.0]
    assert indices.tolist() == [0, 1, 1]


def test_an_out_of_other_sizes_is_refused():
    with pytest.raises(
        ValueError, match=r"msort: out of sizes \[2\] cannot hold a result of sizes \[3\]"
    ):
        ow.ops.aten.msort.out(ow.tensor([1.0, 3.0, 2.0]), out=ow.empty(2))


def test_cumsum_in_place_has_the_gradient_of_cumsum():
    x = ow.tensor([1.0, 2.0, 3.0], requires_grad=True)

    (x * 2).cumsum_(0).sum().backward()

    assert x.grad.tolist() == [6.0, 4.0, 2.0]

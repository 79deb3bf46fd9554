"""opwright.func.functionalize: what it returns, writes back and rejects."""

import subprocess
import sys
from collections.abc import Callable

import opwright as ow
import pytest
from opwright.func import functionalize
from opwright.library import Library, custom_op

from .programs import halves, lower, shift_all_, swap_


def counted(*sizes: int) -> ow.Tensor:
    return ow.arange(float(ow.zeros(sizes).numel())).reshape(sizes)


# ---- Results ----


def test_a_written_argument_that_is_returned_is_the_callers_own_object():
    x = counted(3)

    returned = functionalize(lambda x: x.add_(1))(x)

    assert returned is x
    assert x.tolist() == [1, 2, 3]


def test_an_output_that_is_a_view_of_an_argument_stays_one():
    x = counted(2, 2)

    row = functionalize(lambda x: x.add_(1)[0])(x)
    row.zero_()

    assert x.tolist() == [[0, 0], [3, 4]]


def test_outputs_that_share_memory_still_do():
    def make(x):
        whole = x + 1
        part = whole[1:]
        whole.mul_(2)
        return whole, part

    whole, part = functionalize(make)(counted(3))
    part.zero_()

    assert whole.tolist() == [2, 0, 0]


def test_tensors_may_stand_in_tuples_lists_and_dicts():
    def f(pair, *, named):
        pair[0].add_(named["y"])
        return {"sum": [pair[0] + pair[1]], "rest": (None, 3)}

    x, y = counted(2), counted(2)

    returned = functionalize(f)((x, y), named={"y": y})

    assert returned["sum"][0].tolist() == [0, 3]
    assert returned["rest"] == (None, 3)
    assert x.tolist() == [0, 2]


def test_a_captured_tensor_is_written_back():
    total = ow.zeros(2)

    functionalize(lambda x: total.add_(x))(counted(2))

    assert total.tolist() == [0, 1]


def test_nothing_is_written_when_the_function_raises():
    x = counted(2)

    def f(x):
        x.add_(1)
        raise KeyError("stop")

    with pytest.raises(KeyError, match="stop"):
        functionalize(f)(x)
    assert x.tolist() == [0, 1]


def test_an_empty_out_takes_the_sizes_of_the_result():
    out = ow.empty(0)

    functionalize(lambda x, out: ow.ops.aten.add.out(x, x, out=out))(counted(2), out)

    assert out.tolist() == [0, 2]


def test_functionalize_nests():
    def f(x):
        functionalize(lambda y: y[0].add_(1))(x)
        return x.mul_(2)

    x = counted(2)

    functionalize(f)(x)

    assert x.tolist() == [2, 2]


# ---- Operators of authors ----


def test_lists_and_several_arguments_are_written():
    def f(x, y, z):
        sum_ = swap_(x[0], y)
        shift_all_([x[1], z], None)
        return sum_

    x, y, z = counted(2, 2), ow.ones(2), counted(1)

    sum_ = functionalize(f)(x, y, z)

    assert sum_.tolist() == [1, 2]
    assert (x.tolist(), y.tolist(), z.tolist()) == ([[1, 1], [3, 4]], [0, 1], [1])


def test_a_written_argument_may_be_none():
    with Library("optional_write", "FRAGMENT") as library:
        library.define("bump_(Tensor(a!)? x, Tensor y) -> Tensor")
        library.impl("bump_", lambda x, y: y + 1 if x is None else x.add_(y), "CPU")
        bump_ = ow.ops.optional_write.bump_.default
        x = counted(2)

        assert functionalize(lambda y: bump_(None, y))(counted(2)).tolist() == [1, 2]
        functionalize(lambda y: bump_(x, y))(counted(2))
        assert x.tolist() == [0, 2]


def test_views_of_authors_are_written_through_their_scatter_rules():
    def f(x):
        lower(x).add_(10)
        halves(x)[0].mul_(-1)

    x = counted(4)

    functionalize(f)(x)

    assert x.tolist() == [0, -1, 12, 13]


def test_a_view_without_a_scatter_rule_may_be_read():
    assert functionalize(ow.ops.mutation.last_row)(counted(2, 2)).tolist() == [2, 3]


def test_a_write_to_a_view_without_a_scatter_rule_names_what_is_missing():
    with pytest.raises(NotImplementedError) as caught:
        functionalize(lambda x: ow.ops.mutation.last_row(x).add_(1))(counted(2, 2))

    assert str(caught.value).startswith(
        "mutation::last_row: its view was written by aten::add_.Scalar under functionalize, but it "
        "has no scatter rule\n"
        "  Register one with OPWRIGHT_LIBRARY_IMPL(mutation, Scatter, m) or "
        'opwright.library.register_scatter("mutation::last_row").'
    )


def test_a_scatter_rule_must_return_a_tensor():
    @custom_op("wrong_scatter::head", mutates_args=(), schema="(Tensor(a) x) -> Tensor(a)")
    def head(x):
        return x[0]

    head.register_scatter(lambda base, value: None)

    with pytest.raises(
        TypeError, match="wrong_scatter::head: the scatter rule must return the new"
    ):
        functionalize(lambda x: head(x).add_(1))(counted(2, 2))


def test_an_operator_that_is_defined_anew_gets_a_new_sibling():
    def define(factor):
        @custom_op("anew::grow_", mutates_args=("x",))
        def grow_(x: ow.Tensor) -> None:
            x.mul_(factor)

        return grow_

    x = ow.ones(1)
    functionalize(define(2))(x)
    functionalize(define(3))(x)

    assert x.tolist() == [6]


# ---- Siblings by name ----


def test_a_sibling_has_the_operators_schema_without_the_write():
    sibling = ow.ops.programs._functional_swap_.default

    assert str(sibling.schema) == (
        "programs::_functional_swap_(Tensor x, Tensor y) -> (Tensor, Tensor, Tensor)"
    )


def test_a_sibling_writes_nothing():
    x, y = counted(2), ow.ones(2)

    sum_, new_x, new_y = ow.ops.programs._functional_swap_(x, y)

    assert (x.tolist(), y.tolist()) == ([0, 1], [1, 1])
    assert (sum_.tolist(), new_x.tolist(), new_y.tolist()) == ([1, 2], [1, 1], [0, 1])


def test_a_sibling_runs_on_fake_tensors():
    state, x = ow.empty([16], dtype=ow.uint8, device="meta"), ow.empty([3], device="meta")

    value, new_state = ow.ops.aten._functional_uniform_(state, x)

    assert (value.shape, new_state.shape) == ((3,), (16,))


def test_a_sibling_is_found_in_a_new_process():
    found = subprocess.run(
        [
            sys.executable,
            "-c",
            "import opwright as ow; print(ow.library._C.find_operator("
            "'aten::_functional_normal_').schema)",
        ],
        capture_output=True,
        text=True,
        check=True,
    )

    assert found.stdout == (
        "aten::_functional_normal_(Tensor state, Tensor self, float mean=0.0, float std=1.0) -> "
        "(Tensor, Tensor)\n"
    )


def test_siblings_are_not_listed():
    assert ow.ops.programs._functional_scale_ is not None
    assert "programs::_functional_scale_" not in ow.library.list("programs")


def test_an_operator_that_neither_writes_nor_draws_has_no_sibling():
    assert ow.library._C.find_operator("aten::_functional_sin") is None


# ---- Random numbers ----


DRAWS: list[Callable] = [
    lambda x, g: ow.rand(3, generator=g),
    lambda x, g: ow.randn(3, generator=g),
    lambda x, g: x.uniform_(generator=g),
    lambda x, g: x.normal_(1, 2, generator=g),
    lambda x, g: ow.randint(9, [4], generator=g),
    lambda x, g: ow.randperm(5, generator=g),
    lambda x, g: x.fill_(0.5).bernoulli_(0.25, generator=g),
    lambda x, g: ow.multinomial(ow.ones(4), 2, generator=g),
]


def draw_all(x, generator):
    return [draw(x, generator).clone() for draw in DRAWS]


@pytest.mark.parametrize("is_own", [False, True])
def test_random_numbers_and_the_state_are_eagers(is_own):
    def start():
        ow.manual_seed(4)
        return ow.Generator().manual_seed(5) if is_own else None

    generator = start()
    expected = draw_all(counted(3), generator)
    state = (generator or ow.default_generator).get_state()
    generator = start()

    actual = functionalize(draw_all)(counted(3), generator)

    assert [each.tolist() for each in actual] == [each.tolist() for each in expected]
    assert (generator or ow.default_generator).get_state().tolist() == state.tolist()


def test_dropout_draws_from_the_state():
    def f(x):
        return ow.nn.functional.dropout(x, 0.5, training=True) + ow.rand(8)

    ow.manual_seed(2)
    expected = f(ow.ones(8))
    ow.manual_seed(2)

    assert functionalize(f)(ow.ones(8)).tolist() == expected.tolist()


def test_a_nested_functionalize_passes_the_state_on():
    def f():
        first = ow.rand(2)
        return first, functionalize(lambda: ow.rand(2))(), ow.rand(2)

    ow.manual_seed(2)
    expected = f()
    ow.manual_seed(2)

    actual = functionalize(f)()

    assert [each.tolist() for each in actual] == [each.tolist() for each in expected]


# ---- Memory that is shared ----


def test_arguments_that_overlap_in_part_may_be_read():
    x = counted(4)

    assert functionalize(lambda a, b: a + b)(x[:3], x[1:]).tolist() == [1, 3, 5]


def test_a_write_to_arguments_that_overlap_in_part_is_refused():
    x = counted(4)

    with pytest.raises(RuntimeError) as caught:
        functionalize(lambda a, b: a.add_(1))(x[:3], x[1:])

    assert str(caught.value).startswith(
        "aten::add_.Scalar: 'self' cannot be written under functionalize: it shares memory with "
        "another tensor, but neither is a part of the other\n"
        "  Pass the tensor that both are parts of, or clone one."
    )
    assert x.tolist() == [0, 1, 2, 3]


def test_a_tensor_captured_after_a_write_to_shared_memory_is_refused():
    x = counted(4)
    captured = x[1:]

    with pytest.raises(RuntimeError, match="captured after a write shares memory with another"):
        functionalize(lambda a: a.add_(1) + captured)(x[:3])


def test_memory_that_came_in_twice_is_one():
    x = counted(4)

    sum_ = functionalize(lambda a, b: a.add_(1) + b)(x, ow.from_dlpack(x))

    assert sum_.tolist() == [2, 4, 6, 8]


def test_a_write_to_what_expand_repeats_is_refused():
    with pytest.raises(RuntimeError, match="several elements of 'self' are the same memory"):
        functionalize(lambda x: x.expand(3, 2).add_(1))(counted(2))


def test_a_part_of_what_expand_repeats_may_be_written():
    x = counted(2)

    functionalize(lambda x: x.expand(3, 2)[1].add_(1))(x)

    assert x.tolist() == [1, 2]


def test_a_write_that_overlaps_what_is_read_is_refused():
    with pytest.raises(RuntimeError, match="is written and shares part of its memory with"):
        functionalize(lambda x: x[1:].add_(x[:-1]))(counted(4))


def test_as_strided_beyond_the_tensor_is_refused_after_a_write():
    x = counted(4)

    def f(part):
        part.add_(1)
        return part.as_strided([4], [1], 0)

    with pytest.raises(RuntimeError, match="as_strided: the view reaches elements of the storage"):
        functionalize(f)(x[2:])


def test_as_strided_of_a_view_may_reach_beyond_the_view():
    x = counted(6)

    functionalize(lambda x: x[:2].as_strided([3], [2], 1).zero_())(x)

    assert x.tolist() == [0, 0, 2, 0, 4, 0]


# ---- What in-place operators reject ----


def test_a_result_of_a_higher_kind_is_refused():
    with pytest.raises(TypeError, match="a result of float32 cannot be stored in self of int64"):
        functionalize(lambda x: x.add_(0.5))(ow.arange(3))


def test_a_result_of_other_sizes_is_refused():
    with pytest.raises(ValueError, match=r"the new value of 'self' has sizes \[2, 3\]"):
        functionalize(lambda x, y: x.add_(y))(counted(3), counted(2, 3))


def test_resize_is_refused():
    with pytest.raises(ValueError, match="aten::resize_: the new value of 'self' has sizes"):
        functionalize(lambda x: x.resize_(5))(counted(3))


def test_an_escaped_tensor_is_refused():
    kept = []
    functionalize(lambda x: kept.append(x + 1))(counted(2))

    with pytest.raises(RuntimeError, match="a tensor made inside functionalize was used"):
        kept[0] + 1

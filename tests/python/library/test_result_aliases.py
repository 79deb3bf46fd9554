"""What the kernels of custom_op may return: fresh tensors, or the aliases that the schema marks."""

import opwright as ow
import pytest
from opwright import library


def test_a_kernel_that_returns_its_argument_unmarked_is_refused_at_the_call():
    @library.custom_op("trial_alias::same", mutates_args=())
    def same(x: ow.Tensor) -> ow.Tensor:
        return x

    with pytest.raises(RuntimeError, match="may not alias") as failure:
        same(ow.ones(2))

    assert str(failure.value).splitlines()[0] == (
        "trial_alias::same: result 1 shares memory with the argument 'x'; a result may not alias "
        "an argument or another result unless the schema marks it"
    )


def test_the_compiled_call_refuses_it_too():
    @library.custom_op("trial_alias::compiled", mutates_args=())
    def same(x: ow.Tensor) -> ow.Tensor:
        return x

    same.register_fake(ow.empty_like)

    with pytest.raises(RuntimeError, match="may not alias"):
        ow.compile(lambda x: same(x).add_(1))(ow.ones(2))


def test_a_view_and_the_memory_under_a_numpy_array_count_as_the_argument():
    @library.custom_op("trial_alias::row", mutates_args=())
    def row(x: ow.Tensor) -> ow.Tensor:
        return x[0]

    @library.custom_op("trial_alias::through_numpy", mutates_args=())
    def through_numpy(x: ow.Tensor) -> ow.Tensor:
        return ow.from_numpy(x.numpy())

    for op in (row, through_numpy):
        with pytest.raises(RuntimeError, match="shares memory with the argument 'x'"):
            op(ow.ones(2, 2))


def test_two_results_with_the_same_memory_are_refused():
    @library.custom_op("trial_alias::pair", mutates_args=())
    def pair(x: ow.Tensor) -> tuple[ow.Tensor, ow.Tensor]:
        y = x + 1
        return y, y

    with pytest.raises(RuntimeError, match="result 2 shares memory with result 1"):
        pair(ow.ones(2))


def test_tensors_of_lists_are_compared_too():
    @library.custom_op("trial_alias::first_of", mutates_args=())
    def first_of(x: list[ow.Tensor]) -> list[ow.Tensor]:
        return [x[0] + 1, x[1]]

    with pytest.raises(RuntimeError, match="shares memory with the argument 'x'"):
        first_of([ow.ones(2), ow.ones(2)])


def test_marked_views_and_written_arguments_are_returned_as_the_schema_says():
    @library.custom_op("trial_alias::left", mutates_args=(), schema="(Tensor(a) x) -> Tensor(a)")
    def left(x):
        return x[0]

    @library.custom_op("trial_alias::add_one_", mutates_args={"x"}, tags=library.Tag.inplace)
    def add_one_(x: ow.Tensor) -> ow.Tensor:
        return x.add_(1)

    x = ow.zeros(2, 2)

    assert left(x).shape == (2,)
    assert add_one_(x) is x


def test_an_inplace_operator_must_return_its_first_argument():
    @library.custom_op("trial_alias::other_", mutates_args={"x"}, tags=library.Tag.inplace)
    def other_(x: ow.Tensor, y: ow.Tensor) -> ow.Tensor:
        return y

    with pytest.raises(RuntimeError, match="must return its first argument, 'x'"):
        other_(ow.ones(2), ow.ones(2))


def test_an_out_operator_must_return_what_it_writes_and_is_not_recorded():
    @library.custom_op("trial_alias::out", mutates_args={"out"}, tags=library.Tag.out)
    def wrong(x: ow.Tensor, *, out: ow.Tensor) -> ow.Tensor:
        return x

    @library.custom_op("trial_alias::sine_out", mutates_args={"out"}, tags=library.Tag.out)
    def sine(x: ow.Tensor, *, out: ow.Tensor) -> ow.Tensor:
        return out.copy_(x.sin())

    with pytest.raises(RuntimeError, match="must return its mutable keyword-only arguments: 'out'"):
        wrong(ow.ones(2), out=ow.ones(2))
    with pytest.raises(RuntimeError, match="don't support automatic differentiation"):
        sine(ow.ones(2, requires_grad=True), out=ow.ones(2))
    with pytest.raises(RuntimeError, match="Out variants do not support autograd"):
        sine.register_autograd(lambda ctx, grad: grad)


def test_kernels_of_register_kernel_are_checked_and_those_of_a_library_are_not():
    with library.Library("trial_alias_lib", "FRAGMENT") as lib:
        lib.define("same(Tensor x) -> Tensor")
        lib.impl("same", lambda x: x, "CPU")
        x = ow.ones(2)
        assert ow.ops.trial_alias_lib.same(x) is x

        library.register_kernel("trial_alias_lib::same", "cpu", lambda x: x, lib=lib)
        with pytest.raises(RuntimeError, match="may not alias"):
            ow.ops.trial_alias_lib.same(x)


def test_a_tuple_of_one_result_stays_a_tuple():
    @library.custom_op("trial_alias::one", mutates_args=())
    def one(x: ow.Tensor) -> tuple[ow.Tensor]:
        return (x.clone(),)

    result = one(ow.ones(2))

    assert isinstance(result, tuple)
    assert result[0].tolist() == [1.0, 1.0]

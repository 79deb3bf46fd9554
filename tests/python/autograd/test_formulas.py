"""C.1: backward formulas in Python, and the ctx that they share with setup_context."""

from enum import Enum

import opwright as ow
import pytest
from opwright import Tensor, library
from opwright.library import custom_op


def define_scale():
    @custom_op("formula::scale", mutates_args=())
    def scale(x: Tensor, factor: float) -> Tensor:
        return x * factor

    def setup_context(ctx, inputs, output):
        _, ctx.factor = inputs

    def backward(ctx, grad):
        return grad * ctx.factor, None

    scale.register_autograd(backward, setup_context=setup_context)
    return scale


def test_a_formula_gives_gradients():
    scale = define_scale()
    x = ow.tensor([1.0, 2.0], requires_grad=True)

    scale(x, 3.0).sum().backward()

    assert x.grad.tolist() == [3.0, 3.0]


def test_a_formula_without_setup_context():
    @custom_op("formula::negate", mutates_args=())
    def negate(x: Tensor) -> Tensor:
        return -x

    negate.register_autograd(lambda ctx, grad: -grad)
    x = ow.ones(2, requires_grad=True)

    negate(x).sum().backward()

    assert x.grad.tolist() == [-1.0, -1.0]


def define_square(contexts):
    @custom_op("formula::square", mutates_args=())
    def square(x: Tensor) -> Tensor:
        return x * x

    def setup_context(ctx, inputs, output):
        contexts.append(ctx)
        ctx.save_for_backward(*inputs, None, output)

    def backward(ctx, grad):
        contexts.append(ctx)
        x, nothing, y = ctx.saved_tensors
        assert nothing is None
        assert y.tolist() == (x * x).tolist()
        return grad * 2 * x

    square.register_autograd(backward, setup_context=setup_context)
    return square


def test_saved_tensors_are_arguments_results_and_none():
    square = define_square([])
    x = ow.tensor([1.0, 3.0], requires_grad=True)

    square(x).sum().backward()

    assert x.grad.tolist() == [2.0, 6.0]


def test_setup_context_and_formula_share_one_ctx():
    contexts = []
    square = define_square(contexts)
    x = ow.ones(2, requires_grad=True)

    y = square(x)
    y.sum().backward()

    assert contexts[0] is contexts[1]
    assert y.grad_fn is contexts[0]


def test_a_formula_is_itself_differentiated():
    square = define_square([])
    x = ow.tensor([2.0], requires_grad=True)

    (first,) = ow.autograd.grad(square(square(x)), x, create_graph=True)
    (second,) = ow.autograd.grad(first, x)

    assert (first.item(), second.item()) == (32.0, 48.0)


def test_needs_input_grad_has_an_entry_for_each_argument():
    seen = []

    @custom_op("formula::many", mutates_args=())
    def many(x: Tensor, n: int, ys: list[Tensor], z: Tensor | None, *, w: Tensor) -> Tensor:
        return x + ys[0] + ys[1] + w

    def backward(ctx, grad):
        seen.append(ctx.needs_input_grad)
        return grad, None, [grad, None], None, grad

    many.register_autograd(backward)
    x = ow.ones(1, requires_grad=True)
    y = ow.ones(1, requires_grad=True)

    many(x, 1, [y, ow.ones(1)], None, w=ow.ones(1)).backward()

    assert seen == [(True, False, (True, False), False, False)]
    assert (x.grad.tolist(), y.grad.tolist()) == ([1.0], [1.0])


def test_lists_come_in_and_go_out():
    @custom_op("formula::swap", mutates_args=())
    def swap(xs: list[Tensor]) -> list[Tensor]:
        return [xs[1] * 2, xs[0] * 3]

    swap.register_autograd(lambda ctx, grads: [grads[1] * 3, grads[0] * 2])
    x = ow.ones(1, requires_grad=True)
    y = ow.ones(1, requires_grad=True)

    first, second = swap([x, y])
    (first + 10 * second).backward()

    assert (x.grad.tolist(), y.grad.tolist()) == ([30.0], [2.0])


def define_pair(backward, setup_context=None):
    @custom_op("formula::pair", mutates_args=())
    def pair(x: Tensor) -> tuple[Tensor, Tensor]:
        return x * 2, x * 3

    pair.register_autograd(backward, setup_context=setup_context)
    return pair


def test_gradients_that_are_not_there_are_zeros():
    seen = []

    def backward(ctx, first, second):
        seen.append((first.tolist(), second.tolist()))
        return 2 * first + 3 * second

    x = ow.ones(1, requires_grad=True)

    define_pair(backward)(x)[0].backward()

    assert seen == [([1.0], [0.0])]


def test_gradients_that_are_not_there_are_none_when_asked():
    seen = []

    def setup_context(ctx, inputs, output):
        ctx.set_materialize_grads(False)

    def backward(ctx, first, second):
        seen.append((first is None, second.tolist()))
        return 3 * second

    x = ow.ones(1, requires_grad=True)

    define_pair(backward, setup_context)(x)[1].backward()

    assert seen == [(True, [1.0])]
    assert x.grad.tolist() == [3.0]


def test_a_result_marked_as_non_differentiable_does_not_require_grad():
    def setup_context(ctx, inputs, output):
        ctx.mark_non_differentiable(output[1])

    pair = define_pair(lambda ctx, first, second: 2 * first, setup_context)

    first, second = pair(ow.ones(1, requires_grad=True))

    assert (first.requires_grad, second.requires_grad) == (True, False)


class Mode(Enum):
    SAME = 1
    DOUBLE = 2


def test_setup_context_gets_enum_members_and_keyword_only_inputs():
    seen = []

    @custom_op("formula::moded", mutates_args=())
    def moded(x: Tensor, *, mode: Mode) -> Tensor:
        return x * mode.value

    def setup_context(ctx, inputs, keyword_only_inputs, output):
        seen.append(keyword_only_inputs)
        ctx.factor = keyword_only_inputs["mode"].value

    moded.register_autograd(lambda ctx, grad: grad * ctx.factor, setup_context=setup_context)
    x = ow.ones(1, requires_grad=True)

    moded(x, mode=Mode.DOUBLE).backward()

    assert seen == [{"mode": Mode.DOUBLE}]
    assert x.grad.tolist() == [2.0]


def test_setup_context_may_name_its_parameters_in_any_order():
    @custom_op("formula::reordered", mutates_args=())
    def reordered(x: Tensor, n: int) -> Tensor:
        return x * n

    def setup_context(output, inputs, ctx):
        ctx.n = inputs[1]

    reordered.register_autograd(lambda ctx, grad: (grad * ctx.n, None), setup_context=setup_context)
    x = ow.ones(1, requires_grad=True)

    reordered(x, 4).backward()

    assert x.grad.tolist() == [4.0]


def test_an_operator_that_writes_gets_old_values():
    @custom_op("formula::square_", mutates_args=("x",))
    def square_(x: Tensor) -> None:
        x.mul_(x)

    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    def backward(ctx, grad):
        (old,) = ctx.saved_tensors
        return 2 * old * grad

    square_.register_autograd(backward, setup_context=setup_context, keep_old=("x",))
    x = ow.tensor([3.0], requires_grad=True)
    y = x * 1

    square_(y)
    y.backward()

    assert (y.tolist(), x.grad.tolist()) == ([9.0], [6.0])


def test_keep_old_names_written_arguments():
    scale = define_scale()

    with pytest.raises(ValueError, match="keep_old") as failure:
        scale.register_autograd(lambda ctx, grad: grad, keep_old=("x",))

    assert str(failure.value) == (
        "formula::scale: keep_old names arguments that it writes to, got 'x'"
    )


def test_a_formula_with_no_lasting_effect_on_a_library_ends_with_it():
    scale = define_scale()
    x = ow.ones(1, requires_grad=True)

    with library.Library("formula", "FRAGMENT") as lib:
        library.register_autograd(scale, lambda ctx, grad: (grad * 100, None), lib=lib)
        scale(x, 2.0).backward()
    scale(x, 2.0).backward()

    assert x.grad.tolist() == [102.0]


def test_an_error_in_a_formula_is_the_same_exception_and_names_the_operator():
    @custom_op("formula::fails", mutates_args=())
    def fails(x: Tensor) -> Tensor:
        return x * 1

    error = ValueError("no")

    def backward(ctx, grad):
        raise error

    fails.register_autograd(backward)

    with pytest.raises(ValueError, match="no") as failure:
        fails(ow.ones(1, requires_grad=True)).backward()

    assert failure.value is error
    assert any("in the backward of formula::fails" in note for note in error.__notes__)

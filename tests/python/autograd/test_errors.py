"""Issue "Bad input": each mistake in differentiating has its own message."""

import opwright as ow
import pytest
from opwright import Tensor
from opwright.library import custom_op


def leaf(*values):
    return ow.tensor([float(value) for value in values], requires_grad=True)


def message_of(kind, function):
    with pytest.raises(kind) as failure:
        function()
    return str(failure.value)


def define(backward, setup_context=None):
    @custom_op("mistakes::scale", mutates_args=())
    def scale(x: Tensor, factor: float) -> Tensor:
        return x * factor

    scale.register_autograd(backward, setup_context=setup_context)
    return scale


# ---- Formulas ----


def test_a_formula_with_too_few_gradients():
    scale = define(lambda ctx, grad: grad)

    assert (
        "mistakes::scale: the backward formula returned 1 gradients, but the operator has 2 "
        "arguments\n"
        "  Return one for each of x, factor: None for an argument that has no gradient."
    ) in message_of(RuntimeError, lambda: scale(leaf(1), 2.0).backward())


def test_a_formula_with_too_many_gradients():
    scale = define(lambda ctx, grad: (grad, None, grad))

    assert (
        "the backward formula returned 3 gradients, but the operator has 2 arguments"
    ) in message_of(RuntimeError, lambda: scale(leaf(1), 2.0).backward())


def test_a_formula_with_a_gradient_of_other_sizes():
    scale = define(lambda ctx, grad: (grad.sum(), None))

    assert (
        "mistakes::scale: the backward formula returned a gradient of sizes [] for 'x', which has "
        "sizes [2]"
    ) in message_of(RuntimeError, lambda: scale(leaf(1, 2), 2.0).sum().backward())


def test_a_formula_with_a_gradient_for_a_number():
    scale = define(lambda ctx, grad: (grad, grad))

    assert (
        "mistakes::scale: the backward formula returned a gradient for 'factor', which is float; "
        "return None there"
    ) in message_of(RuntimeError, lambda: scale(leaf(1), 2.0).backward())


def test_a_formula_that_gives_something_else():
    scale = define(lambda ctx, grad: (3.0, None))

    assert (
        "mistakes::scale: the backward formula returned float for 'x'; a gradient is a tensor or "
        "None"
    ) in message_of(RuntimeError, lambda: scale(leaf(1), 2.0).backward())


def test_a_formula_that_writes_into_its_gradient():
    scale = define(lambda ctx, grad: (grad.mul_(2.0), None))

    assert (
        "mistakes::scale: the backward formula modified gradient 0 in place\n"
        "  Others may hold the same gradient: compute a new tensor, or write to a clone."
    ) in message_of(RuntimeError, lambda: scale(leaf(1), 2.0).backward())


def test_saving_what_is_no_tensor():
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    scale = define(lambda ctx, grad: (grad, None), setup_context)

    assert (
        "mistakes::scale: save_for_backward (set other values as attributes of ctx) takes tensors, "
        "got float"
    ) in message_of(TypeError, lambda: scale(leaf(1), 2.0))


def test_training_without_a_formula():
    @custom_op("mistakes::plain", mutates_args=())
    def plain(x: Tensor) -> Tensor:
        return x * 2

    text = message_of(NotImplementedError, lambda: plain(leaf(1)).backward())

    assert "mistakes::plain has no backward formula, so nothing can be trained through it" in text
    assert "Register one with register_autograd" in text


def test_training_through_a_write_without_a_formula():
    @custom_op("mistakes::write_", mutates_args=("x",))
    def write_(x: Tensor) -> None:
        x.mul_(2)

    def train():
        y = leaf(1) * 1
        write_(y)
        y.backward()

    assert "mistakes::write_ has no backward formula" in message_of(NotImplementedError, train)


@pytest.mark.parametrize(
    "written", [lambda y: y, lambda y: y[:1], lambda y: leaf(1)], ids=["value", "view", "leaf"]
)
def test_what_requires_grad_is_written_by_an_operator_that_is_tagged_nondifferentiable(written):
    @custom_op("mistakes::round_", mutates_args=("x",), tags=("nondifferentiable",))
    def round_(x: Tensor) -> None:
        x.copy_(x.round())

    y = leaf(1.4, 2.6) * 1

    assert message_of(RuntimeError, lambda: round_(written(y))) == (
        "mistakes::round_: 'x' requires grad and is written by an operator that is tagged "
        "nondifferentiable, so that its new value would get the gradient of the old one\n"
        "  Write a detached clone, or write it under no_grad; or register a formula instead of "
        "the tag."
    )
    assert y.tolist() == pytest.approx([1.4, 2.6])


def test_an_operator_that_is_tagged_nondifferentiable_may_write_what_has_no_history():
    @custom_op("mistakes::count_", mutates_args=("seen",), tags=("nondifferentiable",))
    def count_(x: Tensor, seen: Tensor) -> None:
        seen.add_(x.shape[0])

    x, seen = leaf(1, 2), ow.zeros(1)
    count_(x, seen)

    assert (seen.tolist(), seen.requires_grad) == ([2.0], False)


def test_what_requires_grad_is_written_and_marked_as_non_differentiable():
    @custom_op("mistakes::scale_", mutates_args=("x",))
    def scale_(x: Tensor, factor: Tensor) -> None:
        x.mul_(factor)

    scale_.register_autograd(
        lambda ctx: (None, None),
        setup_context=lambda ctx, inputs, output: ctx.mark_non_differentiable(inputs[0]),
    )

    assert (
        "mistakes::scale_: setup_context marks an argument that the operator writes as "
        "non-differentiable, but it requires grad"
    ) in message_of(RuntimeError, lambda: scale_(leaf(1) * 1, leaf(2)))


# ---- Values ----


def test_a_saved_argument_that_was_written():
    def train():
        x = leaf(1, 2)
        y = x * 1
        z = y.sin()
        y.add_(1)
        z.sum().backward()

    text = message_of(RuntimeError, train)

    assert (
        "aten::sin: 'self', saved for its backward, was modified by an in-place operation: it is "
        "at version 1, expected 0"
    ) in text


def test_a_saved_result_that_was_written():
    def train():
        y = leaf(1, 2).exp()
        y.mul_(2)
        y.sum().backward()

    assert (
        "aten::exp: its result, saved for its backward, was modified by an in-place operation"
    ) in message_of(RuntimeError, train)


def test_a_second_backward():
    y = (leaf(1) * leaf(2)).sum()
    y.backward()

    assert (
        "the values that aten::mul.Tensor saved for its backward were freed by an earlier "
        "backward. Specify retain_graph=True in the first one to run it again"
    ) in message_of(RuntimeError, y.backward)


def test_a_backward_of_several_elements():
    assert (
        "backward: a gradient is needed for an output of [2] elements; only one of a single "
        "element is a scalar whose gradient is 1"
    ) in message_of(RuntimeError, (leaf(1, 2) * 2).backward)


def test_a_backward_of_what_does_not_require_grad():
    assert "backward: the output does not require grad" in message_of(
        RuntimeError, ow.ones(1).backward
    )


def test_a_gradient_of_other_sizes_than_the_output():
    assert "grad_output[0] has a shape of (3,) and output[0] has a shape of (2,)." in message_of(
        RuntimeError, lambda: (leaf(1, 2) * 2).backward(ow.ones(3))
    )


def test_another_number_of_gradients_than_outputs():
    y = leaf(1) * 2

    assert "backward: 1 outputs, but 2 gradients" in message_of(
        RuntimeError, lambda: ow.autograd.backward([y], [ow.ones(1), ow.ones(1)])
    )


def test_an_input_that_had_no_part():
    x, y = leaf(1), leaf(1)

    assert (
        "grad: input 1 had no part in the outputs; pass allow_unused=True to get None for it"
    ) in message_of(RuntimeError, lambda: ow.autograd.grad(x * 2, [x, y]))


def test_a_leaf_that_is_written():
    assert (
        "aten::add_.Scalar: 'self' is a leaf that requires grad and cannot be modified in place; "
        "write under no_grad, or clone it first"
    ) in message_of(RuntimeError, lambda: leaf(1).add_(1))


def test_a_view_of_a_leaf_that_is_written():
    assert "'self' is a view of a leaf that requires grad" in message_of(
        RuntimeError, lambda: leaf(1, 2)[0:1].mul_(2)
    )


def test_a_view_made_under_no_grad_that_is_written():
    def write():
        y = leaf(1, 2) * 1
        with ow.no_grad():
            view = y[0:1]
        view.mul_(2)

    assert "made under no_grad, and cannot be modified in place with grad mode on" in message_of(
        RuntimeError, write
    )


def test_a_tensor_of_inference_mode_is_not_saved():
    with ow.inference_mode():
        made = ow.ones(1)

    assert "a tensor made in inference mode cannot be saved for backward" in message_of(
        RuntimeError, lambda: leaf(1) * made
    )


def test_requires_grad_of_integers():
    assert (
        "only tensors of floating and complex dtypes can require grad, got int64"
    ) in message_of(RuntimeError, lambda: ow.tensor([1]).requires_grad_())


def test_requires_grad_cannot_be_taken_from_what_was_computed():
    y = leaf(1) * 2

    assert "requires_grad can be switched off for leaves only; use detach()" in message_of(
        RuntimeError, lambda: y.requires_grad_(False)
    )


def test_a_view_is_not_detached_in_place():
    y = leaf(1, 2) * 1

    assert "detach_: a view cannot be detached in place" in message_of(
        RuntimeError, lambda: y[0:1].detach_()
    )


# ---- Anomalies ----


def test_under_anomaly_mode_an_error_names_the_line_of_the_call():
    with ow.autograd.detect_anomaly():
        y = leaf(1, 2).exp()
        y.mul_(2)
        with pytest.raises(RuntimeError) as failure:
            y.sum().backward()

    notes = "".join(getattr(failure.value, "__notes__", [])) + str(failure.value)
    assert "called at" in notes
    assert "test_errors.py" in notes


def test_under_anomaly_mode_nan_is_found_where_it_arises():
    with ow.autograd.detect_anomaly():
        x = leaf(0)
        text = message_of(RuntimeError, lambda: (x.sqrt() * 0.0).sum().backward())

    assert text.startswith(
        "Function 'SqrtBackward0' returned nan values in its 0th output: the backward of "
        "aten::sqrt, called at "
    )


def test_under_anomaly_mode_nan_is_found_inside_transforms():
    x = ow.tensor([1.0, -1.0])
    with (
        ow.autograd.detect_anomaly(),
        pytest.raises(RuntimeError, match="SqrtBackward0' returned nan values"),
    ):
        ow.vmap(ow.func.grad(lambda each: each.sqrt()))(x)


def test_anomaly_mode_may_leave_nan_alone():
    with ow.autograd.detect_anomaly(check_nan=False):
        y = (leaf(0).sqrt() * 0.0).sum()
        y.backward(retain_graph=True)
        with ow.autograd.set_detect_anomaly(True):
            assert "returned nan" in message_of(RuntimeError, lambda: y.backward(retain_graph=True))
        y.backward()


def test_a_complex_gradient_of_a_real_output_is_refused():
    y = leaf(1, 2).sin()

    text = message_of(RuntimeError, lambda: y.backward(ow.ones(2, dtype=ow.complex64)))

    assert "both grad_output and output are required to have the same dtype" in text


def test_a_batch_of_gradients_has_the_shape_of_the_output_behind_its_first_dimension():
    x = leaf(1, 2)

    text = message_of(
        RuntimeError,
        lambda: ow.autograd.grad(x.sin(), x, ow.ones(2), is_grads_batched=True),
    )

    assert "If `is_grads_batched=True`, we interpret the first dimension" in text


def test_a_saved_argument_that_was_detached_in_place_is_an_error():
    x = leaf(1).clone()
    y = x.sin()
    x.detach_()

    text = message_of(RuntimeError, lambda: y.sum().backward())

    assert "aten::sin: Trying to use a saved tensor that has been detached in-place" in text


def test_a_result_that_is_saved_may_be_detached_in_place():
    x = leaf(1)
    y = x.exp()
    z = y * 2
    y.detach_()

    z.sum().backward()

    assert x.grad is not None


def test_a_view_made_under_no_grad_keeps_its_sizes_where_autograd_records():
    x = leaf(1, 2).clone()
    with ow.no_grad():
        view = x.view(-1)

    assert "cannot be modified in place" in message_of(RuntimeError, lambda: view.unsqueeze_(0))


def test_a_tensor_of_inference_mode_keeps_its_sizes_outside():
    with ow.inference_mode():
        x = ow.ones(2, 3)

    assert "made in inference mode" in message_of(RuntimeError, lambda: x.transpose_(0, 1))

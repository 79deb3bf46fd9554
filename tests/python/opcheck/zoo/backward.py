"""Formulas that are missing, that raise, or that write what is not theirs."""

import numpy as np

from ..host import Example, Host, binary_operator, dense, same_form
from .fault import fault


def _save_inputs(ctx, inputs, output):
    ctx.save_for_backward(*(each for each in inputs if hasattr(each, "shape")))


@fault("autograd/missing-formula")
def no_formula(host: Host) -> Example:
    """Has no formula, and the example asks for gradients."""
    op = host.define("no_formula(Tensor x) -> Tensor", lambda x: x * 2, fake=same_form)
    return Example(op, (host.matrix(requires_grad=True),))


@fault("autograd/gradient-count", "autograd/formula-raised", words=r"\b1\b.*\b2\b|\b2\b.*\b1\b")
def too_few_gradients(host: Host) -> Example:
    """Gives one gradient for two arguments."""
    op = host.define(
        "too_few_gradients(Tensor x, Tensor y) -> Tensor",
        lambda x, y: x + y,
        fake=lambda x, y: x + y,
        backward=lambda ctx, grad: grad.clone(),
    )
    return Example(op, (host.matrix(requires_grad=True), host.matrix()))


@fault("autograd/gradient-shape", words=r"\by\b.*4")
def gradient_not_reduced(host: Host) -> Example:
    """Gives the gradient of a broadcast argument in the sizes of the result."""
    op = host.define(
        "gradient_not_reduced(Tensor x, Tensor y) -> Tensor",
        lambda x, y: x + y,
        fake=lambda x, y: x + y,
        backward=lambda ctx, grad: (grad.clone(), grad.clone()),
    )
    y = host.tensors.randn(4, requires_grad=True)
    return Example(op, (host.matrix(requires_grad=True), y))


@fault("autograd/gradient-dtype", words=r"\bx\b.*float64")
def gradient_of_float64(host: Host) -> Example:
    """Gives a gradient in float64 for an argument in float32."""
    op = host.define(
        "gradient_of_float64(Tensor x) -> Tensor",
        lambda x: x * 2,
        fake=same_form,
        backward=lambda ctx, grad: grad.to(host.tensors.float64) * 2,
    )
    return Example(op, (host.matrix(requires_grad=True),))


@fault("autograd/saved-written", words=r"saved|\bx\b|result")
def writes_saved(host: Host) -> Example:
    """Writes the result that it saved, in its formula."""

    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(output)

    def backward(ctx, grad):
        (result,) = ctx.saved_tensors
        return grad * result.mul_(2)

    op = host.define(
        "writes_saved(Tensor x) -> Tensor",
        lambda x: x.exp(),
        fake=same_form,
        backward=backward,
        setup_context=setup_context,
    )
    return Example(op, (host.matrix(requires_grad=True),))


@fault("autograd/input-written", "autograd/saved-written", words=r"\bx\b")
def formula_writes_input(host: Host) -> Example:
    """Changes an argument through numpy, in its formula."""

    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        result = grad * x * 2
        array = x.detach().numpy()
        np.negative(array, out=array)
        return result

    op = host.define(
        "formula_writes_input(Tensor x) -> Tensor",
        lambda x: x * x,
        fake=same_form,
        backward=backward,
        setup_context=_save_inputs,
    )
    return Example(op, (host.matrix(requires_grad=True),))


def _write_in_formula_in_torch(host: Host) -> Example:
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        result = grad * x * 2
        x.detach().numpy().reshape(-1)[:1] /= 2
        return result

    op = host.define(
        "write_in_formula(Tensor x) -> Tensor",
        lambda x: x * x,
        fake=same_form,
        backward=backward,
        setup_context=_save_inputs,
    )
    return Example(op, (host.matrix(requires_grad=True),))


@fault(
    "autograd/input-written",
    "autograd/saved-written",
    words=r"\bx\b",
    twin=_write_in_formula_in_torch,
)
def write_in_formula(host: Host) -> Example:
    """Changes one element of an argument through its memory, in a formula in C++."""
    op = binary_operator("faulty", "write_in_formula")
    return Example(op, (host.matrix(requires_grad=True),))


@fault("autograd/gradient-written", words=r"gradient")
def writes_the_gradient(host: Host) -> Example:
    """Writes the gradient that it is given."""
    op = host.define(
        "writes_the_gradient(Tensor x) -> Tensor",
        lambda x: x * 2,
        fake=same_form,
        backward=lambda ctx, grad: grad.mul_(2).clone(),
    )
    return Example(op, (host.matrix(requires_grad=True),))


@fault("autograd/formula-raised", words=r"not today")
def formula_raises(host: Host) -> Example:
    """Raises in its formula."""

    def backward(ctx, grad):
        raise RuntimeError("not today")

    op = host.define(
        "formula_raises(Tensor x) -> Tensor", lambda x: x * 2, fake=same_form, backward=backward
    )
    return Example(op, (host.matrix(requires_grad=True),))


@fault("autograd/formula-raised", words=r"NoneType|None|\by\b")
def formula_raises_for_one(host: Host) -> Example:
    """Saves what the gradient of x needs only if that is asked for, and uses it always."""

    def setup_context(ctx, inputs, output):
        x, y = inputs
        ctx.x = x
        ctx.y = y if ctx.needs_input_grad[0] else None

    op = host.define(
        "formula_raises_for_one(Tensor x, Tensor y) -> Tensor",
        lambda x, y: x * y,
        fake=lambda x, y: x * y,
        backward=lambda ctx, grad: (grad.mul(ctx.y), grad.mul(ctx.x)),
        setup_context=setup_context,
    )
    return Example(op, (host.matrix(requires_grad=True), host.matrix(requires_grad=True)))


@fault("autograd/formula-raised", words=r"view|stride")
def formula_views_gradient(host: Host) -> Example:
    """Asks for a view of the gradient that only a contiguous one has."""
    op = host.define(
        "formula_views_gradient(Tensor x) -> Tensor",
        lambda x: x.contiguous() * 2,
        fake=dense,
        backward=lambda ctx, grad: (grad.view(-1) * 2).view(grad.shape),
    )
    return Example(op, (host.matrix(requires_grad=True),))


@fault("autograd/formula-raised", words=r"None")
def formula_forgets_none(host: Host) -> Example:
    """Asks for no zeros in place of missing gradients, and uses both."""

    def setup_context(ctx, inputs, output):
        ctx.set_materialize_grads(False)

    op = host.define(
        "formula_forgets_none(Tensor x) -> (Tensor, Tensor)",
        lambda x: (x * 2, x * 3),
        fake=lambda x: (same_form(x), same_form(x)),
        backward=lambda ctx, first, second: first.mul(2) + second.mul(3),
        setup_context=setup_context,
    )
    return Example(op, (host.matrix(requires_grad=True),))


@fault("autograd/differentiates-itself", words=r"result")
def carries_a_history(host: Host) -> Example:
    """Gives a result with a history of its own, of a weight outside."""
    weight = host.tensors.ones(4, requires_grad=True)

    def kernel(x):
        with host.tensors.enable_grad():
            return x * weight.to(x.dtype)

    op = host.define("carries_a_history(Tensor x) -> Tensor", kernel, fake=same_form)
    return Example(op, (host.matrix(),))

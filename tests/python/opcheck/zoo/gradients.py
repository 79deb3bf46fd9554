"""Formulas that run and give a wrong gradient."""

from ..host import Example, Host, same_form
from .fault import fault


def _save_inputs(ctx, inputs, output):
    ctx.save_for_backward(*inputs)


@fault("gradients/wrong-gradient", words=r"\bx\b")
def wrong_factor(host: Host) -> Example:
    """Forgets the factor 2 of the square's gradient."""
    op = host.define(
        "wrong_factor(Tensor x) -> Tensor",
        lambda x: x * x,
        fake=same_form,
        backward=lambda ctx, grad: grad * ctx.saved_tensors[0],
        setup_context=_save_inputs,
    )
    return Example(op, (host.matrix(requires_grad=True),))


@fault("gradients/wrong-gradient", words=r"\by\b")
def no_gradient_for_one(host: Host) -> Example:
    """Gives None for one of two arguments."""
    op = host.define(
        "no_gradient_for_one(Tensor x, Tensor y) -> Tensor",
        lambda x, y: x * y,
        fake=lambda x, y: x * y,
        backward=lambda ctx, grad: (grad * ctx.saved_tensors[1], None),
        setup_context=_save_inputs,
    )
    return Example(op, (host.matrix(requires_grad=True), host.matrix(requires_grad=True)))


@fault("gradients/wrong-gradient", words=r"\bx\b|\by\b")
def swapped_gradients(host: Host) -> Example:
    """Gives the gradients of two arguments in the wrong order."""
    op = host.define(
        "swapped_gradients(Tensor x, Tensor y) -> Tensor",
        lambda x, y: x * y,
        fake=lambda x, y: x * y,
        backward=lambda ctx, grad: (grad * ctx.saved_tensors[0], grad * ctx.saved_tensors[1]),
        setup_context=_save_inputs,
    )
    return Example(op, (host.matrix(requires_grad=True), host.matrix(requires_grad=True)))


@fault("gradients/wrong-gradient", words=r"\bx\b")
def ignores_second_result(host: Host) -> Example:
    """Uses the gradient of the first of two results alone."""
    op = host.define(
        "ignores_second_result(Tensor x) -> (Tensor, Tensor)",
        lambda x: (x * 2, x * 3),
        fake=lambda x: (same_form(x), same_form(x)),
        backward=lambda ctx, first, second: first * 2,
    )
    return Example(op, (host.matrix(requires_grad=True),))


@fault("gradients/wrong-gradient", "autograd/gradient-shape", words=r"\bscale\b")
def sums_the_wrong_dimension(host: Host) -> Example:
    """Sums a gradient over rows in place of columns; the example has as many of both."""

    def backward(ctx, grad):
        x, scale = ctx.saved_tensors
        return grad * scale.unsqueeze(1), (grad * x).sum(0)

    op = host.define(
        "sums_the_wrong_dimension(Tensor x, Tensor scale) -> Tensor",
        lambda x, scale: x * scale.unsqueeze(1),
        fake=lambda x, scale: x * scale.unsqueeze(1),
        backward=backward,
        setup_context=_save_inputs,
    )
    scale = host.tensors.randn(4, requires_grad=True)
    return Example(op, (host.matrix(4, 4, requires_grad=True), scale))


def _new_value_in_torch(host: Host) -> Example:
    """The same with torch.autograd.Function: torch takes no formula for operators that write."""
    torch = host.tensors

    class Multiply(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, y):
            with torch._C._AutoDispatchBelowAutograd():
                op(x, y)
            ctx.mark_dirty(x)
            ctx.save_for_backward(x.clone(), y)
            return x

        @staticmethod
        def backward(ctx, grad):
            x, y = ctx.saved_tensors
            return grad * y, grad * x

    def kernel(x, y):
        x.mul_(y)

    def apply(x, y):
        Multiply.apply(x, y)

    op = host.define("uses_the_new_value(Tensor(a!) x, Tensor y) -> ()", kernel)
    host.implement("uses_the_new_value", apply, "Autograd")
    host.implement("uses_the_new_value", lambda x, y: None, "Meta")
    return Example(op, (host.matrix(), host.matrix(requires_grad=True)))


@fault("gradients/wrong-gradient", words=r"\by\b", twin=_new_value_in_torch)
def uses_the_new_value(host: Host) -> Example:
    """Writes x, and takes the new x where the gradient of y needs the old."""

    def kernel(x, y):
        x.mul_(y)

    def setup_context(ctx, inputs, output):
        x, y = inputs
        ctx.save_for_backward(x.clone(), y)

    def backward(ctx, grad):
        x, y = ctx.saved_tensors
        return grad * y, grad * x

    op = host.define(
        "uses_the_new_value(Tensor(a!) x, Tensor y) -> ()",
        kernel,
        fake=lambda x, y: None,
        backward=backward,
        setup_context=setup_context,
    )
    return Example(op, (host.matrix(), host.matrix(requires_grad=True)))


@fault("gradients/wrong-gradient", words=r"\bx\b")
def wrong_for_negative(host: Host) -> Example:
    """Gives the gradient of the identity; the kernel clips below at 0."""
    op = host.define(
        "wrong_for_negative(Tensor x) -> Tensor",
        lambda x: x.clamp(min=0),
        fake=same_form,
        backward=lambda ctx, grad: grad.clone(),
    )
    return Example(op, (host.matrix(requires_grad=True),))


@fault("gradients/wrong-gradient", words=r"\bx\b")
def wrong_at_size_1(host: Host) -> Example:
    """Divides by the rows less one, and by one if there is one; its formula by two then."""

    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * 2 * x / (x.shape[0] - 1 if x.shape[0] > 1 else 2)

    op = host.define(
        "wrong_at_size_1(Tensor x) -> Tensor",
        lambda x: x * x / max(x.shape[0] - 1, 1),
        fake=same_form,
        backward=backward,
        setup_context=_save_inputs,
    )
    return Example(op, (host.matrix(requires_grad=True),))


@fault("gradients/wrong-gradient", words=r"jvp|forward|tangent", twin=False)
def wrong_tangent(host: Host) -> Example:
    """Has a right formula and a jvp rule that is wrong by a factor."""
    op = host.define(
        "wrong_tangent(Tensor x) -> Tensor",
        lambda x: x * x,
        fake=same_form,
        backward=lambda ctx, grad: grad * ctx.saved_tensors[0] * 2,
        setup_context=_save_inputs,
        jvp=lambda x, tangent: x * tangent,
    )
    return Example(op, (host.matrix(requires_grad=True),))

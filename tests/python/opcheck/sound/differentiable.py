"""Operators with formulas, tangents and vmap rules that are right, and one without."""

import numpy as np
import opwright as ow

from ..host import Host, number, same_form
from .case import Case, sound


def _save_inputs(ctx, inputs, output):
    ctx.save_for_backward(*inputs)


@sound
def has_a_formula(host: Host) -> Case:
    op = host.define(
        "has_a_formula(Tensor x) -> Tensor",
        lambda x: x * x,
        fake=same_form,
        backward=lambda ctx, grad: grad * ctx.saved_tensors[0] * 2,
        setup_context=_save_inputs,
    )
    x = host.matrix(requires_grad=True)
    return Case(op, (x,), gives=x.detach() ** 2)


@sound
def saves_its_result(host: Host) -> Case:
    op = host.define(
        "saves_its_result(Tensor x) -> Tensor",
        lambda x: x.exp(),
        fake=same_form,
        backward=lambda ctx, grad: grad * ctx.saved_tensors[0],
        setup_context=lambda ctx, inputs, output: ctx.save_for_backward(output),
    )
    x = host.matrix(requires_grad=True)
    return Case(op, (x,), gives=x.detach().exp())


@sound
def reduces_its_gradient(host: Host) -> Case:
    def reduced(grad, sizes):
        while grad.dim() > len(sizes):
            grad = grad.sum(0)
        for dim, size in enumerate(sizes):
            if size == 1:
                grad = grad.sum(dim, keepdim=True)
        return grad

    def setup_context(ctx, inputs, output):
        ctx.sizes = [each.shape for each in inputs]

    op = host.define(
        "reduces_its_gradient(Tensor x, Tensor y) -> Tensor",
        lambda x, y: x + y,
        fake=lambda x, y: x + y,
        backward=lambda ctx, grad: tuple(reduced(grad, sizes) for sizes in ctx.sizes),
        setup_context=setup_context,
    )
    x, y = host.matrix(requires_grad=True), ow.randn(4, requires_grad=True)
    return Case(op, (x, y), gives=x.detach() + y.detach())


@sound
def saves_what_is_needed(host: Host) -> Case:
    def setup_context(ctx, inputs, output):
        x, y = inputs
        ctx.save_for_backward(
            y if ctx.needs_input_grad[0] else None, x if ctx.needs_input_grad[1] else None
        )

    def backward(ctx, grad):
        y, x = ctx.saved_tensors
        return (None if y is None else grad * y, None if x is None else grad * x)

    op = host.define(
        "saves_what_is_needed(Tensor x, Tensor y) -> Tensor",
        lambda x, y: _same_sizes(x, y) * y,
        fake=lambda x, y: _same_sizes(x, y) * y,
        backward=backward,
        setup_context=setup_context,
    )
    x, y = host.matrix(requires_grad=True), host.matrix(requires_grad=True)
    return Case(op, (x, y), gives=x.detach() * y.detach())


def _same_sizes(x, y):
    if x.shape != y.shape:
        raise ValueError(f"x and y must have the same sizes, got {x.shape} and {y.shape}")
    return x


@sound
def takes_missing_gradients(host: Host) -> Case:
    def backward(ctx, first, second):
        parts = [grad * factor for grad, factor in ((first, 2), (second, 3)) if grad is not None]
        return sum(parts[1:], parts[0]) if parts else None

    op = host.define(
        "takes_missing_gradients(Tensor x) -> (Tensor, Tensor)",
        lambda x: (x * 2, x * 3),
        fake=lambda x: (same_form(x), same_form(x)),
        backward=backward,
        setup_context=lambda ctx, inputs, output: ctx.set_materialize_grads(False),
    )
    x = host.matrix(requires_grad=True)
    return Case(op, (x,), gives=(x.detach() * 2, x.detach() * 3))


@sound
def has_an_undifferentiated_result(host: Host) -> Case:
    def kernel(x):
        values, places = x.max(1)
        return values, places

    def setup_context(ctx, inputs, output):
        ctx.mark_non_differentiable(output[1])
        ctx.save_for_backward(output[1])
        ctx.sizes = inputs[0].shape

    def backward(ctx, grad, _):
        (places,) = ctx.saved_tensors
        return grad.new_zeros(ctx.sizes).scatter(1, places.unsqueeze(1), grad.unsqueeze(1))

    op = host.define(
        "has_an_undifferentiated_result(Tensor x) -> (Tensor, Tensor)",
        kernel,
        fake=lambda x: (
            x.new_empty((x.shape[0],)),
            x.new_empty((x.shape[0],), dtype=ow.int64),
        ),
        backward=backward,
        setup_context=setup_context,
    )
    x = host.matrix(requires_grad=True)
    return Case(op, (x,), gives=tuple(x.detach().max(1)))


@sound
def differentiates_by_numpy(host: Host) -> Case:
    """Both directions compute outside of what a tape sees: by operators of their own."""
    slope = host.define(
        "slope(Tensor x) -> Tensor",
        lambda x: ow.from_numpy(np.cos(x.detach().numpy())),
        fake=same_form,
    )
    op = host.define(
        "differentiates_by_numpy(Tensor x) -> Tensor",
        lambda x: ow.from_numpy(np.sin(x.detach().numpy())),
        fake=same_form,
        backward=lambda ctx, grad: grad * slope(ctx.saved_tensors[0]),
        setup_context=_save_inputs,
    )
    x = host.matrix(requires_grad=True)
    return Case(op, (x,), gives=x.detach().sin())


@sound
def differentiates_a_list(host: Host) -> Case:
    op = host.define(
        "differentiates_a_list(Tensor[] xs) -> Tensor",
        lambda xs: ow.cat(list(xs), 0).sum(),
        fake=lambda xs: number(xs[0]),
        backward=lambda ctx, grad: [grad.expand(sizes).clone() for sizes in ctx.sizes],
        setup_context=lambda ctx, inputs, output: setattr(
            ctx, "sizes", [x.shape for x in inputs[0]]
        ),
    )
    xs = [host.matrix(requires_grad=True), host.matrix(2, 4, requires_grad=True)]
    return Case(op, (xs,), gives=xs[0].detach().sum() + xs[1].detach().sum())


@sound
def has_tangents(host: Host) -> Case:
    op = host.define(
        "has_tangents(Tensor x) -> Tensor",
        lambda x: x * x,
        fake=same_form,
        backward=lambda ctx, grad: grad * ctx.saved_tensors[0] * 2,
        setup_context=_save_inputs,
        jvp=lambda x, tangent: 2 * x * tangent,
    )
    x = host.matrix(requires_grad=True)
    return Case(op, (x,), gives=x.detach() ** 2)


@sound
def has_a_vmap_rule(host: Host) -> Case:
    def rule(info, in_dims, x, y):
        x = x.unsqueeze(0) if in_dims[0] is None else x.movedim(in_dims[0], 0)
        y = y.unsqueeze(0) if in_dims[1] is None else y.movedim(in_dims[1], 0)
        return x * y, 0

    op = host.define(
        "has_a_vmap_rule(Tensor x, Tensor y) -> Tensor",
        lambda x, y: _same_sizes(x, y) * y,
        fake=lambda x, y: _same_sizes(x, y) * y,
        vmap=rule,
    )
    x, y = host.matrix(), host.matrix()
    return Case(op, (x, y), gives=x * y)


@sound
def has_no_formula(host: Host) -> Case:
    """For inference alone: the example asks for no gradient."""
    op = host.define("has_no_formula(Tensor x) -> Tensor", lambda x: x.tanh(), fake=same_form)
    x = host.matrix()
    return Case(op, (x,), gives=x.tanh())


@sound
def is_pointwise(host: Host) -> Case:
    op = host.define(
        "is_pointwise(Tensor x) -> Tensor",
        lambda x: x.sigmoid(),
        fake=lambda x: x.sigmoid(),
        backward=lambda ctx, grad: grad * ctx.saved_tensors[0] * (1 - ctx.saved_tensors[0]),
        setup_context=lambda ctx, inputs, output: ctx.save_for_backward(output),
        tags=("pointwise",),
    )
    x = host.matrix(requires_grad=True)
    return Case(op, (x,), gives=x.detach().sigmoid())

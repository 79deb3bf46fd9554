"""Composite operators."""

import opwright as ow

from ..host import Host
from .case import Case, sound


@sound
def is_made_of_others(host: Host) -> Case:
    op = host.define("is_made_of_others(Tensor x) -> Tensor", composite=lambda x: x.sin() * x)
    x = host.matrix(requires_grad=True)
    return Case(op, (x,), gives=x.detach().sin() * x.detach())


@sound
def is_made_with_sizes(host: Host) -> Case:
    op = host.define(
        "is_made_with_sizes(Tensor x) -> Tensor",
        composite=lambda x: x.reshape(x.shape[0] * x.shape[1]) * x.shape[0],
    )
    x = host.matrix()
    return Case(op, (x,), gives=x.flatten() * 3)


@sound
def writes_inside(host: Host) -> Case:
    """Writes a view of a tensor of its own."""

    def body(x):
        result = x.clone()
        result[:, 0].mul_(2)
        return result

    op = host.define("writes_inside(Tensor x) -> Tensor", composite=body)
    x = host.matrix()
    return Case(op, (x,), gives=ow.cat([x[:, :1] * 2, x[:, 1:]], 1))


@sound
def body_writes_its_argument(host: Host) -> Case:
    def body(x, y):
        x.add_(y)
        return x.sum()

    op = host.define("body_writes_its_argument(Tensor(a!) x, Tensor y) -> Tensor", composite=body)
    x, y = host.matrix(), host.matrix()
    return Case(op, (x, y), gives=(x + y).sum(), leaves={0: x + y})


@sound
def body_with_a_formula(host: Host) -> Case:
    op = host.define(
        "body_with_a_formula(Tensor x) -> Tensor",
        composite=lambda x: x * x,
        backward=lambda ctx, grad: grad * ctx.saved_tensors[0] * 2,
        setup_context=lambda ctx, inputs, output: ctx.save_for_backward(*inputs),
    )
    x = host.matrix(requires_grad=True)
    return Case(op, (x,), gives=x.detach() ** 2)

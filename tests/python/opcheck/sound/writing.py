"""Operators that write what they say."""

import numpy as np
import opwright as ow

from ..host import Host, binary_operator, same_form
from .case import Case, sound


def _nothing(*_: object) -> None:
    """Fake of an operator without results."""


@sound
def writes_one(host: Host) -> Case:
    def kernel(x, factor):
        x.mul_(factor)

    op = host.define("writes_one(Tensor(a!) x, float factor) -> ()", kernel, fake=_nothing)
    x = host.matrix()
    return Case(op, (x, 3.0), leaves={0: x * 3})


@sound
def writes_two(host: Host) -> Case:
    def kernel(x, y):
        old = x.clone()
        x.copy_(y)
        y.copy_(old)

    op = host.define("writes_two(Tensor(a!) x, Tensor(b!) y) -> ()", kernel, fake=_nothing)
    x, y = host.matrix(), host.matrix()
    return Case(op, (x, y), leaves={0: y.clone(), 1: x.clone()})


@sound
def writes_a_list(host: Host) -> Case:
    def kernel(xs, y):
        for x in xs:
            x.add_(y)

    op = host.define("writes_a_list(Tensor(a!)[] xs, Tensor y) -> ()", kernel, fake=_nothing)
    xs, y = [host.matrix(), host.matrix()], host.matrix()
    return Case(op, (xs, y), leaves={0: [x + y for x in xs]})


@sound
def writes_an_optional(host: Host) -> Case:
    def kernel(x, total=None):
        if total is not None:
            total.add_(x)
        return x * 2

    op = host.define(
        "writes_an_optional(Tensor x, Tensor(a!)? total=None) -> Tensor", kernel, fake=same_form
    )
    x, total = host.matrix(), host.matrix()
    return Case(op, (x, total), gives=x * 2, leaves={1: total + x})


@sound
def writes_if_told(host: Host) -> Case:
    def kernel(x, is_written):
        if is_written:
            x.zero_()

    op = host.define("writes_if_told(Tensor(a!) x, bool is_written) -> ()", kernel, fake=_nothing)
    x = host.matrix()
    return Case(op, (x, True), leaves={0: x * 0})


@sound
def writes_and_returns_itself(host: Host) -> Case:
    op = host.define(
        "writes_and_returns_itself(Tensor(a!) x) -> Tensor(a!)",
        lambda x: x.add_(1),
        fake=lambda x: x,
    )
    x = host.matrix()
    return Case(op, (x,), gives=x + 1, leaves={0: x + 1})


@sound
def writes_into_out(host: Host) -> Case:
    def kernel(x, *, out):
        return out.copy_(x.neg())

    op = host.define(
        "writes_into_out(Tensor x, *, Tensor(a!) out) -> Tensor(a!)",
        kernel,
        fake=lambda x, *, out: out,
    )
    x = host.matrix()
    return Case(op, (x,), {"out": host.matrix()}, gives=-x)


@sound
def writes_through_numpy(host: Host) -> Case:
    def kernel(x):
        array = x.numpy()
        np.sin(array, out=array)

    op = host.define("writes_through_numpy(Tensor(a!) x) -> ()", kernel, fake=_nothing)
    x = host.matrix()
    return Case(op, (x,), leaves={0: x.sin()})


@sound
def writes_with_a_functional_form(host: Host) -> Case:
    def kernel(x):
        x.mul_(2)

    op = host.define(
        "writes_with_a_functional_form(Tensor(a!) x) -> ()",
        kernel,
        fake=_nothing,
        functional=lambda x: x * 2,
    )
    x = host.matrix()
    return Case(op, (x,), leaves={0: x * 2})


@sound
def writes_with_a_formula(host: Host) -> Case:
    def kernel(x, factor):
        x.mul_(factor)

    def setup_context(ctx, inputs, output):
        _, ctx.factor = inputs

    op = host.define(
        "writes_with_a_formula(Tensor(a!) x, float factor) -> ()",
        kernel,
        fake=_nothing,
        backward=lambda ctx, grad: (grad * ctx.factor, None),
        setup_context=setup_context,
    )
    x = host.matrix()
    return Case(op, (x, 0.5), leaves={0: x * 0.5})


@sound
def writes_with_the_old_value_kept(host: Host) -> Case:
    def kernel(x, y):
        x.mul_(y)

    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    def backward(ctx, grad):
        old, y = ctx.saved_tensors
        return grad * y, grad * old

    op = host.define(
        "writes_with_the_old_value_kept(Tensor(a!) x, Tensor y) -> ()",
        kernel,
        fake=_nothing,
        backward=backward,
        setup_context=setup_context,
        keep_old=("x",),
    )
    x, y = host.matrix(), host.matrix(requires_grad=True)
    return Case(op, (x, y), leaves={0: x * y.detach()})


@sound
def writes_and_returns_in_cpp(host: Host) -> Case:
    op = binary_operator("formulas", "drain_")
    x, y = host.matrix(), host.matrix(requires_grad=True)
    return Case(op, (x, y), gives=x * y.detach(), leaves={0: x + y.detach().sin()})


@sound
def counts_in_place(host: Host) -> Case:
    def kernel(counts, indices):
        np.add.at(counts.numpy(), indices.numpy(), 1)

    op = host.define(
        "counts_in_place(Tensor(a!) counts, Tensor indices) -> ()", kernel, fake=_nothing
    )
    counts = ow.zeros(5, dtype=ow.int64)
    return Case(op, (counts, ow.tensor([1, 1, 4])), leaves={0: ow.tensor([0, 2, 0, 0, 1])})

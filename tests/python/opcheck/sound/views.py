"""Operators that return views of their input."""

import opwright as ow

from ..host import Host, binary_operator
from .case import Case, sound


@sound
def view_of_rows(host: Host) -> Case:
    def view(x, count):
        return x[:count]

    op = host.define("view_of_rows(Tensor(a) x, int count) -> Tensor(a)", view, fake=view)
    x = host.matrix()
    return Case(op, (x, 2), gives=x[:2])


@sound
def view_transposed(host: Host) -> Case:
    op = host.define(
        "view_transposed(Tensor(a) x) -> Tensor(a)",
        lambda x: x.transpose(0, 1),
        fake=lambda x: x.transpose(0, 1),
    )
    x = host.matrix()
    return Case(op, (x,), gives=x.t())


@sound
def view_beginning_later(host: Host) -> Case:
    op = host.define(
        "view_beginning_later(Tensor(a) x) -> Tensor(a)",
        lambda x: x[:, 1:],
        fake=lambda x: x[:, 1:],
    )
    x = host.matrix()
    return Case(op, (x,), gives=x[:, 1:])


@sound
def views_in_a_list(host: Host) -> Case:
    def views(x):
        return [x[:, 0], x[:, 1:]]

    op = host.define("views_in_a_list(Tensor(a) x) -> Tensor(a)[]", views, fake=views)
    x = host.matrix()
    return Case(op, (x,), gives=[x[:, 0], x[:, 1:]])


@sound
def view_with_a_scatter_rule(host: Host) -> Case:
    op = host.define(
        "view_with_a_scatter_rule(Tensor(a) x) -> Tensor(a)",
        lambda x: x.select(0, 0),
        fake=lambda x: x.select(0, 0),
        scatter=lambda base, value: ow.select_scatter(base, value, 0, 0),
    )
    x = host.matrix()
    return Case(op, (x,), gives=x[0])


@sound
def view_with_a_formula(host: Host) -> Case:
    def setup_context(ctx, inputs, output):
        ctx.sizes = inputs[0].shape

    def backward(ctx, grad):
        whole = grad.new_zeros(ctx.sizes)
        whole[0] = grad
        return whole

    op = host.define(
        "view_with_a_formula(Tensor(a) x) -> Tensor(a)",
        lambda x: x.select(0, 0),
        fake=lambda x: x.select(0, 0),
        backward=backward,
        setup_context=setup_context,
    )
    x = host.matrix(requires_grad=True)
    return Case(op, (x,), gives=x.detach()[0])


@sound
def view_in_cpp(host: Host) -> Case:
    op = binary_operator("mutation", "first_row")
    x = host.matrix()
    return Case(op, (x,), gives=x[0])

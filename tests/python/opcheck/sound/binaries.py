"""Operators in C++."""

import opwright as ow

from ..host import Host, binary_operator
from .case import Case, sound


@sound
def row_sums(host: Host) -> Case:
    x = host.matrix(requires_grad=True)
    return Case(binary_operator("sound", "row_sums"), (x,), gives=x.detach().sum(1))


@sound
def parallel_double(host: Host) -> Case:
    x = host.matrix()
    return Case(binary_operator("sound", "parallel_double"), (x,), gives=x * 2)


@sound
def block_sum(host: Host) -> Case:
    x = host.matrix()
    return Case(binary_operator("sound", "block_sum"), (x,), gives=x.sum())


@sound
def windowed(host: Host) -> Case:
    x = host.matrix()
    window = ow.tensor([0.25, 0.5, 0.75, 1.0])
    return Case(binary_operator("sound", "windowed"), (x,), gives=x * window)


@sound
def sine_and_cosine(host: Host) -> Case:
    x = host.matrix(requires_grad=True)
    op = binary_operator("sound", "sine_and_cosine")
    return Case(op, (x,), gives=(x.detach().sin(), x.detach().cos()))


@sound
def multiply_in_place(host: Host) -> Case:
    x, y = host.matrix(), host.matrix(requires_grad=True)
    return Case(
        binary_operator("sound", "multiply_"),
        (x, y),
        gives=x * y.detach(),
        leaves={0: x * y.detach()},
    )


@sound
def ripple(host: Host) -> Case:
    x = host.matrix(requires_grad=True)
    return Case(binary_operator("formulas", "ripple"), (x,), gives=x.detach() * x.detach().sin())


@sound
def blend_in_place(host: Host) -> Case:
    x, y = host.matrix(), host.matrix(requires_grad=True)
    return Case(binary_operator("formulas", "blend_"), (x, y), leaves={0: (x + 1) * y.detach()})

"""Programs from three numbers to three, each with its closed form in torch."""

import os
from collections.abc import Callable
from pathlib import Path

import opwright as ow
import torch
from opwright import Tensor, library

ROOT = Path(__file__).resolve().parents[3]
BUILD = Path(os.environ.get("OPWRIGHT_BUILD", ROOT / "build/release"))
ow.load_library(BUILD / "operators" / "libformulas.so")


@library.custom_op("orders::cube", mutates_args=())
def cube(x: Tensor) -> Tensor:
    return x * x * x


cube.register_fake(ow.empty_like)
cube.register_autograd(
    lambda ctx, g: g * 3 * ctx.saved_tensors[0] ** 2,
    setup_context=lambda ctx, inputs, output: ctx.save_for_backward(inputs[0]),
)
cube.register_vmap(lambda info, in_dims, x: (cube(x), in_dims[0]))


@library.custom_op("orders::scale", mutates_args=(), tags=(library.Tag.pointwise,))
def scale(x: Tensor, y: Tensor) -> Tensor:
    return x * y


scale.register_fake(lambda x, y: ow.empty_like(x))
scale.register_autograd(
    lambda ctx, g: (g * ctx.saved_tensors[1], g * ctx.saved_tensors[0]),
    setup_context=lambda ctx, inputs, output: ctx.save_for_backward(*inputs),
)


@library.custom_op("orders::triple_", mutates_args={"x"})
def triple_(x: Tensor) -> None:
    x.mul_(3)


triple_.register_autograd(lambda ctx, g: 3 * g)


@library.custom_op("orders::square_", mutates_args={"x"})
def square_(x: Tensor) -> None:
    x.mul_(x)


square_.register_autograd(
    lambda ctx, g: 2 * g * ctx.saved_tensors[0],
    setup_context=lambda ctx, inputs, output: ctx.save_for_backward(inputs[0]),
    keep_old=("x",),
)


def call_triple(x):
    y = x * x
    triple_(y[1:])
    return y * x


def call_square(x):
    y = x.sin()
    square_(y)
    return y + x


def call_blend(x):
    y = x * 2
    ow.ops.formulas.blend_(y[:2], x[1:])
    return y * y


def blend_in_torch(x):
    y = x * 2
    return torch.cat([y[:2] * x[1:] + x[1:], y[2:]]) ** 2


def write_to_a_view(x):
    y = x * 1
    y[0].mul_(x[1])
    y[1:].add_(x[0].sin())
    return y * y


def view_in_torch(x):
    return torch.stack([x[0] * x[1], x[1] + x[0].sin(), x[2] + x[0].sin()]) ** 2


# Each with its closed form.
PROGRAMS: dict[str, tuple[Callable, Callable]] = {
    "operator in Python": (lambda x: cube(x.sin()), lambda x: x.sin() ** 3),
    "pointwise operator in Python": (lambda x: scale(x, x.exp()), lambda x: x * x.exp()),
    "operator in C++": (lambda x: ow.ops.formulas.ripple(x) * x, lambda x: x * x * x.sin()),
    "writing operator": (call_triple, lambda x: x**3 * torch.tensor([1.0, 3.0, 3.0])),
    "writing operator that keeps its input": (call_square, lambda x: x.sin() ** 2 + x),
    "writing operator in C++": (call_blend, blend_in_torch),
    "write to a view": (write_to_a_view, view_in_torch),
    "composites": (lambda x: ow.softmax(x * x, 0), lambda x: torch.softmax(x * x, 0)),
    "matrix product": (
        lambda x: (ow.outer(x, x) @ x).sin(),
        lambda x: (torch.outer(x, x) @ x).sin(),
    ),
    "reduction": (
        lambda x: x * x.logsumexp(0) + (x * x).mean(),
        lambda x: x * x.logsumexp(0) + (x * x).mean(),
    ),
    "views": (
        lambda x: ow.cat([x[1:], x[:1] * x[2]]) * x.flip(0),
        lambda x: torch.cat([x[1:], x[:1] * x[2]]) * x.flip(0),
    ),
    "choice": (
        lambda x: ow.where(x > 1, x**3, x.cos()) * x.clamp(max=2),
        lambda x: torch.where(x > 1, x**3, x.cos()) * x.clamp(max=2),
    ),
    "scan": (lambda x: x.cumsum(0) * x.exp(), lambda x: x.cumsum(0) * x.exp()),
}

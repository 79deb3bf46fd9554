"""samples_python::...: operators that are made in Python with opwright.library, for torch's
referees: kernels over NumPy, rules over opwright's functions."""

import numpy as np
import opwright as ow
import torch
from opwright.library import custom_op

from .samples import NO_BATCHES, NO_FORMULA, Sample, matrices, matrix, vector


@custom_op("samples_python::gain", mutates_args=(), tags="pointwise")
def gain(x: ow.Tensor, factor: float = 2.0) -> ow.Tensor:
    return ow.from_numpy(np.array(x.numpy() * x.numpy().dtype.type(factor), order="C"))


@gain.register_fake
def _(x, factor):
    return x.new_empty(x.shape)


def save_factor(ctx, inputs, output):
    _, ctx.factor = inputs


gain.register_autograd(lambda ctx, grad: (grad * ctx.factor, None), setup_context=save_factor)


@custom_op("samples_python::product", mutates_args=())
def product(x: ow.Tensor, y: ow.Tensor) -> ow.Tensor:
    return ow.from_numpy(np.array(x.numpy() * y.numpy(), order="C"))


@product.register_fake
def _(x, y):
    return ow.empty_like(x, memory_format=ow.contiguous_format)


def save_both(ctx, inputs, output):
    ctx.save_for_backward(*inputs)


def product_backward(ctx, grad):
    x, y = ctx.saved_tensors
    return grad * y, grad * x


product.register_autograd(product_backward, setup_context=save_both)


@product.register_vmap
def _(info, in_dims, x, y):
    x, y = (
        value.unsqueeze(0) if dim is None else value.movedim(dim, 0)
        for value, dim in zip((x, y), in_dims, strict=True)
    )
    return x * y, 0


@custom_op("samples_python::sort_rows", mutates_args=())
def sort_rows(x: ow.Tensor) -> tuple[ow.Tensor, ow.Tensor]:
    order = np.argsort(x.numpy(), axis=1, kind="stable")
    return ow.from_numpy(np.take_along_axis(x.numpy(), order, axis=1)), ow.from_numpy(order)


@sort_rows.register_fake
def _(x):
    return x.new_empty(x.shape), ow.empty_like(
        x, dtype=ow.int64, memory_format=ow.contiguous_format
    )


@custom_op("samples_python::peaks", mutates_args=())
def peaks(x: ow.Tensor, limit: float) -> ow.Tensor:
    return ow.from_numpy(np.flatnonzero(x.numpy() > limit))


@peaks.register_fake
def _(x, limit):
    return ow.empty(ow.library.get_ctx().new_dynamic_size(), dtype=ow.int64, device=x.device)


@custom_op("samples_python::normalize_", mutates_args=("x",))
def normalize_(x: ow.Tensor, peak: float = 1.0) -> None:
    values = x.numpy()
    values *= peak / max(float(np.abs(values).max()), 1e-6)


@custom_op("samples_python::layer", mutates_args=())
def layer(xs: list[ow.Tensor], weight: ow.Tensor | None, mode: str) -> ow.Tensor:
    if not xs:
        raise ValueError("layer: xs must hold a tensor")
    total = sum(x.numpy() for x in xs)
    total = total if weight is None else total * weight.numpy()
    return ow.from_numpy(np.array(total if mode == "plain" else -total, order="C"))


@layer.register_fake
def _(xs, weight, mode):
    return xs[0].new_empty(xs[0].shape)


def normalize_reference(x: torch.Tensor) -> None:
    x.mul_(3.0 / x.abs().max().clamp(min=1e-6))


OPERATORS = [gain, product, sort_rows, peaks, normalize_, layer]
FROM_PYTHON = [
    Sample(
        "samples_python::gain", matrix, lambda x: x * 3.0, lambda op, x: op(x, 3.0), trains=True
    ),
    Sample("samples_python::product", matrices, lambda x, y: x * y, trains=True),
    Sample(
        "samples_python::sort_rows",
        matrix,
        lambda x: tuple(x.sort(dim=1, stable=True)),
        without={"gradients": NO_FORMULA},
    ),
    Sample(
        "samples_python::peaks",
        vector,
        lambda x: torch.nonzero(x > 0.25).squeeze(1),
        lambda op, x: op(x, 0.25),
        without={"gradients": "its result is not floating", "vmap": NO_BATCHES},
    ),
    Sample(
        "samples_python::normalize_",
        matrix,
        normalize_reference,
        lambda op, x: op(x, 3.0),
        without={"gradients": NO_FORMULA},
    ),
    Sample(
        "samples_python::layer",
        matrices,
        lambda x, y: -(x + y) * y,
        lambda op, x, y: op([x, y], y, "negative"),
        without={"gradients": NO_FORMULA},
    ),
]

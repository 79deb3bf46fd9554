"""Pooling with indices, its inverse, and pooling of other kinds: fractional and of powers."""

from collections.abc import Callable, Sequence
from typing import Any

import opwright as ow

from ... import Tensor, ops
from ..types import SizeLike, repeat
from .pooling import avg_pool1d, avg_pool2d, avg_pool3d, max_pool1d, max_pool2d, max_pool3d

__all__ = [
    "fractional_max_pool2d",
    "fractional_max_pool2d_with_indices",
    "fractional_max_pool3d",
    "fractional_max_pool3d_with_indices",
    "lp_pool1d",
    "lp_pool2d",
    "lp_pool3d",
    "max_unpool1d",
    "max_unpool2d",
    "max_unpool3d",
]


def _fractional_pool(
    input: Tensor,
    kernel_size: SizeLike,
    output_size: SizeLike | None,
    output_ratio: float | tuple[float, ...] | None,
    samples: Tensor | None,
    count: int,
) -> tuple[Tensor, Tensor]:
    who = f"fractional_max_pool{count}d"
    if (output_size is None) == (output_ratio is None):
        raise ValueError(f"{who}: give either output_size or output_ratio")
    if input.ndim not in (count + 1, count + 2):
        raise RuntimeError(
            f"{who}: input must have {count + 1} or {count + 2} dimensions, got sizes "
            f"{list(input.shape)}"
        )
    if output_ratio is not None:
        ratios = repeat(output_ratio, count)
        planes = input.shape[-count:]
        output_size = tuple(int(n * ratio) for n, ratio in zip(planes, ratios, strict=True))
    if samples is None:
        batch = input.shape[0] if input.ndim == count + 2 else 1
        channels = input.shape[-count - 1]
        samples = ow.rand(batch, channels, count, dtype=input.dtype, device=input.device)
    run = getattr(ops.aten, who)
    values, indices = run(input, repeat(kernel_size, count), repeat(output_size, count), samples)
    return values, indices


def fractional_max_pool2d_with_indices(
    input: Tensor,
    kernel_size: SizeLike,
    output_size: SizeLike | None = None,
    output_ratio: float | tuple[float, ...] | None = None,
    return_indices: bool = False,
    _random_samples: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    """Return maxima of windows at random places of (N, C, H, W), and their indices.

    >>> F = ow.nn.functional
    >>> values, indices = F.fractional_max_pool2d_with_indices(ow.ones(1, 1, 5, 5), 2, 3)
    >>> indices.shape
    (1, 1, 3, 3)
    """
    return _fractional_pool(input, kernel_size, output_size, output_ratio, _random_samples, 2)


def fractional_max_pool2d(
    input: Tensor,
    kernel_size: SizeLike,
    output_size: SizeLike | None = None,
    output_ratio: float | tuple[float, ...] | None = None,
    return_indices: bool = False,
    _random_samples: Tensor | None = None,
) -> Any:
    """Return maxima of windows at random places of (N, C, H, W), which shrink it by a fraction.

    >>> ow.nn.functional.fractional_max_pool2d(ow.ones(1, 1, 5, 5), 2, output_ratio=0.6).shape
    (1, 1, 3, 3)
    """
    result = _fractional_pool(input, kernel_size, output_size, output_ratio, _random_samples, 2)
    return result if return_indices else result[0]


def fractional_max_pool3d_with_indices(
    input: Tensor,
    kernel_size: SizeLike,
    output_size: SizeLike | None = None,
    output_ratio: float | tuple[float, ...] | None = None,
    return_indices: bool = False,
    _random_samples: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    """Return maxima of windows at random places of (N, C, D, H, W), and their indices.

    >>> F = ow.nn.functional
    >>> values, indices = F.fractional_max_pool3d_with_indices(ow.ones(1, 1, 5, 5, 5), 2, 3)
    >>> indices.shape
    (1, 1, 3, 3, 3)
    """
    return _fractional_pool(input, kernel_size, output_size, output_ratio, _random_samples, 3)


def fractional_max_pool3d(
    input: Tensor,
    kernel_size: SizeLike,
    output_size: SizeLike | None = None,
    output_ratio: float | tuple[float, ...] | None = None,
    return_indices: bool = False,
    _random_samples: Tensor | None = None,
) -> Any:
    """Return maxima of windows at random places of (N, C, D, H, W), which shrink it by a fraction.

    >>> ow.nn.functional.fractional_max_pool3d(ow.ones(1, 1, 5, 5, 5), 2, output_ratio=0.6).shape
    (1, 1, 3, 3, 3)
    """
    result = _fractional_pool(input, kernel_size, output_size, output_ratio, _random_samples, 3)
    return result if return_indices else result[0]


def _power_pool(
    input: Tensor,
    norm_type: float,
    kernel_size: SizeLike,
    stride: SizeLike | None,
    ceil_mode: bool,
    count: int,
) -> Tensor:
    max_pool: Callable[..., Any] = (max_pool1d, max_pool2d, max_pool3d)[count - 1]
    avg_pool: Callable[..., Tensor] = (avg_pool1d, avg_pool2d, avg_pool3d)[count - 1]
    if norm_type == float("inf"):
        return max_pool(input.abs(), kernel_size, stride, 0, 1, ceil_mode)
    if norm_type == -float("inf"):
        return -max_pool(-input.abs(), kernel_size, stride, 0, 1, ceil_mode)
    means = avg_pool(input.pow(norm_type), kernel_size, stride, 0, ceil_mode)
    elements = 1
    for size in repeat(kernel_size, count):
        elements *= size
    # sign * relu(abs) is the mean itself, but its gradient is zero where the mean is zero.
    kept = means.sign() * means.abs().relu()
    return kept.mul(elements).pow(1.0 / norm_type)


def lp_pool1d(
    input: Tensor,
    norm_type: float,
    kernel_size: SizeLike,
    stride: SizeLike | None = None,
    ceil_mode: bool = False,
) -> Tensor:
    """Return the norm of each window of (N, C, L): (sum of x ** p) ** (1 / p).

    >>> ow.nn.functional.lp_pool1d(ow.tensor([[3.0, 4.0, 0.0, 1.0]]), 2, 2)
    tensor([[5., 1.]])
    """
    return _power_pool(input, norm_type, kernel_size, stride, ceil_mode, 1)


def lp_pool2d(
    input: Tensor,
    norm_type: float,
    kernel_size: SizeLike,
    stride: SizeLike | None = None,
    ceil_mode: bool = False,
) -> Tensor:
    """Return the norm of each window of (N, C, H, W): (sum of x ** p) ** (1 / p).

    >>> ow.nn.functional.lp_pool2d(ow.tensor([[[3.0, 4.0]]]), 2, (1, 2))
    tensor([[[5.]]])
    """
    return _power_pool(input, norm_type, kernel_size, stride, ceil_mode, 2)


def lp_pool3d(
    input: Tensor,
    norm_type: float,
    kernel_size: SizeLike,
    stride: SizeLike | None = None,
    ceil_mode: bool = False,
) -> Tensor:
    """Return the norm of each window of (N, C, D, H, W): (sum of x ** p) ** (1 / p).

    >>> ow.nn.functional.lp_pool3d(ow.tensor([[[[3.0, 4.0]]]]), 2, (1, 1, 2))
    tensor([[[[5.]]]])
    """
    return _power_pool(input, norm_type, kernel_size, stride, ceil_mode, 3)


def _unpooled_sizes(
    input: Tensor,
    kernel_size: tuple[int, ...],
    stride: tuple[int, ...],
    padding: tuple[int, ...],
    output_size: Sequence[int] | None,
) -> tuple[int, ...]:
    """Return the sizes before pooling, which several inputs of a pool share."""
    count = len(kernel_size)
    usual = tuple(
        (n - 1) * step + kernel - 2 * pad
        for n, step, kernel, pad in zip(
            input.shape[-count:], stride, kernel_size, padding, strict=True
        )
    )
    if output_size is None:
        return usual
    sizes = tuple(output_size[2:] if len(output_size) == count + 2 else output_size)
    if len(sizes) != count:
        raise ValueError(
            f"max_unpool{count}d: output_size must hold {count} or {count + 2} sizes, got "
            f"{list(output_size)}"
        )
    for size, middle, step in zip(sizes, usual, stride, strict=True):
        if not middle - step < size < middle + step:
            raise ValueError(
                f"max_unpool{count}d: no size of output_size {list(sizes)} may differ from "
                f"{list(usual)} by stride {list(stride)} or more"
            )
    return sizes


def max_unpool1d(
    input: Tensor,
    indices: Tensor,
    kernel_size: SizeLike,
    stride: SizeLike | None = None,
    padding: SizeLike = 0,
    output_size: Sequence[int] | None = None,
) -> Tensor:
    """Return zeros with the maxima of `max_pool1d` at their places.

    >>> F = ow.nn.functional
    >>> F.max_unpool1d(*F.max_pool1d(ow.tensor([[1.0, 2.0, 4.0, 3.0]]), 2, return_indices=True), 2)
    tensor([[0., 2., 4., 0.]])
    """
    kernel = repeat(kernel_size, 1)
    step = kernel if stride is None else repeat(stride, 1)
    sizes = _unpooled_sizes(input, kernel, step, repeat(padding, 1), output_size)
    rows = ops.aten.max_unpool2d(input.unsqueeze(-1), indices.unsqueeze(-1), (*sizes, 1))
    return rows.squeeze(-1)


def max_unpool2d(
    input: Tensor,
    indices: Tensor,
    kernel_size: SizeLike,
    stride: SizeLike | None = None,
    padding: SizeLike = 0,
    output_size: Sequence[int] | None = None,
) -> Tensor:
    """Return zeros with the maxima of `max_pool2d` at their places.

    >>> F = ow.nn.functional
    >>> x = ow.tensor([[[1.0, 2.0], [4.0, 3.0]]])
    >>> F.max_unpool2d(*F.max_pool2d(x, 2, return_indices=True), 2)
    tensor([[[0., 0.],
             [4., 0.]]])
    """
    kernel = repeat(kernel_size, 2)
    step = kernel if stride is None else repeat(stride, 2)
    sizes = _unpooled_sizes(input, kernel, step, repeat(padding, 2), output_size)
    return ops.aten.max_unpool2d(input, indices, sizes)


def max_unpool3d(
    input: Tensor,
    indices: Tensor,
    kernel_size: SizeLike,
    stride: SizeLike | None = None,
    padding: SizeLike = 0,
    output_size: Sequence[int] | None = None,
) -> Tensor:
    """Return zeros with the maxima of `max_pool3d` at their places.

    >>> F = ow.nn.functional
    >>> values, indices = F.max_pool3d(ow.ones(1, 2, 2, 2), 2, return_indices=True)
    >>> F.max_unpool3d(values, indices, 2).sum()
    tensor(1.)
    """
    kernel = repeat(kernel_size, 3)
    step = kernel if stride is None else repeat(stride, 3)
    pads = repeat(padding, 3)
    sizes = _unpooled_sizes(input, kernel, step, pads, output_size)
    return ops.aten.max_unpool3d(input, indices, sizes, step, pads)

"""Pooling: the mean or the maximum of each window."""

from collections.abc import Callable
from typing import Any

from ... import Tensor, ops
from ..types import OptionalSizeLike, SizeLike, repeat

__all__ = [
    "adaptive_avg_pool1d",
    "adaptive_avg_pool2d",
    "adaptive_avg_pool3d",
    "adaptive_max_pool1d",
    "adaptive_max_pool1d_with_indices",
    "adaptive_max_pool2d",
    "adaptive_max_pool2d_with_indices",
    "adaptive_max_pool3d",
    "adaptive_max_pool3d_with_indices",
    "avg_pool1d",
    "avg_pool2d",
    "avg_pool3d",
    "max_pool1d",
    "max_pool1d_with_indices",
    "max_pool2d",
    "max_pool2d_with_indices",
    "max_pool3d",
    "max_pool3d_with_indices",
]


def _stride(stride: SizeLike | None) -> SizeLike | tuple[()]:
    return () if stride is None else stride


def _output_sizes(input: Tensor, output_size: OptionalSizeLike, count: int) -> list[int]:
    """Return the sizes of an adaptive pool, where None keeps the size of the input."""
    given = repeat(output_size, count)
    kept = input.shape[-count:]
    return [old if new is None else new for new, old in zip(given, kept, strict=True)]


def _max_pool(
    run: Callable[..., Any],
    run_with_indices: Callable[..., Any],
    return_indices: bool,
    input: Tensor,
    *args: Any,
) -> Any:
    return tuple(run_with_indices(input, *args)) if return_indices else run(input, *args)


def avg_pool1d(
    input: Tensor,
    kernel_size: SizeLike,
    stride: SizeLike | None = None,
    padding: SizeLike = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Tensor:
    """Return the mean of each window of (N, C, L); the stride defaults to the window size.

    >>> ow.nn.functional.avg_pool1d(ow.arange(4.0).reshape(1, 1, 4), 2)
    tensor([[[0.5000, 2.5000]]])
    """
    return ops.aten.avg_pool1d(
        input, kernel_size, _stride(stride), padding, ceil_mode, count_include_pad
    )


def avg_pool2d(
    input: Tensor,
    kernel_size: SizeLike,
    stride: SizeLike | None = None,
    padding: SizeLike = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Tensor:
    """Return the mean of each window of (N, C, H, W); the stride defaults to the window size.

    >>> ow.nn.functional.avg_pool2d(ow.arange(4.0).reshape(1, 1, 1, 4), (1, 2))
    tensor([[[[0.5000, 2.5000]]]])
    """
    return ops.aten.avg_pool2d(
        input, kernel_size, _stride(stride), padding, ceil_mode, count_include_pad, divisor_override
    )


def avg_pool3d(
    input: Tensor,
    kernel_size: SizeLike,
    stride: SizeLike | None = None,
    padding: SizeLike = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Tensor:
    """Return the mean of each window of (N, C, D, H, W); the stride defaults to the window size.

    >>> ow.nn.functional.avg_pool3d(ow.arange(4.0).reshape(1, 1, 1, 1, 4), (1, 1, 2))
    tensor([[[[[0.5000, 2.5000]]]]])
    """
    return ops.aten.avg_pool3d(
        input, kernel_size, _stride(stride), padding, ceil_mode, count_include_pad, divisor_override
    )


def max_pool1d(
    input: Tensor,
    kernel_size: SizeLike,
    stride: SizeLike | None = None,
    padding: SizeLike = 0,
    dilation: SizeLike = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """Return the maximum of each window of (N, C, L), and its index with `return_indices`.

    >>> ow.nn.functional.max_pool1d(ow.arange(4.0).reshape(1, 1, 4), 2)
    tensor([[[1., 3.]]])
    """
    return _max_pool(
        ops.aten.max_pool1d,
        ops.aten.max_pool1d_with_indices,
        return_indices,
        input,
        kernel_size,
        _stride(stride),
        padding,
        dilation,
        ceil_mode,
    )


def max_pool2d(
    input: Tensor,
    kernel_size: SizeLike,
    stride: SizeLike | None = None,
    padding: SizeLike = 0,
    dilation: SizeLike = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """Return the maximum of each window of (N, C, H, W), and its index with `return_indices`.

    >>> ow.nn.functional.max_pool2d(ow.arange(4.0).reshape(1, 1, 1, 4), (1, 2))
    tensor([[[[1., 3.]]]])
    """
    return _max_pool(
        ops.aten.max_pool2d,
        ops.aten.max_pool2d_with_indices,
        return_indices,
        input,
        kernel_size,
        _stride(stride),
        padding,
        dilation,
        ceil_mode,
    )


def max_pool3d(
    input: Tensor,
    kernel_size: SizeLike,
    stride: SizeLike | None = None,
    padding: SizeLike = 0,
    dilation: SizeLike = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """Return the maximum of each window of (N, C, D, H, W), and its index with `return_indices`.

    >>> ow.nn.functional.max_pool3d(ow.arange(4.0).reshape(1, 1, 1, 1, 4), (1, 1, 2))
    tensor([[[[[1., 3.]]]]])
    """
    return _max_pool(
        ops.aten.max_pool3d,
        ops.aten.max_pool3d_with_indices,
        return_indices,
        input,
        kernel_size,
        _stride(stride),
        padding,
        dilation,
        ceil_mode,
    )


def adaptive_avg_pool1d(input: Tensor, output_size: OptionalSizeLike) -> Tensor:
    """Return means of (N, C, L) over windows that yield the output size.

    >>> ow.nn.functional.adaptive_avg_pool1d(ow.arange(4.0).reshape(1, 1, 4), 2)
    tensor([[[0.5000, 2.5000]]])
    """
    return ops.aten.adaptive_avg_pool1d(input, _output_sizes(input, output_size, 1))


def adaptive_avg_pool2d(input: Tensor, output_size: OptionalSizeLike) -> Tensor:
    """Return means of (N, C, H, W) over windows that yield the output size.

    >>> ow.nn.functional.adaptive_avg_pool2d(ow.arange(4.0).reshape(1, 1, 1, 4), (1, 2))
    tensor([[[[0.5000, 2.5000]]]])
    """
    return ops.aten.adaptive_avg_pool2d(input, _output_sizes(input, output_size, 2))


def adaptive_avg_pool3d(input: Tensor, output_size: OptionalSizeLike) -> Tensor:
    """Return means of (N, C, D, H, W) over windows that yield the output size.

    >>> ow.nn.functional.adaptive_avg_pool3d(ow.arange(4.0).reshape(1, 1, 1, 1, 4), (1, 1, 2))
    tensor([[[[[0.5000, 2.5000]]]]])
    """
    return ops.aten.adaptive_avg_pool3d(input, _output_sizes(input, output_size, 3))


def adaptive_max_pool1d(
    input: Tensor, output_size: OptionalSizeLike, return_indices: bool = False
) -> Any:
    """Return maxima of (N, C, L) over windows that yield the output size.

    >>> ow.nn.functional.adaptive_max_pool1d(ow.arange(4.0).reshape(1, 1, 4), 2)
    tensor([[[1., 3.]]])
    """
    result = ops.aten.adaptive_max_pool1d(input, _output_sizes(input, output_size, 1))
    return tuple(result) if return_indices else result[0]


def adaptive_max_pool2d(
    input: Tensor, output_size: OptionalSizeLike, return_indices: bool = False
) -> Any:
    """Return maxima of (N, C, H, W) over windows that yield the output size.

    >>> ow.nn.functional.adaptive_max_pool2d(ow.arange(4.0).reshape(1, 1, 1, 4), (1, 2))
    tensor([[[[1., 3.]]]])
    """
    result = ops.aten.adaptive_max_pool2d(input, _output_sizes(input, output_size, 2))
    return tuple(result) if return_indices else result[0]


def adaptive_max_pool3d(
    input: Tensor, output_size: OptionalSizeLike, return_indices: bool = False
) -> Any:
    """Return maxima of (N, C, D, H, W) over windows that yield the output size.

    >>> ow.nn.functional.adaptive_max_pool3d(ow.arange(4.0).reshape(1, 1, 1, 1, 4), (1, 1, 2))
    tensor([[[[[1., 3.]]]]])
    """
    result = ops.aten.adaptive_max_pool3d(input, _output_sizes(input, output_size, 3))
    return tuple(result) if return_indices else result[0]


def max_pool1d_with_indices(
    input: Tensor,
    kernel_size: SizeLike,
    stride: SizeLike | None = None,
    padding: SizeLike = 0,
    dilation: SizeLike = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """Return the maximum of each window of (N, C, L), and its index.

    >>> x = ow.arange(4.0).reshape(1, 1, 4)
    >>> ow.nn.functional.max_pool1d_with_indices(x, 2)[1].flatten()
    tensor([1, 3])
    """
    return max_pool1d(input, kernel_size, stride, padding, dilation, ceil_mode, True)


def max_pool2d_with_indices(
    input: Tensor,
    kernel_size: SizeLike,
    stride: SizeLike | None = None,
    padding: SizeLike = 0,
    dilation: SizeLike = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """Return the maximum of each window of (N, C, H, W), and its index.

    >>> x = ow.arange(4.0).reshape(1, 1, 1, 4)
    >>> ow.nn.functional.max_pool2d_with_indices(x, (1, 2))[1].flatten()
    tensor([1, 3])
    """
    return max_pool2d(input, kernel_size, stride, padding, dilation, ceil_mode, True)


def max_pool3d_with_indices(
    input: Tensor,
    kernel_size: SizeLike,
    stride: SizeLike | None = None,
    padding: SizeLike = 0,
    dilation: SizeLike = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """Return the maximum of each window of (N, C, D, H, W), and its index.

    >>> x = ow.arange(4.0).reshape(1, 1, 1, 1, 4)
    >>> ow.nn.functional.max_pool3d_with_indices(x, (1, 1, 2))[1].flatten()
    tensor([1, 3])
    """
    return max_pool3d(input, kernel_size, stride, padding, dilation, ceil_mode, True)


def adaptive_max_pool1d_with_indices(
    input: Tensor, output_size: OptionalSizeLike, return_indices: bool = False
) -> Any:
    """Return maxima of (N, C, L) over windows that yield the output size, and their indices.

    >>> x = ow.arange(4.0).reshape(1, 1, 4)
    >>> F = ow.nn.functional
    >>> F.adaptive_max_pool1d_with_indices(x, 2)[1].flatten()
    tensor([1, 3])
    """
    return adaptive_max_pool1d(input, output_size, True)


def adaptive_max_pool2d_with_indices(
    input: Tensor, output_size: OptionalSizeLike, return_indices: bool = False
) -> Any:
    """Return maxima of (N, C, H, W) over windows that yield the output size, and their indices.

    >>> x = ow.arange(4.0).reshape(1, 1, 1, 4)
    >>> F = ow.nn.functional
    >>> F.adaptive_max_pool2d_with_indices(x, (1, 2))[1].flatten()
    tensor([1, 3])
    """
    return adaptive_max_pool2d(input, output_size, True)


def adaptive_max_pool3d_with_indices(
    input: Tensor, output_size: OptionalSizeLike, return_indices: bool = False
) -> Any:
    """Return maxima of (N, C, D, H, W) over windows that yield the output size, and their indices.

    >>> x = ow.arange(4.0).reshape(1, 1, 1, 1, 4)
    >>> F = ow.nn.functional
    >>> F.adaptive_max_pool3d_with_indices(x, (1, 1, 2))[1].flatten()
    tensor([1, 3])
    """
    return adaptive_max_pool3d(input, output_size, True)

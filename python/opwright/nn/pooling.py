"""Pooling layers."""

from __future__ import annotations

from typing import Any

from .. import Tensor
from . import functional as F
from .module import Module
from .types import OptionalSizeLike, Size1, Size2, Size3, SizeLike, repeat

__all__ = [
    "AdaptiveAvgPool1d",
    "AdaptiveAvgPool2d",
    "AdaptiveAvgPool3d",
    "AdaptiveMaxPool1d",
    "AdaptiveMaxPool2d",
    "AdaptiveMaxPool3d",
    "AvgPool1d",
    "AvgPool2d",
    "AvgPool3d",
    "MaxPool1d",
    "MaxPool2d",
    "MaxPool3d",
]


class _MaxPool(Module):
    def __init__(
        self,
        kernel_size: SizeLike,
        stride: SizeLike | None = None,
        padding: SizeLike = 0,
        dilation: SizeLike = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding = padding
        self.dilation = dilation
        self.return_indices = return_indices
        self.ceil_mode = ceil_mode

    def _arguments(self) -> tuple[Any, ...]:
        return (
            self.kernel_size,
            self.stride,
            self.padding,
            self.dilation,
            self.ceil_mode,
            self.return_indices,
        )

    def extra_repr(self) -> str:
        return (
            f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}, "
            f"dilation={self.dilation}, ceil_mode={self.ceil_mode}"
        )


class _AveragePool(Module):
    kernel_size: SizeLike
    stride: SizeLike
    padding: SizeLike

    def extra_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class _AdaptiveAveragePool(Module):
    def __init__(self, output_size: OptionalSizeLike) -> None:
        super().__init__()
        self.output_size = output_size

    def extra_repr(self) -> str:
        return f"output_size={self.output_size}"


class _AdaptiveMaxPool(Module):
    def __init__(self, output_size: OptionalSizeLike, return_indices: bool = False) -> None:
        super().__init__()
        self.output_size = output_size
        self.return_indices = return_indices

    def extra_repr(self) -> str:
        return f"output_size={self.output_size}"


class MaxPool1d(_MaxPool):
    """The maximum of each window of (N, C, L).

    >>> ow.nn.MaxPool1d(2)(ow.ones(1, 1, 4)).shape
    (1, 1, 2)
    """

    def forward(self, input: Tensor) -> Any:
        return F.max_pool1d(input, *self._arguments())


class MaxPool2d(_MaxPool):
    """The maximum of each window of (N, C, H, W).

    >>> ow.nn.MaxPool2d(2)(ow.ones(1, 1, 4, 4)).shape
    (1, 1, 2, 2)
    """

    def forward(self, input: Tensor) -> Any:
        return F.max_pool2d(input, *self._arguments())


class MaxPool3d(_MaxPool):
    """The maximum of each window of (N, C, D, H, W).

    >>> ow.nn.MaxPool3d(2)(ow.ones(1, 1, 4, 4, 4)).shape
    (1, 1, 2, 2, 2)
    """

    def forward(self, input: Tensor) -> Any:
        return F.max_pool3d(input, *self._arguments())


class AvgPool1d(_AveragePool):
    """The mean of each window of (N, C, L).

    >>> ow.nn.AvgPool1d(2)(ow.ones(1, 1, 4))
    tensor([[[1., 1.]]])
    """

    def __init__(
        self,
        kernel_size: Size1,
        stride: Size1 | None = None,
        padding: Size1 = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
    ) -> None:
        super().__init__()
        self.kernel_size = repeat(kernel_size, 1)
        self.stride = repeat(kernel_size if stride is None else stride, 1)
        self.padding = repeat(padding, 1)
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad

    def forward(self, input: Tensor) -> Tensor:
        return F.avg_pool1d(
            input,
            self.kernel_size,
            self.stride,
            self.padding,
            self.ceil_mode,
            self.count_include_pad,
        )


class AvgPool2d(_AveragePool):
    """The mean of each window of (N, C, H, W).

    >>> ow.nn.AvgPool2d(2)(ow.ones(1, 1, 4, 4)).shape
    (1, 1, 2, 2)
    """

    def __init__(
        self,
        kernel_size: Size2,
        stride: Size2 | None = None,
        padding: Size2 = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding = padding
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad
        self.divisor_override = divisor_override

    def forward(self, input: Tensor) -> Tensor:
        return F.avg_pool2d(
            input,
            self.kernel_size,
            self.stride,
            self.padding,
            self.ceil_mode,
            self.count_include_pad,
            self.divisor_override,
        )


class AvgPool3d(_AveragePool):
    """The mean of each window of (N, C, D, H, W).

    >>> ow.nn.AvgPool3d(2)(ow.ones(1, 1, 4, 4, 4)).shape
    (1, 1, 2, 2, 2)
    """

    def __init__(
        self,
        kernel_size: Size3,
        stride: Size3 | None = None,
        padding: Size3 = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding = padding
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad
        self.divisor_override = divisor_override

    def forward(self, input: Tensor) -> Tensor:
        return F.avg_pool3d(
            input,
            self.kernel_size,
            self.stride,
            self.padding,
            self.ceil_mode,
            self.count_include_pad,
            self.divisor_override,
        )


class AdaptiveAvgPool1d(_AdaptiveAveragePool):
    """Means of (N, C, L) over windows that yield the output size.

    >>> ow.nn.AdaptiveAvgPool1d(2)(ow.ones(1, 1, 5)).shape
    (1, 1, 2)
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.adaptive_avg_pool1d(input, self.output_size)


class AdaptiveAvgPool2d(_AdaptiveAveragePool):
    """Means of (N, C, H, W) over windows that yield the output size.

    >>> ow.nn.AdaptiveAvgPool2d(2)(ow.ones(1, 1, 5, 5)).shape
    (1, 1, 2, 2)
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.adaptive_avg_pool2d(input, self.output_size)


class AdaptiveAvgPool3d(_AdaptiveAveragePool):
    """Means of (N, C, D, H, W) over windows that yield the output size.

    >>> ow.nn.AdaptiveAvgPool3d(2)(ow.ones(1, 1, 5, 5, 5)).shape
    (1, 1, 2, 2, 2)
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.adaptive_avg_pool3d(input, self.output_size)


class AdaptiveMaxPool1d(_AdaptiveMaxPool):
    """Maxima of (N, C, L) over windows that yield the output size.

    >>> ow.nn.AdaptiveMaxPool1d(2)(ow.ones(1, 1, 5)).shape
    (1, 1, 2)
    """

    def forward(self, input: Tensor) -> Any:
        return F.adaptive_max_pool1d(input, self.output_size, self.return_indices)


class AdaptiveMaxPool2d(_AdaptiveMaxPool):
    """Maxima of (N, C, H, W) over windows that yield the output size.

    >>> ow.nn.AdaptiveMaxPool2d(2)(ow.ones(1, 1, 5, 5)).shape
    (1, 1, 2, 2)
    """

    def forward(self, input: Tensor) -> Any:
        return F.adaptive_max_pool2d(input, self.output_size, self.return_indices)


class AdaptiveMaxPool3d(_AdaptiveMaxPool):
    """Maxima of (N, C, D, H, W) over windows that yield the output size.

    >>> ow.nn.AdaptiveMaxPool3d(2)(ow.ones(1, 1, 5, 5, 5)).shape
    (1, 1, 2, 2, 2)
    """

    def forward(self, input: Tensor) -> Any:
        return F.adaptive_max_pool3d(input, self.output_size, self.return_indices)

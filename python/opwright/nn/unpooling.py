"""Layers of pooling with indices, of its inverse, and of fractional and power pooling."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import Tensor
from . import functional as F
from .module import Module
from .types import Size1, Size2, Size3, SizeLike, repeat

__all__ = [
    "FractionalMaxPool2d",
    "FractionalMaxPool3d",
    "LPPool1d",
    "LPPool2d",
    "LPPool3d",
    "MaxUnpool1d",
    "MaxUnpool2d",
    "MaxUnpool3d",
]


class _MaxUnpool(Module):
    kernel_size: tuple[int, ...]
    stride: tuple[int, ...]
    padding: tuple[int, ...]

    def _set_windows(
        self, kernel_size: SizeLike, stride: SizeLike | None, padding: SizeLike, count: int
    ) -> None:
        self.kernel_size = repeat(kernel_size, count)
        self.stride = repeat(kernel_size if stride is None else stride, count)
        self.padding = repeat(padding, count)

    def extra_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class MaxUnpool1d(_MaxUnpool):
    """Zeros with the maxima of MaxPool1d at their places.

    >>> x = ow.tensor([[1.0, 2.0, 4.0, 3.0]])
    >>> ow.nn.MaxUnpool1d(2)(*ow.nn.MaxPool1d(2, return_indices=True)(x))
    tensor([[0., 2., 4., 0.]])
    """

    def __init__(self, kernel_size: Size1, stride: Size1 | None = None, padding: Size1 = 0) -> None:
        super().__init__()
        self._set_windows(kernel_size, stride, padding, 1)

    def forward(
        self, input: Tensor, indices: Tensor, output_size: Sequence[int] | None = None
    ) -> Tensor:
        return F.max_unpool1d(
            input, indices, self.kernel_size, self.stride, self.padding, output_size
        )


class MaxUnpool2d(_MaxUnpool):
    """Zeros with the maxima of MaxPool2d at their places.

    >>> values, indices = ow.nn.MaxPool2d(2, return_indices=True)(ow.ones(1, 4, 4))
    >>> ow.nn.MaxUnpool2d(2)(values, indices).shape
    (1, 4, 4)
    """

    def __init__(self, kernel_size: Size2, stride: Size2 | None = None, padding: Size2 = 0) -> None:
        super().__init__()
        self._set_windows(kernel_size, stride, padding, 2)

    def forward(
        self, input: Tensor, indices: Tensor, output_size: Sequence[int] | None = None
    ) -> Tensor:
        return F.max_unpool2d(
            input, indices, self.kernel_size, self.stride, self.padding, output_size
        )


class MaxUnpool3d(_MaxUnpool):
    """Zeros with the maxima of MaxPool3d at their places.

    >>> values, indices = ow.nn.MaxPool3d(2, return_indices=True)(ow.ones(1, 4, 4, 4))
    >>> ow.nn.MaxUnpool3d(2)(values, indices).shape
    (1, 4, 4, 4)
    """

    def __init__(self, kernel_size: Size3, stride: Size3 | None = None, padding: Size3 = 0) -> None:
        super().__init__()
        self._set_windows(kernel_size, stride, padding, 3)

    def forward(
        self, input: Tensor, indices: Tensor, output_size: Sequence[int] | None = None
    ) -> Tensor:
        return F.max_unpool3d(
            input, indices, self.kernel_size, self.stride, self.padding, output_size
        )


class _FractionalMaxPool(Module):
    _random_samples: Tensor | None

    def _set_windows(
        self,
        kernel_size: SizeLike,
        output_size: SizeLike | None,
        output_ratio: float | tuple[float, ...] | None,
        samples: Tensor | None,
        count: int,
    ) -> None:
        who = type(self).__name__
        self.kernel_size = repeat(kernel_size, count)
        if min(self.kernel_size) <= 0:
            raise ValueError(f"{who}: kernel_size must be positive, got {kernel_size}")
        if (output_size is None) == (output_ratio is None):
            raise ValueError(f"{who}: give either output_size or output_ratio")
        self.register_buffer("_random_samples", samples)
        self.output_size = None if output_size is None else repeat(output_size, count)
        self.output_ratio = None if output_ratio is None else repeat(output_ratio, count)
        if self.output_ratio and not all(0 < ratio < 1 for ratio in self.output_ratio):
            raise ValueError(f"{who}: output_ratio must be between 0 and 1, got {output_ratio}")


class FractionalMaxPool2d(_FractionalMaxPool):
    """The maxima of windows at random places of (N, C, H, W), which shrink it by a fraction.

    >>> ow.nn.FractionalMaxPool2d(2, output_size=3)(ow.ones(1, 1, 5, 5)).shape
    (1, 1, 3, 3)
    """

    def __init__(
        self,
        kernel_size: Size2,
        output_size: Size2 | None = None,
        output_ratio: float | tuple[float, float] | None = None,
        return_indices: bool = False,
        _random_samples: Tensor | None = None,
    ) -> None:
        super().__init__()
        self.return_indices = return_indices
        self._set_windows(kernel_size, output_size, output_ratio, _random_samples, 2)

    def forward(self, input: Tensor) -> Any:
        return F.fractional_max_pool2d(
            input,
            self.kernel_size,
            self.output_size,
            self.output_ratio,
            self.return_indices,
            _random_samples=self._random_samples,
        )


class FractionalMaxPool3d(_FractionalMaxPool):
    """The maxima of windows at random places of (N, C, D, H, W), which shrink it by a fraction.

    >>> ow.nn.FractionalMaxPool3d(2, output_ratio=0.6)(ow.ones(1, 1, 5, 5, 5)).shape
    (1, 1, 3, 3, 3)
    """

    def __init__(
        self,
        kernel_size: Size3,
        output_size: Size3 | None = None,
        output_ratio: float | tuple[float, float, float] | None = None,
        return_indices: bool = False,
        _random_samples: Tensor | None = None,
    ) -> None:
        super().__init__()
        self.return_indices = return_indices
        self._set_windows(kernel_size, output_size, output_ratio, _random_samples, 3)

    def forward(self, input: Tensor) -> Any:
        return F.fractional_max_pool3d(
            input,
            self.kernel_size,
            self.output_size,
            self.output_ratio,
            self.return_indices,
            _random_samples=self._random_samples,
        )


class _PowerPool(Module):
    def __init__(
        self,
        norm_type: float,
        kernel_size: SizeLike,
        stride: SizeLike | None = None,
        ceil_mode: bool = False,
    ) -> None:
        super().__init__()
        self.norm_type = norm_type
        self.kernel_size = kernel_size
        self.stride = stride
        self.ceil_mode = ceil_mode

    def extra_repr(self) -> str:
        return (
            f"norm_type={self.norm_type}, kernel_size={self.kernel_size}, stride={self.stride}, "
            f"ceil_mode={self.ceil_mode}"
        )


class LPPool1d(_PowerPool):
    """The norm of each window of (N, C, L).

    >>> ow.nn.LPPool1d(2, 2)(ow.tensor([[3.0, 4.0]]))
    tensor([[5.]])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.lp_pool1d(
            input, float(self.norm_type), self.kernel_size, self.stride, self.ceil_mode
        )


class LPPool2d(_PowerPool):
    """The norm of each window of (N, C, H, W).

    >>> ow.nn.LPPool2d(2, (1, 2))(ow.tensor([[[3.0, 4.0]]]))
    tensor([[[5.]]])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.lp_pool2d(
            input, float(self.norm_type), self.kernel_size, self.stride, self.ceil_mode
        )


class LPPool3d(_PowerPool):
    """The norm of each window of (N, C, D, H, W).

    >>> ow.nn.LPPool3d(2, (1, 1, 2))(ow.tensor([[[[3.0, 4.0]]]]))
    tensor([[[[5.]]]])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.lp_pool3d(
            input, float(self.norm_type), self.kernel_size, self.stride, self.ceil_mode
        )

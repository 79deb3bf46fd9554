"""Convolution layers."""

from __future__ import annotations

import math
from collections.abc import Sequence

import opwright as ow

from .. import Tensor
from . import functional as F
from . import init
from .linear import init_bias
from .module import Module
from .parameter import Parameter
from .types import DeviceLike, Size1, Size2, Size3, SizeLike, repeat

__all__ = [
    "Conv1d",
    "Conv2d",
    "Conv3d",
    "ConvTranspose1d",
    "ConvTranspose2d",
    "ConvTranspose3d",
]

_PADDING_MODES = ("zeros", "reflect", "replicate", "circular")


class _Convolution(Module):
    """The common part of all convolutions: window sizes, a weight and a bias."""

    weight: Parameter
    bias: Parameter | None

    def __init__(
        self,
        weight_channels: tuple[int, int],
        in_channels: int,
        out_channels: int,
        kernel_size: tuple[int, ...],
        stride: tuple[int, ...],
        padding: tuple[int, ...] | str,
        dilation: tuple[int, ...],
        output_padding: tuple[int, ...],
        groups: int,
        bias: bool,
        padding_mode: str,
        device: DeviceLike | None,
        dtype: ow.dtype | None,
    ) -> None:
        super().__init__()
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.kernel_size = kernel_size
        self.stride = stride
        self.padding = padding
        self.dilation = dilation
        self.output_padding = output_padding
        self.groups = groups
        self.padding_mode = padding_mode
        sizes = (*weight_channels, *kernel_size)
        self.weight = Parameter(ow.empty(sizes, device=device, dtype=dtype))
        if bias:
            self.bias = Parameter(ow.empty(out_channels, device=device, dtype=dtype))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            init_bias(self.bias, math.prod(self.weight.shape[1:]))

    def extra_repr(self) -> str:
        count = len(self.kernel_size)
        text = (
            f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, "
            f"stride={self.stride}"
        )
        if self.padding != (0,) * count:
            text += f", padding={self.padding}"
        if self.dilation != (1,) * count:
            text += f", dilation={self.dilation}"
        if self.output_padding != (0,) * count:
            text += f", output_padding={self.output_padding}"
        if self.groups != 1:
            text += f", groups={self.groups}"
        if self.bias is None:
            text += ", bias=False"
        if self.padding_mode != "zeros":
            text += f", padding_mode={self.padding_mode}"
        return text


def _check_channels(name: str, in_channels: int, out_channels: int, groups: int) -> None:
    if groups <= 0:
        raise ValueError(f"{name}: groups must be positive, got {groups}")
    for what, count in (("in_channels", in_channels), ("out_channels", out_channels)):
        if count % groups:
            raise ValueError(
                f"{name}: {what} must be divisible by groups, got {count} and {groups}"
            )


class _Forward(_Convolution):
    def __init__(
        self,
        count: int,
        in_channels: int,
        out_channels: int,
        kernel_size: SizeLike,
        stride: SizeLike,
        padding: SizeLike | str,
        dilation: SizeLike,
        groups: int,
        bias: bool,
        padding_mode: str,
        device: DeviceLike | None,
        dtype: ow.dtype | None,
    ) -> None:
        name = type(self).__name__
        _check_channels(name, in_channels, out_channels, groups)
        strides = repeat(stride, count)
        if isinstance(padding, str):
            if padding not in ("same", "valid"):
                raise ValueError(f"{name}: padding must be 'same' or 'valid', got {padding!r}")
            if padding == "same" and any(each != 1 for each in strides):
                raise ValueError(f"{name}: padding 'same' needs stride 1, got {stride}")
        if padding_mode not in _PADDING_MODES:
            raise ValueError(
                f"{name}: padding_mode must be one of {', '.join(_PADDING_MODES)}, "
                f"got {padding_mode!r}"
            )
        super().__init__(
            (out_channels, in_channels // groups),
            in_channels,
            out_channels,
            repeat(kernel_size, count),
            strides,
            padding if isinstance(padding, str) else repeat(padding, count),
            repeat(dilation, count),
            (0,) * count,
            groups,
            bias,
            padding_mode,
            device,
            dtype,
        )

    def _padded(self, input: Tensor) -> tuple[Tensor, tuple[int, ...] | str]:
        """Return the input and the padding left to the operator, which pads with zeros."""
        if self.padding_mode == "zeros":
            return input, self.padding
        return F.pad(input, self._pad_counts(), mode=self.padding_mode), (0,) * len(self.stride)

    def _pad_counts(self) -> list[int]:
        """Return the counts before and after each dimension, last dimension first."""
        if not isinstance(self.padding, str):
            return [each for size in reversed(self.padding) for each in (size, size)]
        if self.padding == "valid":
            return [0, 0] * len(self.kernel_size)
        sizes = zip(reversed(self.dilation), reversed(self.kernel_size), strict=True)
        totals = [dilation * (size - 1) for dilation, size in sizes]
        return [each for total in totals for each in (total // 2, total - total // 2)]


class _Transposed(_Convolution):
    def __init__(
        self,
        count: int,
        in_channels: int,
        out_channels: int,
        kernel_size: SizeLike,
        stride: SizeLike,
        padding: SizeLike,
        output_padding: SizeLike,
        groups: int,
        bias: bool,
        dilation: SizeLike,
        padding_mode: str,
        device: DeviceLike | None,
        dtype: ow.dtype | None,
    ) -> None:
        name = type(self).__name__
        _check_channels(name, in_channels, out_channels, groups)
        if padding_mode != "zeros":
            raise ValueError(f"{name}: padding_mode must be 'zeros', got {padding_mode!r}")
        super().__init__(
            (in_channels, out_channels // groups),
            in_channels,
            out_channels,
            repeat(kernel_size, count),
            repeat(stride, count),
            repeat(padding, count),
            repeat(dilation, count),
            repeat(output_padding, count),
            groups,
            bias,
            padding_mode,
            device,
            dtype,
        )

    def _output_padding(self, input: Tensor, output_size: Sequence[int] | None) -> list[int]:
        """Return the output padding for the requested sizes, or the module's own."""
        if output_size is None:
            return list(self.output_padding)
        count = len(self.kernel_size)
        wanted = list(output_size)[-count:]
        if len(output_size) not in (count, input.ndim):
            raise ValueError(
                f"{type(self).__name__}: output_size must have {count} or {input.ndim} sizes, "
                f"got {list(output_size)}"
            )
        extra = []
        for i, size in enumerate(wanted):
            padding = self.padding[i]
            assert isinstance(padding, int)
            window = self.dilation[i] * (self.kernel_size[i] - 1) + 1
            least = (input.shape[i - count] - 1) * self.stride[i] - 2 * padding + window
            if not least <= size < least + self.stride[i]:
                raise ValueError(
                    f"{type(self).__name__}: output_size {list(output_size)} cannot be reached "
                    f"from {list(input.shape)}: size {i} can be {least} to "
                    f"{least + self.stride[i] - 1}"
                )
            extra.append(size - least)
        return extra


class Conv1d(_Forward):
    """1D convolution of (N, C, L).

    >>> layer = ow.nn.Conv1d(3, 4, kernel_size=3)
    >>> layer
    Conv1d(3, 4, kernel_size=(3,), stride=(1,))
    >>> layer(ow.ones(1, 3, 8)).shape
    (1, 4, 6)
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Size1,
        stride: Size1 = 1,
        padding: Size1 | str = 0,
        dilation: Size1 = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: DeviceLike | None = None,
        dtype: ow.dtype | None = None,
    ) -> None:
        super().__init__(
            1,
            in_channels,
            out_channels,
            kernel_size,
            stride,
            padding,
            dilation,
            groups,
            bias,
            padding_mode,
            device,
            dtype,
        )

    def forward(self, input: Tensor) -> Tensor:
        padded, padding = self._padded(input)
        return F.conv1d(
            padded, self.weight, self.bias, self.stride, padding, self.dilation, self.groups
        )


class Conv2d(_Forward):
    """2D convolution of (N, C, H, W).

    >>> layer = ow.nn.Conv2d(3, 4, kernel_size=3)
    >>> layer
    Conv2d(3, 4, kernel_size=(3, 3), stride=(1, 1))
    >>> layer(ow.ones(1, 3, 8, 8)).shape
    (1, 4, 6, 6)
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Size2,
        stride: Size2 = 1,
        padding: Size2 | str = 0,
        dilation: Size2 = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: DeviceLike | None = None,
        dtype: ow.dtype | None = None,
    ) -> None:
        super().__init__(
            2,
            in_channels,
            out_channels,
            kernel_size,
            stride,
            padding,
            dilation,
            groups,
            bias,
            padding_mode,
            device,
            dtype,
        )

    def forward(self, input: Tensor) -> Tensor:
        padded, padding = self._padded(input)
        return F.conv2d(
            padded, self.weight, self.bias, self.stride, padding, self.dilation, self.groups
        )


class Conv3d(_Forward):
    """3D convolution of (N, C, D, H, W).

    >>> layer = ow.nn.Conv3d(3, 4, kernel_size=3)
    >>> layer
    Conv3d(3, 4, kernel_size=(3, 3, 3), stride=(1, 1, 1))
    >>> layer(ow.ones(1, 3, 8, 8, 8)).shape
    (1, 4, 6, 6, 6)
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Size3,
        stride: Size3 = 1,
        padding: Size3 | str = 0,
        dilation: Size3 = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: DeviceLike | None = None,
        dtype: ow.dtype | None = None,
    ) -> None:
        super().__init__(
            3,
            in_channels,
            out_channels,
            kernel_size,
            stride,
            padding,
            dilation,
            groups,
            bias,
            padding_mode,
            device,
            dtype,
        )

    def forward(self, input: Tensor) -> Tensor:
        padded, padding = self._padded(input)
        return F.conv3d(
            padded, self.weight, self.bias, self.stride, padding, self.dilation, self.groups
        )


class ConvTranspose1d(_Transposed):
    """Transposed 1D convolution: the gradient of Conv1d with respect to its input.

    >>> layer = ow.nn.ConvTranspose1d(3, 4, kernel_size=3)
    >>> layer(ow.ones(1, 3, 6)).shape
    (1, 4, 8)
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Size1,
        stride: Size1 = 1,
        padding: Size1 = 0,
        output_padding: Size1 = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: Size1 = 1,
        padding_mode: str = "zeros",
        device: DeviceLike | None = None,
        dtype: ow.dtype | None = None,
    ) -> None:
        super().__init__(
            1,
            in_channels,
            out_channels,
            kernel_size,
            stride,
            padding,
            output_padding,
            groups,
            bias,
            dilation,
            padding_mode,
            device,
            dtype,
        )

    def forward(self, input: Tensor, output_size: Sequence[int] | None = None) -> Tensor:
        assert isinstance(self.padding, tuple)
        return F.conv_transpose1d(
            input,
            self.weight,
            self.bias,
            self.stride,
            self.padding,
            tuple(self._output_padding(input, output_size)),
            self.groups,
            self.dilation,
        )


class ConvTranspose2d(_Transposed):
    """Transposed 2D convolution: the gradient of Conv2d with respect to its input.

    >>> layer = ow.nn.ConvTranspose2d(3, 4, kernel_size=3)
    >>> layer(ow.ones(1, 3, 6, 6)).shape
    (1, 4, 8, 8)
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Size2,
        stride: Size2 = 1,
        padding: Size2 = 0,
        output_padding: Size2 = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: Size2 = 1,
        padding_mode: str = "zeros",
        device: DeviceLike | None = None,
        dtype: ow.dtype | None = None,
    ) -> None:
        super().__init__(
            2,
            in_channels,
            out_channels,
            kernel_size,
            stride,
            padding,
            output_padding,
            groups,
            bias,
            dilation,
            padding_mode,
            device,
            dtype,
        )

    def forward(self, input: Tensor, output_size: Sequence[int] | None = None) -> Tensor:
        assert isinstance(self.padding, tuple)
        return F.conv_transpose2d(
            input,
            self.weight,
            self.bias,
            self.stride,
            self.padding,
            tuple(self._output_padding(input, output_size)),
            self.groups,
            self.dilation,
        )


class ConvTranspose3d(_Transposed):
    """Transposed 3D convolution: the gradient of Conv3d with respect to its input.

    >>> layer = ow.nn.ConvTranspose3d(3, 4, kernel_size=3)
    >>> layer(ow.ones(1, 3, 6, 6, 6)).shape
    (1, 4, 8, 8, 8)
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Size3,
        stride: Size3 = 1,
        padding: Size3 = 0,
        output_padding: Size3 = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: Size3 = 1,
        padding_mode: str = "zeros",
        device: DeviceLike | None = None,
        dtype: ow.dtype | None = None,
    ) -> None:
        super().__init__(
            3,
            in_channels,
            out_channels,
            kernel_size,
            stride,
            padding,
            output_padding,
            groups,
            bias,
            dilation,
            padding_mode,
            device,
            dtype,
        )

    def forward(self, input: Tensor, output_size: Sequence[int] | None = None) -> Tensor:
        assert isinstance(self.padding, tuple)
        return F.conv_transpose3d(
            input,
            self.weight,
            self.bias,
            self.stride,
            self.padding,
            tuple(self._output_padding(input, output_size)),
            self.groups,
            self.dilation,
        )

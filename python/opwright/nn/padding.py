"""Padding layers."""

from __future__ import annotations

from collections.abc import Sequence

from .. import Tensor
from . import functional as F
from .module import Module

__all__ = [
    "CircularPad1d",
    "CircularPad2d",
    "CircularPad3d",
    "ConstantPad1d",
    "ConstantPad2d",
    "ConstantPad3d",
    "ReflectionPad1d",
    "ReflectionPad2d",
    "ReflectionPad3d",
    "ReplicationPad1d",
    "ReplicationPad2d",
    "ReplicationPad3d",
    "ZeroPad1d",
    "ZeroPad2d",
    "ZeroPad3d",
]


class _Pad(Module):
    num_dims: int
    mode: str = "constant"

    def __init__(self, padding: int | Sequence[int]) -> None:
        super().__init__()
        count = 2 * self.num_dims
        self.padding = (padding,) * count if isinstance(padding, int) else tuple(padding)
        if len(self.padding) != count:
            raise ValueError(
                f"{type(self).__name__}: padding must be one int or {count}, got {padding}"
            )

    def forward(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, self.mode)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class _ConstantPad(_Pad):
    def __init__(self, padding: int | Sequence[int], value: float) -> None:
        super().__init__(padding)
        self.value = value

    def forward(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, "constant", self.value)

    def extra_repr(self) -> str:
        return f"padding={self.padding}, value={self.value}"


class ConstantPad1d(_ConstantPad):
    """Pads (N, C, L) with one number.

    >>> ow.nn.ConstantPad1d((1, 1), 7.0)(ow.arange(3.0).reshape(1, 1, 3))
    tensor([[[7., 0., 1., 2., 7.]]])
    """

    num_dims = 1


class ConstantPad2d(_ConstantPad):
    """Pads (N, C, H, W) with one number.

    >>> ow.nn.ConstantPad2d((1, 1, 0, 0), 7.0)(ow.arange(3.0).reshape(1, 1, 1, 3))
    tensor([[[[7., 0., 1., 2., 7.]]]])
    """

    num_dims = 2


class ConstantPad3d(_ConstantPad):
    """Pads (N, C, D, H, W) with one number.

    >>> ow.nn.ConstantPad3d((1, 1, 0, 0, 0, 0), 7.0)(ow.arange(3.0).reshape(1, 1, 1, 1, 3))
    tensor([[[[[7., 0., 1., 2., 7.]]]]])
    """

    num_dims = 3


class ZeroPad1d(_Pad):
    """Pads (N, C, L) with zeros.

    >>> ow.nn.ZeroPad1d((1, 1))(ow.arange(3.0).reshape(1, 1, 3))
    tensor([[[0., 0., 1., 2., 0.]]])
    """

    num_dims = 1


class ZeroPad2d(_Pad):
    """Pads (N, C, H, W) with zeros.

    >>> ow.nn.ZeroPad2d((1, 1, 0, 0))(ow.arange(3.0).reshape(1, 1, 1, 3))
    tensor([[[[0., 0., 1., 2., 0.]]]])
    """

    num_dims = 2


class ZeroPad3d(_Pad):
    """Pads (N, C, D, H, W) with zeros.

    >>> ow.nn.ZeroPad3d((1, 1, 0, 0, 0, 0))(ow.arange(3.0).reshape(1, 1, 1, 1, 3))
    tensor([[[[[0., 0., 1., 2., 0.]]]]])
    """

    num_dims = 3


class ReflectionPad1d(_Pad):
    """Pads (N, C, L) with its mirror image.

    >>> ow.nn.ReflectionPad1d((1, 1))(ow.arange(3.0).reshape(1, 1, 3))
    tensor([[[1., 0., 1., 2., 1.]]])
    """

    num_dims = 1
    mode = "reflect"


class ReflectionPad2d(_Pad):
    """Pads (N, C, H, W) with its mirror image.

    >>> ow.nn.ReflectionPad2d((1, 1, 0, 0))(ow.arange(3.0).reshape(1, 1, 1, 3))
    tensor([[[[1., 0., 1., 2., 1.]]]])
    """

    num_dims = 2
    mode = "reflect"


class ReflectionPad3d(_Pad):
    """Pads (N, C, D, H, W) with its mirror image.

    >>> ow.nn.ReflectionPad3d((1, 1, 0, 0, 0, 0))(ow.arange(3.0).reshape(1, 1, 1, 1, 3))
    tensor([[[[[1., 0., 1., 2., 1.]]]]])
    """

    num_dims = 3
    mode = "reflect"


class ReplicationPad1d(_Pad):
    """Pads (N, C, L) with its outermost elements.

    >>> ow.nn.ReplicationPad1d((1, 1))(ow.arange(3.0).reshape(1, 1, 3))
    tensor([[[0., 0., 1., 2., 2.]]])
    """

    num_dims = 1
    mode = "replicate"


class ReplicationPad2d(_Pad):
    """Pads (N, C, H, W) with its outermost elements.

    >>> ow.nn.ReplicationPad2d((1, 1, 0, 0))(ow.arange(3.0).reshape(1, 1, 1, 3))
    tensor([[[[0., 0., 1., 2., 2.]]]])
    """

    num_dims = 2
    mode = "replicate"


class ReplicationPad3d(_Pad):
    """Pads (N, C, D, H, W) with its outermost elements.

    >>> ow.nn.ReplicationPad3d((1, 1, 0, 0, 0, 0))(ow.arange(3.0).reshape(1, 1, 1, 1, 3))
    tensor([[[[[0., 0., 1., 2., 2.]]]]])
    """

    num_dims = 3
    mode = "replicate"


class CircularPad1d(_Pad):
    """Pads (N, C, L) with elements of the other end.

    >>> ow.nn.CircularPad1d((1, 1))(ow.arange(3.0).reshape(1, 1, 3))
    tensor([[[2., 0., 1., 2., 0.]]])
    """

    num_dims = 1
    mode = "circular"


class CircularPad2d(_Pad):
    """Pads (N, C, H, W) with elements of the other end.

    >>> ow.nn.CircularPad2d((1, 1, 0, 0))(ow.arange(3.0).reshape(1, 1, 1, 3))
    tensor([[[[2., 0., 1., 2., 0.]]]])
    """

    num_dims = 2
    mode = "circular"


class CircularPad3d(_Pad):
    """Pads (N, C, D, H, W) with elements of the other end.

    >>> ow.nn.CircularPad3d((1, 1, 0, 0, 0, 0))(ow.arange(3.0).reshape(1, 1, 1, 1, 3))
    tensor([[[[[2., 0., 1., 2., 0.]]]]])
    """

    num_dims = 3
    mode = "circular"

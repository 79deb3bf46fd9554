"""Normalization layers that are independent of the batch: layer, RMS and group norm."""

from __future__ import annotations

from collections.abc import Sequence

import opwright as ow

from .. import Tensor
from . import functional as F
from . import init
from .module import Module
from .parameter import Parameter
from .types import DeviceLike

__all__ = ["GroupNorm", "LayerNorm", "RMSNorm"]


class LayerNorm(Module):
    """Normalizes to mean 0 and variance 1 over the last dimensions, then scales and shifts.

    >>> layer = ow.nn.LayerNorm(2)
    >>> layer
    LayerNorm((2,), eps=1e-05, elementwise_affine=True, bias=True)
    >>> layer(ow.tensor([[1.0, 3.0]]))
    tensor([[-1.0000,  1.0000]], grad_fn=<NativeLayerNormBackward0>)
    """

    weight: Parameter | None
    bias: Parameter | None

    def __init__(
        self,
        normalized_shape: int | Sequence[int],
        eps: float = 1e-5,
        elementwise_affine: bool = True,
        bias: bool = True,
        device: DeviceLike | None = None,
        dtype: ow.dtype | None = None,
    ) -> None:
        super().__init__()
        self.normalized_shape = _sizes(normalized_shape)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        self.register_parameter("weight", None)
        self.register_parameter("bias", None)
        if elementwise_affine:
            sizes = self.normalized_shape
            self.weight = Parameter(ow.empty(sizes, device=device, dtype=dtype))
            if bias:
                self.bias = Parameter(ow.empty(sizes, device=device, dtype=dtype))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        reset_affine(self.weight, self.bias)

    def forward(self, input: Tensor) -> Tensor:
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        return (
            f"{self.normalized_shape}, eps={self.eps}, "
            f"elementwise_affine={self.elementwise_affine}, bias={self.bias is not None}"
        )


class RMSNorm(Module):
    """Divides by the root mean square over the last dimensions, then scales.

    >>> layer = ow.nn.RMSNorm(2)
    >>> layer
    RMSNorm((2,), eps=None, elementwise_affine=True)
    >>> layer(ow.tensor([[3.0, 4.0]]))
    tensor([[0.8485, 1.1314]], grad_fn=<MulBackward0>)
    """

    weight: Parameter | None

    def __init__(
        self,
        normalized_shape: int | Sequence[int],
        eps: float | None = None,
        elementwise_affine: bool = True,
        device: DeviceLike | None = None,
        dtype: ow.dtype | None = None,
    ) -> None:
        super().__init__()
        self.normalized_shape = _sizes(normalized_shape)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        if elementwise_affine:
            sizes = self.normalized_shape
            self.weight = Parameter(ow.empty(sizes, device=device, dtype=dtype))
        else:
            self.register_parameter("weight", None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        reset_affine(self.weight, None)

    def forward(self, input: Tensor) -> Tensor:
        return F.rms_norm(input, self.normalized_shape, self.weight, self.eps)

    def extra_repr(self) -> str:
        return (
            f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"
        )


class GroupNorm(Module):
    """Normalizes to mean 0 and variance 1 over each group of channels, then scales and shifts.

    >>> layer = ow.nn.GroupNorm(1, 2)
    >>> layer
    GroupNorm(1, 2, eps=1e-05, affine=True, bias=True)
    >>> layer(ow.tensor([[1.0, 3.0]]))
    tensor([[-1.0000,  1.0000]], grad_fn=<NativeGroupNormBackward0>)
    """

    weight: Parameter | None
    bias: Parameter | None

    def __init__(
        self,
        num_groups: int,
        num_channels: int,
        eps: float = 1e-5,
        affine: bool = True,
        device: DeviceLike | None = None,
        dtype: ow.dtype | None = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__()
        if num_groups <= 0 or num_channels % num_groups:
            raise ValueError(
                f"GroupNorm: num_channels must be divisible by num_groups, got {num_channels} and "
                f"{num_groups}"
            )
        self.num_groups = num_groups
        self.num_channels = num_channels
        self.eps = eps
        self.affine = affine
        self.register_parameter("weight", None)
        self.register_parameter("bias", None)
        if affine:
            self.weight = Parameter(ow.empty(num_channels, device=device, dtype=dtype))
            if bias:
                self.bias = Parameter(ow.empty(num_channels, device=device, dtype=dtype))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        reset_affine(self.weight, self.bias)

    def forward(self, input: Tensor) -> Tensor:
        return F.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        return (
            f"{self.num_groups}, {self.num_channels}, eps={self.eps}, affine={self.affine}, "
            f"bias={self.bias is not None}"
        )


def reset_affine(weight: Parameter | None, bias: Parameter | None) -> None:
    """Set a scale to 1 and a shift to 0, if they exist."""
    if weight is not None:
        init.ones_(weight)
    if bias is not None:
        init.zeros_(bias)


def _sizes(shape: int | Sequence[int]) -> tuple[int, ...]:
    return (shape,) if isinstance(shape, int) else tuple(shape)

"""Normalization layers that are independent of the batch: layer, RMS, group and response norms."""

from __future__ import annotations

from collections.abc import Sequence

import opwright as ow

from .. import Tensor, ops
from . import functional as F
from . import init
from .module import Module
from .parameter import Parameter
from .types import DeviceLike

__all__ = ["CrossMapLRN2d", "GroupNorm", "LayerNorm", "LocalResponseNorm", "RMSNorm"]


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


class LocalResponseNorm(Module):
    """Divides by (k + alpha * mean of squares of `size` neighboring channels) ** beta.

    >>> ow.nn.LocalResponseNorm(1, alpha=3.0, beta=0.5)(ow.ones(1, 1, 2))
    tensor([[[0.5000, 0.5000]]])
    """

    def __init__(
        self, size: int, alpha: float = 0.0001, beta: float = 0.75, k: float = 1.0
    ) -> None:
        super().__init__()
        self.size = size
        self.alpha = alpha
        self.beta = beta
        self.k = k

    def forward(self, input: Tensor) -> Tensor:
        return F.local_response_norm(input, self.size, self.alpha, self.beta, self.k)

    def extra_repr(self) -> str:
        return f"{self.size}, alpha={self.alpha}, beta={self.beta}, k={self.k}"


class CrossMapLRN2d(Module):
    """LocalResponseNorm of images, with PyTorch's window: it always contains the first channel.

    >>> ow.nn.CrossMapLRN2d(1, alpha=3.0, beta=0.5)(ow.ones(1, 1, 1, 2))
    tensor([[[[0.5000, 0.5000]]]])

    The first channel is counted for each later one, at any distance, as in PyTorch. The gradient is
    that of this result; PyTorch's leaves the first channel out where it is outside the window.
    """

    def __init__(self, size: int, alpha: float = 0.0001, beta: float = 0.75, k: float = 1) -> None:
        super().__init__()
        self.size = size
        self.alpha = alpha
        self.beta = beta
        self.k = k

    def forward(self, input: Tensor) -> Tensor:
        if input.ndim != 4:
            raise ValueError(
                f"CrossMapLRN2d: input must have 4 dimensions, got {list(input.shape)}"
            )
        reach = (self.size - 1) // 2
        squares = input * input
        padded = ops.aten.constant_pad_nd(squares, (0, 0, 0, 0, reach, reach), 0)
        sums = padded.unfold(1, 2 * reach + 1, 1).sum(-1)
        later = ops.aten.constant_pad_nd(
            squares[:, :1].expand_as(sums)[:, reach + 1 :],
            (0, 0, 0, 0, min(reach + 1, input.shape[1]), 0),
            0,
        )
        scale = (sums + later) * (self.alpha / self.size) + self.k
        return input * scale.pow(-self.beta)

    def extra_repr(self) -> str:
        return f"{self.size}, alpha={self.alpha}, beta={self.beta}, k={self.k}"

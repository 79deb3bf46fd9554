"""The lazy layers: linear layers, convolutions and norms without a number of inputs."""

from __future__ import annotations

import inspect
from typing import Any

import opwright as ow

from ... import Tensor
from ..batchnorm import (
    BatchNorm1d,
    BatchNorm2d,
    BatchNorm3d,
    InstanceNorm1d,
    InstanceNorm2d,
    InstanceNorm3d,
)
from ..convolution import (
    Conv1d,
    Conv2d,
    Conv3d,
    ConvTranspose1d,
    ConvTranspose2d,
    ConvTranspose3d,
)
from ..linear import Linear
from ..parameter import UninitializedBuffer, UninitializedParameter
from ..types import DeviceLike
from .mixin import LazyModuleMixin

__all__ = [
    "LazyBatchNorm1d",
    "LazyBatchNorm2d",
    "LazyBatchNorm3d",
    "LazyConv1d",
    "LazyConv2d",
    "LazyConv3d",
    "LazyConvTranspose1d",
    "LazyConvTranspose2d",
    "LazyConvTranspose3d",
    "LazyInstanceNorm1d",
    "LazyInstanceNorm2d",
    "LazyInstanceNorm3d",
    "LazyLinear",
]


class _LazyLayer(LazyModuleMixin):
    """A layer that is made for 0 inputs, and gets their number, named `input_count`, later."""

    input_count: str

    def _make_uninitialized(self) -> None:
        """Replace the tensors that depend on the number of inputs."""
        for name, tensor in list(self._parameters.items()):
            if tensor is not None:
                made = UninitializedParameter(device=tensor.device, dtype=tensor.dtype)
                self._parameters[name] = made
        for name in ("running_mean", "running_var"):
            tensor = self._buffers.get(name)
            if tensor is not None:
                made = UninitializedBuffer(device=tensor.device, dtype=tensor.dtype)
                self._buffers[name] = made
        self._raise_attribute_epoch()

    def reset_parameters(self) -> None:
        """Draw the parameters again, once they have sizes."""
        if getattr(self, self.input_count) != 0 and not self.has_uninitialized_params():
            super().reset_parameters()  # type: ignore[misc]

    def _materialize(self, count: int, sizes: dict[str, tuple[int, ...]]) -> None:
        """Set the number of inputs, and give the tensors their sizes."""
        setattr(self, self.input_count, count)
        with ow.no_grad():
            for name, size in sizes.items():
                tensor: Any = getattr(self, name)
                if tensor is not None:
                    tensor.materialize(size)
            self.reset_parameters()


class LazyLinear(_LazyLayer, Linear):
    """A Linear whose `in_features` is the last size of the first input.

    >>> layer = ow.nn.LazyLinear(2)
    >>> layer(ow.ones(5, 3)).shape
    (5, 2)
    >>> layer
    Linear(in_features=3, out_features=2, bias=True)
    """

    cls_to_become = Linear
    input_count = "in_features"

    def __init__(
        self,
        out_features: int,
        bias: bool = True,
        device: DeviceLike | None = None,
        dtype: ow.dtype | None = None,
    ) -> None:
        super().__init__(0, out_features, bias, device, dtype)
        self._make_uninitialized()

    def initialize_parameters(self, input: Tensor) -> None:  # type: ignore[override]
        """Give the weight and the bias their sizes."""
        if self.has_uninitialized_params():
            count = input.shape[-1]
            weight = (self.out_features, count)
            self._materialize(count, {"weight": weight, "bias": (self.out_features,)})
        elif self.in_features == 0:  # loaded from a state_dict
            self.in_features = self.weight.shape[-1]


class _LazyConvolution(_LazyLayer):
    input_count = "in_channels"
    is_transposed = False
    in_channels: int
    out_channels: int
    groups: int
    kernel_size: tuple[int, ...]
    weight: Any

    def __init_subclass__(cls) -> None:
        """Show the arguments of the ordinary class without the first one."""
        super().__init_subclass__()
        if cls.cls_to_become is not None:
            signature = inspect.signature(cls.cls_to_become)
            arguments = list(signature.parameters.values())[1:]
            cls.__signature__ = signature.replace(parameters=arguments)  # type: ignore[attr-defined]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(0, *args, **kwargs)
        self._make_uninitialized()

    def initialize_parameters(  # type: ignore[override]
        self, input: Tensor, *args: Any, **kwargs: Any
    ) -> None:
        """Give the weight and the bias their sizes."""
        spatial = len(self.kernel_size)
        if input.ndim not in (spatial + 1, spatial + 2):
            raise RuntimeError(
                f"{type(self).__name__}: input must have {spatial + 1} or {spatial + 2} "
                f"dimensions, got sizes {list(input.shape)}"
            )
        if not self.has_uninitialized_params():
            if self.in_channels == 0:  # loaded from a state_dict
                rows = self.weight.shape[0 if self.is_transposed else 1]
                self.in_channels = rows if self.is_transposed else rows * self.groups
            return
        count = input.shape[-1 - spatial]
        if count % self.groups:
            raise ValueError(
                f"{type(self).__name__}: in_channels must be divisible by groups, got {count} and "
                f"{self.groups}"
            )
        channels = (self.out_channels, count // self.groups)
        if self.is_transposed:
            channels = (count, self.out_channels // self.groups)
        sizes = {"weight": (*channels, *self.kernel_size), "bias": (self.out_channels,)}
        self._materialize(count, sizes)


class LazyConv1d(_LazyConvolution, Conv1d):
    """A Conv1d whose `in_channels` is that of the first input.

    >>> ow.nn.LazyConv1d(4, kernel_size=3)(ow.ones(1, 3, 8)).shape
    (1, 4, 6)
    """

    cls_to_become = Conv1d


class LazyConv2d(_LazyConvolution, Conv2d):
    """A Conv2d whose `in_channels` is that of the first input.

    >>> ow.nn.LazyConv2d(4, kernel_size=3)(ow.ones(1, 3, 8, 8)).shape
    (1, 4, 6, 6)
    """

    cls_to_become = Conv2d


class LazyConv3d(_LazyConvolution, Conv3d):
    """A Conv3d whose `in_channels` is that of the first input.

    >>> ow.nn.LazyConv3d(4, kernel_size=3)(ow.ones(1, 3, 8, 8, 8)).shape
    (1, 4, 6, 6, 6)
    """

    cls_to_become = Conv3d


class LazyConvTranspose1d(_LazyConvolution, ConvTranspose1d):
    """A ConvTranspose1d whose `in_channels` is that of the first input.

    >>> ow.nn.LazyConvTranspose1d(4, kernel_size=3)(ow.ones(1, 3, 6)).shape
    (1, 4, 8)
    """

    cls_to_become = ConvTranspose1d
    is_transposed = True


class LazyConvTranspose2d(_LazyConvolution, ConvTranspose2d):
    """A ConvTranspose2d whose `in_channels` is that of the first input.

    >>> ow.nn.LazyConvTranspose2d(4, kernel_size=3)(ow.ones(1, 3, 6, 6)).shape
    (1, 4, 8, 8)
    """

    cls_to_become = ConvTranspose2d
    is_transposed = True


class LazyConvTranspose3d(_LazyConvolution, ConvTranspose3d):
    """A ConvTranspose3d whose `in_channels` is that of the first input.

    >>> ow.nn.LazyConvTranspose3d(4, kernel_size=3)(ow.ones(1, 3, 6, 6, 6)).shape
    (1, 4, 8, 8, 8)
    """

    cls_to_become = ConvTranspose3d
    is_transposed = True


class _LazyNorm(_LazyLayer):
    input_count = "num_features"
    num_features: int

    def __init__(
        self,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: DeviceLike | None = None,
        dtype: ow.dtype | None = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(0, eps, momentum, affine, track_running_stats, device, dtype, bias=bias)
        self._make_uninitialized()

    def initialize_parameters(self, input: Tensor) -> None:  # type: ignore[override]
        """Give the scale, the shift and the running statistics their sizes."""
        if self.has_uninitialized_params():
            count = input.shape[1]
            names = ("weight", "bias", "running_mean", "running_var")
            self._materialize(count, dict.fromkeys(names, (count,)))
        elif self.num_features == 0 and input.ndim > 1:  # nothing to load, or already loaded
            self.num_features = input.shape[1]


class LazyBatchNorm1d(_LazyNorm, BatchNorm1d):
    """A BatchNorm1d whose `num_features` is that of the first input.

    >>> ow.nn.LazyBatchNorm1d()(ow.ones(2, 3)).shape
    (2, 3)
    """

    cls_to_become = BatchNorm1d


class LazyBatchNorm2d(_LazyNorm, BatchNorm2d):
    """A BatchNorm2d whose `num_features` is that of the first input.

    >>> ow.nn.LazyBatchNorm2d()(ow.ones(2, 3, 4, 4)).shape
    (2, 3, 4, 4)
    """

    cls_to_become = BatchNorm2d


class LazyBatchNorm3d(_LazyNorm, BatchNorm3d):
    """A BatchNorm3d whose `num_features` is that of the first input.

    >>> ow.nn.LazyBatchNorm3d()(ow.ones(2, 3, 4, 4, 4)).shape
    (2, 3, 4, 4, 4)
    """

    cls_to_become = BatchNorm3d


class LazyInstanceNorm1d(_LazyNorm, InstanceNorm1d):
    """An InstanceNorm1d whose `num_features` is that of the first input.

    >>> ow.nn.LazyInstanceNorm1d()(ow.ones(2, 3, 4)).shape
    (2, 3, 4)
    """

    cls_to_become = InstanceNorm1d


class LazyInstanceNorm2d(_LazyNorm, InstanceNorm2d):
    """An InstanceNorm2d whose `num_features` is that of the first input.

    >>> ow.nn.LazyInstanceNorm2d()(ow.ones(2, 3, 4, 4)).shape
    (2, 3, 4, 4)
    """

    cls_to_become = InstanceNorm2d


class LazyInstanceNorm3d(_LazyNorm, InstanceNorm3d):
    """An InstanceNorm3d whose `num_features` is that of the first input.

    >>> ow.nn.LazyInstanceNorm3d()(ow.ones(2, 3, 4, 4, 4)).shape
    (2, 3, 4, 4, 4)
    """

    cls_to_become = InstanceNorm3d

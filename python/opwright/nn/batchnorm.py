"""Batch norm and instance norm, with running means and variances."""

from __future__ import annotations

from typing import Any

import opwright as ow

from .. import Tensor
from . import functional as F
from .module import Module
from .normalization import reset_affine
from .parameter import Parameter
from .types import DeviceLike

__all__ = [
    "BatchNorm1d",
    "BatchNorm2d",
    "BatchNorm3d",
    "InstanceNorm1d",
    "InstanceNorm2d",
    "InstanceNorm3d",
    "SyncBatchNorm",
]


class _ChannelNorm(Module):
    """The common part: a scale and a shift for each channel, and running statistics."""

    weight: Parameter | None
    bias: Parameter | None
    running_mean: Tensor | None
    running_var: Tensor | None
    num_batches_tracked: Tensor | None
    _version = 2

    def __init__(
        self,
        num_features: int,
        eps: float,
        momentum: float | None,
        affine: bool,
        track_running_stats: bool,
        device: DeviceLike | None,
        dtype: ow.dtype | None,
        bias: bool = True,
    ) -> None:
        super().__init__()
        self.num_features = num_features
        self.eps = eps
        self.momentum = momentum
        self.affine = affine
        self.track_running_stats = track_running_stats
        self.register_parameter("weight", None)
        self.register_parameter("bias", None)
        if affine:
            self.weight = Parameter(ow.empty(num_features, device=device, dtype=dtype))
            if bias:
                self.bias = Parameter(ow.empty(num_features, device=device, dtype=dtype))
        if track_running_stats:
            zeros = ow.zeros(num_features, device=device, dtype=dtype)
            self.register_buffer("running_mean", zeros)
            self.register_buffer("running_var", ow.ones_like(zeros))
            count = ow.zeros((), dtype=ow.int64, device=device)
            self.register_buffer("num_batches_tracked", count)
        else:
            self.register_buffer("running_mean", None)
            self.register_buffer("running_var", None)
            self.register_buffer("num_batches_tracked", None)
        self.reset_parameters()

    def reset_running_stats(self) -> None:
        """Reset the running mean and variance."""
        if self.running_mean is not None:
            self.running_mean.zero_()
        if self.running_var is not None:
            self.running_var.fill_(1)
        if self.num_batches_tracked is not None:
            self.num_batches_tracked.zero_()

    def reset_parameters(self) -> None:
        self.reset_running_stats()
        reset_affine(self.weight, self.bias)

    def _check_ndim(self, input: Tensor, *allowed: int) -> None:
        if input.ndim not in allowed:
            raise ValueError(
                f"{type(self).__name__}: input must have {' or '.join(map(str, allowed))} "
                f"dimensions, got sizes {list(input.shape)}"
            )

    def _load_from_state_dict(
        self, state_dict: dict[str, Any], prefix: str, local_metadata: dict[str, Any], *rest: Any
    ) -> None:
        key = f"{prefix}num_batches_tracked"
        is_older = local_metadata.get("version", 1) < 2  # before the count existed
        if is_older and self.num_batches_tracked is not None and key not in state_dict:
            count = self.num_batches_tracked
            state_dict[key] = ow.tensor(0, dtype=ow.int64) if count.is_meta else count
        super()._load_from_state_dict(state_dict, prefix, local_metadata, *rest)

    def extra_repr(self) -> str:
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, "
            f"affine={self.affine}, bias={self.bias is not None}, "
            f"track_running_stats={self.track_running_stats}"
        )


class _BatchNorm(_ChannelNorm):
    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: DeviceLike | None = None,
        dtype: ow.dtype | None = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(
            num_features, eps, momentum, affine, track_running_stats, device, dtype, bias
        )

    def _check_input(self, input: Tensor) -> None:
        raise NotImplementedError

    def forward(self, input: Tensor) -> Tensor:
        self._check_input(input)
        uses_batch = self.training or (self.running_mean is None and self.running_var is None)
        keeps_running = not self.training or self.track_running_stats
        return F.batch_norm(
            input,
            self.running_mean if keeps_running else None,
            self.running_var if keeps_running else None,
            self.weight,
            self.bias,
            uses_batch,
            self._count_batch(),
            self.eps,
        )

    def _count_batch(self) -> float:
        """Count a training batch; return the weight of its statistics."""
        is_counted = self.training and self.track_running_stats
        if is_counted and self.num_batches_tracked is not None:
            self.num_batches_tracked.add_(1)
            if self.momentum is None:  # the mean of all batches
                return 1.0 / float(self.num_batches_tracked)
        return 0.0 if self.momentum is None else self.momentum


class BatchNorm1d(_BatchNorm):
    """Normalizes each channel of (N, C) or (N, C, L) to mean 0 and variance 1.

    >>> layer = ow.nn.BatchNorm1d(1)
    >>> layer(ow.tensor([[1.0], [3.0]]))
    tensor([[-1.0000],
            [ 1.0000]], grad_fn=<NativeBatchNormLegitBackward0>)
    >>> layer.running_mean
    tensor([0.2000])

    In evaluation it uses the running mean and variance instead of those of the batch.
    """

    def _check_input(self, input: Tensor) -> None:
        self._check_ndim(input, 2, 3)


class BatchNorm2d(_BatchNorm):
    """Normalizes each channel of (N, C, H, W) to mean 0 and variance 1.

    >>> ow.nn.BatchNorm2d(3).eval()(ow.zeros(1, 3, 2, 2)).sum()
    tensor(0., grad_fn=<SumBackward0>)
    """

    def _check_input(self, input: Tensor) -> None:
        self._check_ndim(input, 4)


class BatchNorm3d(_BatchNorm):
    """Normalizes each channel of (N, C, D, H, W) to mean 0 and variance 1.

    >>> ow.nn.BatchNorm3d(3).eval()(ow.zeros(1, 3, 2, 2, 2)).sum()
    tensor(0., grad_fn=<SumBackward0>)
    """

    def _check_input(self, input: Tensor) -> None:
        self._check_ndim(input, 5)


class SyncBatchNorm(_BatchNorm):
    """A batch norm of (N, C, ...) over the batches of several processes; here there is only one.

    >>> ow.nn.SyncBatchNorm(3)(ow.ones(2, 3)).shape
    (2, 3)

    It computes what BatchNorm does; a `process_group` is refused.
    """

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        process_group: None = None,
        device: DeviceLike | None = None,
        dtype: ow.dtype | None = None,
        *,
        bias: bool = True,
    ) -> None:
        if process_group is not None:
            raise NotImplementedError(
                "SyncBatchNorm: a process_group is not supported, as a program is one process; "
                "leave it out to normalize over the batch of this process"
            )
        super().__init__(
            num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias
        )
        self.process_group = None

    def _check_input(self, input: Tensor) -> None:
        if input.ndim < 2 or input.shape[1] == 0:
            raise ValueError(
                "SyncBatchNorm: input must have at least 2 dimensions and one channel, got sizes "
                f"{list(input.shape)}"
            )

    @classmethod
    def convert_sync_batchnorm(cls, module: Module, process_group: None = None) -> Module:
        """Replace the batch norms in a module by SyncBatchNorm; return the module.

        >>> ow.nn.SyncBatchNorm.convert_sync_batchnorm(ow.nn.BatchNorm2d(3))
        SyncBatchNorm(3, eps=1e-05, momentum=0.1, affine=True, bias=True, track_running_stats=True)
        """
        for name, child in module.named_children():
            module.add_module(name, cls.convert_sync_batchnorm(child, process_group))
        if not isinstance(module, _BatchNorm) or isinstance(module, SyncBatchNorm):
            return module
        made = cls(
            module.num_features,
            module.eps,
            module.momentum,
            module.affine,
            module.track_running_stats,
            process_group,
            bias=module.bias is not None,
        )
        made._parameters.update(module._parameters)
        made._buffers.update(module._buffers)
        made.training = module.training
        return made


class _InstanceNorm(_ChannelNorm):
    batched_ndim: int

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float = 0.1,
        affine: bool = False,
        track_running_stats: bool = False,
        device: DeviceLike | None = None,
        dtype: ow.dtype | None = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(
            num_features, eps, momentum, affine, track_running_stats, device, dtype, bias
        )

    def forward(self, input: Tensor) -> Tensor:
        self._check_ndim(input, self.batched_ndim - 1, self.batched_ndim)
        is_batched = input.ndim == self.batched_ndim
        result = F.instance_norm(
            input if is_batched else input.unsqueeze(0),
            self.running_mean,
            self.running_var,
            self.weight,
            self.bias,
            self.training or not self.track_running_stats,
            0.0 if self.momentum is None else self.momentum,
            self.eps,
        )
        return result if is_batched else result.squeeze(0)


class InstanceNorm1d(_InstanceNorm):
    """Normalizes each channel of each sample of (N, C, L) to mean 0 and variance 1.

    >>> ow.nn.InstanceNorm1d(1)(ow.tensor([[[1.0, 3.0]]]))
    tensor([[[-1.0000,  1.0000]]])
    """

    batched_ndim = 3


class InstanceNorm2d(_InstanceNorm):
    """Normalizes each channel of each sample of (N, C, H, W) to mean 0 and variance 1.

    >>> ow.nn.InstanceNorm2d(1)(ow.tensor([[[[1.0, 3.0]]]]))
    tensor([[[[-1.0000,  1.0000]]]])
    """

    batched_ndim = 4


class InstanceNorm3d(_InstanceNorm):
    """Normalizes each channel of each sample of (N, C, D, H, W) to mean 0 and variance 1.

    >>> ow.nn.InstanceNorm3d(1)(ow.tensor([[[[[1.0, 3.0]]]]]))
    tensor([[[[[-1.0000,  1.0000]]]]])
    """

    batched_ndim = 5

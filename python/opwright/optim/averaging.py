"""Averages of the weights of a model during training: stochastic weight averaging (SWA) and EMA."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import opwright as ow

from .. import Tensor
from ..nn import Module
from ..nn.batchnorm import BatchNorm1d, BatchNorm2d, BatchNorm3d, SyncBatchNorm
from .lr_scheduler import LRScheduler
from .lr_scheduler.scheduler import value_per_group
from .optimizer import Optimizer

__all__ = [
    "SWALR",
    "AveragedModel",
    "get_ema_avg_fn",
    "get_ema_multi_avg_fn",
    "get_swa_avg_fn",
    "get_swa_multi_avg_fn",
    "update_bn",
]

Average = Callable[[Tensor, Tensor, Any], Tensor]
AverageOfMany = Callable[[Sequence[Tensor], Sequence[Tensor], Any], None]


def _check_decay(decay: float) -> None:
    if not 0.0 <= decay <= 1.0:
        raise ValueError(
            f"Invalid decay value {decay} provided. Please provide a value in [0,1] range."
        )


def get_ema_avg_fn(decay: float = 0.999) -> Average:
    """Return the function of an exponential moving average, for `AveragedModel(avg_fn=...)`.

    >>> get_ema_avg_fn(0.75)(ow.tensor([4.0]), ow.tensor([0.0]), 1)
    tensor([3.])
    """
    _check_decay(decay)

    def average(averaged: Tensor, current: Tensor, num_averaged: Any) -> Tensor:
        return decay * averaged + (1 - decay) * current

    return average


def get_swa_avg_fn() -> Average:
    """Return the function of the mean of all models, for `AveragedModel(avg_fn=...)`.

    >>> get_swa_avg_fn()(ow.tensor([4.0]), ow.tensor([0.0]), 3)
    tensor([3.])
    """

    def average(averaged: Tensor, current: Tensor, num_averaged: Any) -> Tensor:
        return averaged + (current - averaged) / (num_averaged + 1)

    return average


def _for_many(average: Average) -> AverageOfMany:
    def update(averaged: Sequence[Tensor], current: Sequence[Tensor], num_averaged: Any) -> None:
        with ow.no_grad():
            for own, new in zip(averaged, current, strict=True):
                own.copy_(average(own, new, num_averaged))

    return update


def get_ema_multi_avg_fn(decay: float = 0.999) -> AverageOfMany:
    """Return the in-place function of an exponential moving average of a list of tensors.

    >>> averaged = [ow.tensor([4.0])]
    >>> get_ema_multi_avg_fn(0.75)(averaged, [ow.tensor([0.0])], 1)
    >>> averaged
    [tensor([3.])]
    """
    return _for_many(get_ema_avg_fn(decay))


def get_swa_multi_avg_fn() -> AverageOfMany:
    """Return the in-place function of the mean of all models, of a list of tensors.

    >>> averaged = [ow.tensor([4.0])]
    >>> get_swa_multi_avg_fn()(averaged, [ow.tensor([0.0])], 3)
    >>> averaged
    [tensor([3.])]
    """
    return _for_many(get_swa_avg_fn())


class AveragedModel(Module):
    """A copy of a model whose weights are the average of those at each `update_parameters`.

    Without a function it is the mean. Buffers are those of the last model, unless `use_buffers`.

    >>> model = ow.nn.Linear(1, 1, bias=False)
    >>> averaged = AveragedModel(model)
    >>> for value in (1.0, 2.0, 6.0):
    ...     _ = ow.nn.init.constant_(model.weight, value)
    ...     averaged.update_parameters(model)
    >>> averaged(ow.ones(1, 1)).item()
    3.0
    """

    n_averaged: Tensor

    def __init__(
        self,
        model: Module,
        device: Any = None,
        avg_fn: Average | None = None,
        multi_avg_fn: AverageOfMany | None = None,
        use_buffers: bool = False,
    ) -> None:
        super().__init__()
        if avg_fn is not None and multi_avg_fn is not None:
            raise AssertionError("AveragedModel: only one of avg_fn and multi_avg_fn can be given")
        self.module = copy.deepcopy(model)
        if device is not None:
            self.module = self.module.to(device)
        self.register_buffer("n_averaged", ow.zeros((), dtype=ow.int64, device=device))
        self.avg_fn = avg_fn
        self.multi_avg_fn = multi_avg_fn
        self.use_buffers = use_buffers

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        return self.module(*args, **kwargs)

    def update_parameters(self, model: Module) -> None:
        """Add the weights of a model to the average."""
        with ow.no_grad():
            self._update(model)
        self.n_averaged.add_(1)

    def _update(self, model: Module) -> None:
        averaged, current = self._tensors(self.module), self._tensors(model)
        current = [new.to(own.device) for own, new in zip(averaged, current, strict=True)]
        if int(self.n_averaged) == 0:
            for own, new in zip(averaged, current, strict=True):
                own.copy_(new)
        elif averaged:
            average = self.multi_avg_fn or _for_many(self.avg_fn or get_swa_avg_fn())
            average(averaged, current, self.n_averaged)
        if not self.use_buffers:
            for own, new in zip(self.module.buffers(), model.buffers(), strict=True):
                own.detach().copy_(new.detach())

    def _tensors(self, model: Module) -> list[Tensor]:
        found: list[Tensor] = list(model.parameters())
        if self.use_buffers:
            found += model.buffers()
        return [each.detach() for each in found]


def update_bn(loader: Iterable[Any], model: Module, device: Any = None) -> None:
    """Compute the running statistics of all batch norms over a set of inputs.

    A batch that is a list or tuple stands for its first item.

    >>> model = ow.nn.Sequential(ow.nn.BatchNorm1d(1))
    >>> update_bn([ow.zeros(2, 1), 4 * ow.ones(2, 1)], model)
    >>> model[0].running_mean
    tensor([2.])
    """
    kinds = (BatchNorm1d, BatchNorm2d, BatchNorm3d, SyncBatchNorm)
    norms = [each for each in model.modules() if isinstance(each, kinds)]
    if not norms:
        return
    momenta = [each.momentum for each in norms]
    was_training = model.training
    model.train()
    for norm in norms:
        norm.reset_running_stats()
        norm.momentum = None  # the mean of all batches
    with ow.no_grad():
        for batch in loader:
            inputs = batch[0] if isinstance(batch, (list, tuple)) else batch
            model(inputs if device is None else inputs.to(device))
    for norm, momentum in zip(norms, momenta, strict=True):
        norm.momentum = momentum
    model.train(was_training)


class SWALR(LRScheduler):
    """Moves the rates to `swa_lr` within `anneal_epochs` steps, along a cosine or a line.

    >>> optimizer = ow.optim.SGD([ow.nn.Parameter(ow.ones(1))], lr=0.1)
    >>> scheduler = SWALR(optimizer, swa_lr=0.5, anneal_epochs=2, anneal_strategy="linear")
    >>> rates = []
    >>> for _ in range(3):
    ...     optimizer.step()
    ...     scheduler.step()
    ...     rates.append(round(scheduler.get_last_lr()[0], 3))
    >>> rates
    [0.3, 0.5, 0.5]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        swa_lr: float | Sequence[float],
        anneal_epochs: int = 10,
        anneal_strategy: str = "cos",
        last_epoch: int = -1,
    ) -> None:
        rates = value_per_group("SWALR", "swa_lr", optimizer, swa_lr)
        for group, rate in zip(optimizer.param_groups, rates, strict=True):
            group["swa_lr"] = rate
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(
                f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}"
            )
        if not isinstance(anneal_epochs, int) or anneal_epochs < 0:
            raise ValueError(f"anneal_epochs must be equal or greater than 0, got {anneal_epochs}")
        self._anneal_strategy = anneal_strategy
        self.anneal_epochs = anneal_epochs
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        """Return the rates of the present step."""
        step = self._step_count - 1
        if self.anneal_epochs == 0:
            step = max(1, step)
        before, now = self._share(step - 1), self._share(step)
        rates = []
        for group in self.optimizer.param_groups:
            target, rate = group["swa_lr"], group["lr"]
            start = target if before == 1 else (rate - before * target) / (1 - before)
            rates.append(target * now + start * (1 - now))
        return rates

    def _share(self, step: int) -> float:
        """Return how much of the way is done after a step."""
        share = max(0.0, min(1.0, step / max(1, self.anneal_epochs)))
        return share if self._anneal_strategy == "linear" else (1 - math.cos(math.pi * share)) / 2

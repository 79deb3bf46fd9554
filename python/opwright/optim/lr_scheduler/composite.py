"""Schedules made of other schedules: one after the other, or all in every step."""

import bisect
from collections.abc import Mapping, Sequence
from typing import Any

from ..optimizer import Optimizer
from .plateau import ReduceLROnPlateau
from .scheduler import LRScheduler


class _Composite(LRScheduler):
    """A scheduler of other schedulers of the same optimizer."""

    def _check_schedulers(self, schedulers: Sequence[LRScheduler], optimizer: Optimizer) -> None:
        name = type(self).__name__
        for number, each in enumerate(schedulers):
            if not isinstance(each, LRScheduler):
                raise TypeError(
                    f"{name}: the scheduler at index {number} should have `optimizer` as its "
                    f"attribute, got {type(each).__name__}"
                )
            if isinstance(each, ReduceLROnPlateau):
                raise ValueError(
                    f"{name}: it does not support `ReduceLROnPlateau`, whose step needs a metric, "
                    f"but got one at index {number}"
                )
            if each.optimizer is not optimizer:
                raise ValueError(
                    f"{name}: it expects all schedulers to belong to the same optimizer, but the "
                    f"{type(each).__name__} at index {number} has another one"
                )

    def state_dict(self) -> dict[str, Any]:
        """Return everything but the optimizer, with the state dicts of the schedulers."""
        return super().state_dict() | {"_schedulers": [s.state_dict() for s in self._schedulers]}

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Load a state dict of the same schedulers."""
        schedulers = self._schedulers
        super().load_state_dict(state_dict)
        self._schedulers = schedulers
        for scheduler, saved in zip(schedulers, state_dict["_schedulers"], strict=True):
            scheduler.load_state_dict(saved)


class SequentialLR(_Composite):
    """Runs schedulers one after the other; `milestones` are the steps at which the next begins.

    >>> import opwright as ow
    >>> from opwright.optim import lr_scheduler
    >>> optimizer = ow.optim.SGD([ow.nn.Parameter(ow.ones(1))], lr=0.5)
    >>> warm_up = lr_scheduler.ConstantLR(optimizer, factor=0.5)
    >>> decay = lr_scheduler.ExponentialLR(optimizer, gamma=0.5)
    >>> scheduler = lr_scheduler.SequentialLR(optimizer, [warm_up, decay], milestones=[1])
    >>> rates = scheduler.get_last_lr()
    >>> for _ in range(2):
    ...     optimizer.step(); scheduler.step()
    ...     rates = rates + scheduler.get_last_lr()
    >>> rates
    [0.25, 0.5, 0.25]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        schedulers: Sequence[LRScheduler],
        milestones: Sequence[int],
        last_epoch: int = -1,
    ):
        if not schedulers:
            raise ValueError("SequentialLR: expects at least one scheduler, but got no scheduler")
        self._check_schedulers(schedulers, optimizer)
        if len(milestones) != len(schedulers) - 1:
            raise ValueError(
                f"SequentialLR: expects number of schedulers provided to be one more than the "
                f"number of milestone points, got {len(schedulers)} schedulers and "
                f"{len(milestones)} milestones"
            )
        self._schedulers = list(schedulers)
        self._milestones = list(milestones)
        self.last_epoch = last_epoch + 1
        self.optimizer = optimizer
        # Each scheduler performed its first step when it was created; only one of them may begin.
        for group in optimizer.param_groups:
            group["lr"] = group["initial_lr"]
        _undo_first_step(self)
        first = self._schedulers[bisect.bisect_right(self._milestones, 0)]
        first._initial_step()
        self._last_lr = first.get_last_lr()

    def step(self) -> None:
        """Perform the next step of the scheduler whose turn it is."""
        self.last_epoch += 1
        number = bisect.bisect_right(self._milestones, self.last_epoch)
        scheduler = self._schedulers[number]
        if number > 0 and self._milestones[number - 1] == self.last_epoch:
            scheduler._update_lr(0)
        else:
            scheduler.step()
        self._last_lr = scheduler.get_last_lr()


class ChainedScheduler(_Composite):
    """Performs a step of every scheduler in each step.

    >>> import opwright as ow
    >>> from opwright.optim import lr_scheduler
    >>> optimizer = ow.optim.SGD([ow.nn.Parameter(ow.ones(1))], lr=0.5)
    >>> slow = lr_scheduler.StepLR(optimizer, step_size=2, gamma=0.5)
    >>> decay = lr_scheduler.ExponentialLR(optimizer, gamma=0.5)
    >>> scheduler = lr_scheduler.ChainedScheduler([slow, decay])
    >>> for _ in range(2):
    ...     optimizer.step(); scheduler.step()
    >>> scheduler.get_last_lr()
    [0.0625]
    """

    def __init__(self, schedulers: Sequence[LRScheduler], optimizer: Optimizer | None = None):
        if not schedulers:
            raise ValueError(
                "ChainedScheduler: expects at least one scheduler to be chained, but got no "
                "scheduler"
            )
        if optimizer is None:
            optimizer = getattr(schedulers[0], "optimizer", None)
        self._check_schedulers(schedulers, optimizer)
        self._schedulers = list(schedulers)
        self.optimizer = optimizer
        self._last_lr = self._rates()

    def step(self) -> None:
        """Perform a step of every scheduler."""
        for scheduler in self._schedulers:
            scheduler.step()
        self._last_lr = self._rates()


def _undo_first_step(scheduler: LRScheduler) -> None:
    if isinstance(scheduler, _Composite):
        for each in scheduler._schedulers:
            _undo_first_step(each)
    else:
        scheduler.last_epoch -= 1

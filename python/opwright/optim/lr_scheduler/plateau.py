"""A schedule that lowers the rates when a metric stops improving."""

import math
from collections.abc import Sequence
from typing import Literal, SupportsFloat

from ..optimizer import Optimizer
from .scheduler import LRScheduler, check_optimizer, value_per_group


class ReduceLROnPlateau(LRScheduler):
    """Multiplies the rates by `factor` after `patience` steps without an improvement.

    `mode` says whether less ("min") or more ("max") is better. An improvement is larger than
    `threshold`, relative to the best value ("rel") or absolute ("abs"). After a change, `cooldown`
    steps do not count. The rates do not fall below `min_lr`; a change smaller than `eps` is left
    out.

    >>> import opwright as ow
    >>> optimizer = ow.optim.SGD([ow.nn.Parameter(ow.ones(1))], lr=0.5)
    >>> scheduler = ow.optim.lr_scheduler.ReduceLROnPlateau(optimizer, factor=0.5, patience=1)
    >>> for loss in (3.0, 2.0, 2.0, 2.0):
    ...     scheduler.step(loss)
    >>> scheduler.get_last_lr()
    [0.25]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        mode: Literal["min", "max"] = "min",
        factor: float = 0.1,
        patience: int = 10,
        threshold: float = 1e-4,
        threshold_mode: Literal["rel", "abs"] = "rel",
        cooldown: int = 0,
        min_lr: float | Sequence[float] = 0,
        eps: float = 1e-8,
    ):
        name = "ReduceLROnPlateau"
        check_optimizer(name, optimizer)
        if factor >= 1:
            raise ValueError(f"{name}: factor should be < 1.0, got {factor}")
        if mode not in ("min", "max"):
            raise ValueError(f"{name}: mode must be 'min' or 'max', got {mode!r}")
        if threshold_mode not in ("rel", "abs"):
            raise ValueError(
                f"{name}: threshold_mode must be 'rel' or 'abs', got {threshold_mode!r}"
            )
        self.optimizer = optimizer
        self.mode = mode
        self.factor = factor
        self.patience = patience
        self.threshold = threshold
        self.threshold_mode = threshold_mode
        self.cooldown = cooldown
        self.min_lrs = value_per_group(name, "min_lr", optimizer, min_lr)
        self.default_min_lr = None if isinstance(min_lr, (list, tuple)) else min_lr
        self.eps = eps
        self.last_epoch = 0
        self.best = math.inf if mode == "min" else -math.inf
        self.cooldown_counter = 0
        self.num_bad_epochs = 0
        self._last_lr = self._rates()

    def step(self, metrics: SupportsFloat, epoch: int | None = None) -> None:
        """Note the metric of one epoch, and lower the rates if it is time."""
        current = float(metrics)
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        if self._is_better(current):
            self.best = current
            self.num_bad_epochs = 0
        else:
            self.num_bad_epochs += 1
        if self.in_cooldown:
            self.cooldown_counter -= 1
            self.num_bad_epochs = 0
        if self.num_bad_epochs > self.patience:
            self._reduce()
            self.cooldown_counter = self.cooldown
            self.num_bad_epochs = 0
        self._last_lr = self._rates()

    @property
    def in_cooldown(self) -> bool:
        """Whether a change is so recent that steps do not count."""
        return self.cooldown_counter > 0

    def _is_better(self, current: float) -> bool:
        direction = 1 if self.mode == "max" else -1
        if self.threshold_mode == "rel":
            needed = self.best * (1 + direction * self.threshold)
        else:
            needed = self.best + direction * self.threshold
        return current > needed if self.mode == "max" else current < needed

    def _reduce(self) -> None:
        groups = self.optimizer.param_groups
        if len(groups) != len(self.min_lrs):
            if self.default_min_lr is None:
                raise RuntimeError(
                    f"ReduceLROnPlateau: the number of param groups in the `optimizer` "
                    f"({len(groups)}) differs from when it was initialized "
                    f"({len(self.min_lrs)}); set `min_lrs` to one value for each group"
                )
            self.min_lrs = [self.default_min_lr] * len(groups)
        for group, lowest in zip(groups, self.min_lrs, strict=True):
            rate = float(group["lr"])
            reduced = max(rate * self.factor, lowest)
            if rate - reduced > self.eps:
                group["lr"] = reduced

"""Schedules along a cosine, once or with restarts."""

import math

from ..optimizer import Optimizer
from .scheduler import LRScheduler


def _on_cosine(highest: float, lowest: float, position: float) -> float:
    """Return the value at `position` of half a period: 0 is the highest, 1 the lowest."""
    return lowest + (highest - lowest) * (1 + math.cos(math.pi * position)) / 2


class CosineAnnealingLR(LRScheduler):
    """Lowers the rates to `eta_min` in `T_max` steps along half a period of a cosine.

    After `T_max` steps the rates rise again. Each step changes the current rates, so other
    schedulers can change them too.

    >>> import opwright as ow
    >>> optimizer = ow.optim.SGD([ow.nn.Parameter(ow.ones(1))], lr=0.5)
    >>> scheduler = ow.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=2)
    >>> optimizer.step(); scheduler.step()
    >>> [round(rate, 6) for rate in scheduler.get_last_lr()]
    [0.25]
    """

    def __init__(
        self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0, last_epoch: int = -1
    ):
        self.T_max = T_max
        self.eta_min = eta_min
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        """Return the rates of the next point of the cosine."""
        if self._is_initial:
            return self._rates()
        # A sequence starts this schedule in the middle, where no previous rate is on the cosine.
        if self._step_count == 1 and self.last_epoch > 0:
            return self._closed_form()
        # At the lowest point the quotient below has a denominator of 0.
        if (self.last_epoch - 1 - self.T_max) % (2 * self.T_max) == 0:
            first_rise = (1 - math.cos(math.pi / self.T_max)) / 2
            pairs = zip(self._rates(), self.base_lrs, strict=True)
            return [rate + (base - self.eta_min) * first_rise for rate, base in pairs]
        here = 1 + math.cos(math.pi * self.last_epoch / self.T_max)
        before = 1 + math.cos(math.pi * (self.last_epoch - 1) / self.T_max)
        return [here / before * (rate - self.eta_min) + self.eta_min for rate in self._rates()]

    def _closed_form(self) -> list[float]:
        position = self.last_epoch / self.T_max
        return [_on_cosine(rate, self.eta_min, position) for rate in self.base_lrs]


class CosineAnnealingWarmRestarts(LRScheduler):
    """Lowers the rates along half a period of a cosine, then starts again at the base rates.

    The first period has `T_0` steps, each further one `T_mult` times as many. `step` also accepts a
    fraction of an epoch.

    >>> import opwright as ow
    >>> optimizer = ow.optim.SGD([ow.nn.Parameter(ow.ones(1))], lr=0.5)
    >>> scheduler = ow.optim.lr_scheduler.CosineAnnealingWarmRestarts(optimizer, T_0=2)
    >>> rates = []
    >>> for _ in range(3):
    ...     rates += [round(rate, 6) for rate in scheduler.get_last_lr()]
    ...     optimizer.step(); scheduler.step()
    >>> rates
    [0.5, 0.25, 0.5]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        T_0: int,
        T_mult: int = 1,
        eta_min: float = 0.0,
        last_epoch: int = -1,
    ):
        name = type(self).__name__
        if not isinstance(T_0, int) or T_0 <= 0:
            raise ValueError(f"{name}: expected positive integer T_0, got {T_0}")
        if not isinstance(T_mult, int) or T_mult < 1:
            raise ValueError(f"{name}: expected integer T_mult >= 1, got {T_mult}")
        if not isinstance(eta_min, (int, float)):
            raise ValueError(f"{name}: expected float or int eta_min, got {eta_min!r}")
        self.T_0 = T_0
        self.T_i = T_0
        self.T_mult = T_mult
        self.eta_min = eta_min
        self.T_cur = last_epoch
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        """Return the rates `T_cur` steps into a period of `T_i` steps."""
        position = self.T_cur / self.T_i
        return [_on_cosine(rate, self.eta_min, position) for rate in self.base_lrs]

    def step(self, epoch: float | None = None) -> None:
        """Perform the next step, or set the rates of `epoch`, which may be a fraction."""
        if epoch is None and self.last_epoch < 0:
            epoch = 0
        if epoch is None:
            epoch = self.last_epoch + 1
            self.T_cur += 1
            if self.T_cur >= self.T_i:
                self.T_cur %= self.T_i
                self.T_i *= self.T_mult
        elif epoch < 0:
            raise ValueError(f"{type(self).__name__}: expected non-negative epoch, got {epoch}")
        else:
            self._find_period(epoch)
        self.last_epoch = math.floor(epoch)
        self._set_rates(self.get_lr())

    def _find_period(self, epoch: float) -> None:
        if epoch < self.T_0:
            self.T_i, self.T_cur = self.T_0, epoch
        elif self.T_mult == 1:
            self.T_cur = epoch % self.T_0
        else:
            ratio = self.T_mult - 1
            number = int(math.log(epoch / self.T_0 * ratio + 1, self.T_mult))
            self.T_i = self.T_0 * self.T_mult**number
            self.T_cur = epoch - self.T_0 * (self.T_mult**number - 1) / ratio

"""Schedules that multiply the rates: by functions, in steps, linearly, exponentially."""

import bisect
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from ..optimizer import Optimizer
from .scheduler import (
    FactorScheduler,
    LRScheduler,
    check_optimizer,
    load_functions,
    state_of_functions,
    value_per_group,
)

Factor = Callable[[int], float]


class _FunctionScheduler(LRScheduler):
    """A schedule by one function of the step, or one for each group."""

    def __init__(
        self, optimizer: Optimizer, lr_lambda: Factor | Sequence[Factor], last_epoch: int = -1
    ):
        name = type(self).__name__
        check_optimizer(name, optimizer)
        self.lr_lambdas = value_per_group(name, "lr_lambda", optimizer, lr_lambda)
        for each in self.lr_lambdas:
            if not callable(each):
                raise TypeError(f"{name}: lr_lambda should be a function, got {each!r}")
        super().__init__(optimizer, last_epoch)

    def state_dict(self) -> dict[str, Any]:
        """Return everything but the optimizer and plain functions."""
        return super().state_dict() | {"lr_lambdas": state_of_functions(self.lr_lambdas)}

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Load a state dict; the functions stay those of this scheduler."""
        functions = self.lr_lambdas
        super().load_state_dict(state_dict)
        self.lr_lambdas = functions
        load_functions(functions, state_dict["lr_lambdas"])


class LambdaLR(_FunctionScheduler):
    """Sets each rate to its base rate times `lr_lambda(step)`.

    >>> import opwright as ow
    >>> optimizer = ow.optim.SGD([ow.nn.Parameter(ow.ones(1))], lr=0.5)
    >>> scheduler = ow.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 1 / (step + 1))
    >>> optimizer.step(); scheduler.step()
    >>> scheduler.get_last_lr()
    [0.25]
    """

    def get_lr(self) -> list[float]:
        """Return the base rates times the functions' results."""
        pairs = zip(self.base_lrs, self.lr_lambdas, strict=True)
        return [rate * function(self.last_epoch) for rate, function in pairs]


class MultiplicativeLR(_FunctionScheduler):
    """Multiplies each rate by `lr_lambda(step)` in every step.

    >>> import opwright as ow
    >>> optimizer = ow.optim.SGD([ow.nn.Parameter(ow.ones(1))], lr=0.5)
    >>> scheduler = ow.optim.lr_scheduler.MultiplicativeLR(optimizer, lambda step: 0.5)
    >>> optimizer.step(); scheduler.step()
    >>> scheduler.get_last_lr()
    [0.25]
    """

    def get_lr(self) -> list[float]:
        """Return the current rates times the functions' results."""
        if self._is_initial:
            return self._rates()
        pairs = zip(self._rates(), self.lr_lambdas, strict=True)
        return [rate * function(self.last_epoch) for rate, function in pairs]


class StepLR(FactorScheduler):
    """Multiplies the rates by `gamma` every `step_size` steps.

    >>> import opwright as ow
    >>> optimizer = ow.optim.SGD([ow.nn.Parameter(ow.ones(1))], lr=0.5)
    >>> scheduler = ow.optim.lr_scheduler.StepLR(optimizer, step_size=1, gamma=0.5)
    >>> optimizer.step(); scheduler.step()
    >>> scheduler.get_last_lr()
    [0.25]
    """

    def __init__(
        self, optimizer: Optimizer, step_size: int, gamma: float = 0.1, last_epoch: int = -1
    ):
        self.step_size = step_size
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def _ratio(self) -> float:
        """Return `gamma` in every `step_size`-th step."""
        return 1 if self.last_epoch == 0 or self.last_epoch % self.step_size else self.gamma

    def _total_factor(self) -> float:
        """Return `gamma` to the number of changes so far."""
        return self.gamma ** (self.last_epoch // self.step_size)


class MultiStepLR(FactorScheduler):
    """Multiplies the rates by `gamma` in the steps `milestones`.

    >>> import opwright as ow
    >>> optimizer = ow.optim.SGD([ow.nn.Parameter(ow.ones(1))], lr=0.5)
    >>> scheduler = ow.optim.lr_scheduler.MultiStepLR(optimizer, milestones=[1, 8], gamma=0.5)
    >>> optimizer.step(); scheduler.step()
    >>> scheduler.get_last_lr()
    [0.25]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        milestones: Iterable[int],
        gamma: float = 0.1,
        last_epoch: int = -1,
    ):
        self.milestones = Counter(milestones)
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def _ratio(self) -> float:
        """Return `gamma` once for each milestone at this step."""
        return self.gamma ** self.milestones[self.last_epoch]

    def state_dict(self) -> dict[str, Any]:
        """Return everything but the optimizer; the milestones are a dict of counts."""
        return super().state_dict() | {"milestones": dict(self.milestones)}

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Load a state dict."""
        super().load_state_dict({**state_dict, "milestones": Counter(state_dict["milestones"])})

    def _total_factor(self) -> float:
        """Return `gamma` to the number of milestones so far."""
        passed = bisect.bisect_right(sorted(self.milestones.elements()), self.last_epoch)
        return self.gamma**passed


class ConstantLR(FactorScheduler):
    """Multiplies the rates by `factor` until step `total_iters`.

    >>> import opwright as ow
    >>> optimizer = ow.optim.SGD([ow.nn.Parameter(ow.ones(1))], lr=0.5)
    >>> scheduler = ow.optim.lr_scheduler.ConstantLR(optimizer, factor=0.5, total_iters=1)
    >>> scheduler.get_last_lr()
    [0.25]
    >>> optimizer.step(); scheduler.step()
    >>> scheduler.get_last_lr()
    [0.5]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        factor: float = 1 / 3,
        total_iters: int = 5,
        last_epoch: int = -1,
    ):
        if not 0 <= factor <= 1:
            raise ValueError(f"ConstantLR: factor must be between 0 and 1, got {factor}")
        self.factor = factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch)

    def _ratio(self) -> float:
        """Return `factor` in the first step and its inverse in step `total_iters`."""
        if self.last_epoch == 0:
            return self.factor
        return 1 / self.factor if self.last_epoch == self.total_iters else 1

    def _total_factor(self) -> float:
        return 1 if self.last_epoch >= self.total_iters else self.factor


class LinearLR(FactorScheduler):
    """Changes the factor of the rates linearly from `start_factor` to `end_factor`.

    >>> import opwright as ow
    >>> optimizer = ow.optim.SGD([ow.nn.Parameter(ow.ones(1))], lr=0.5)
    >>> scheduler = ow.optim.lr_scheduler.LinearLR(optimizer, start_factor=0.5, total_iters=2)
    >>> optimizer.step(); scheduler.step()
    >>> scheduler.get_last_lr()
    [0.375]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        start_factor: float = 1 / 3,
        end_factor: float = 1.0,
        total_iters: int = 5,
        last_epoch: int = -1,
    ):
        if not 0 < start_factor <= 1:
            raise ValueError(
                f"LinearLR: start_factor must be above 0 and at most 1, got {start_factor}"
            )
        if not 0 <= end_factor <= 1:
            raise ValueError(f"LinearLR: end_factor must be between 0 and 1, got {end_factor}")
        self.start_factor = start_factor
        self.end_factor = end_factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch)

    def _ratio(self) -> float:
        """Return the quotient of the factors of this step and of the previous one."""
        if self.last_epoch == 0:
            return self.start_factor
        if self._is_initial or self.last_epoch > self.total_iters:
            return 1
        change = self.end_factor - self.start_factor
        previous = self.total_iters * self.start_factor + (self.last_epoch - 1) * change
        return 1 + change / previous

    def _total_factor(self) -> float:
        """Return the factor on the line between the two factors."""
        change = self.end_factor - self.start_factor
        done = min(self.total_iters, self.last_epoch)
        return self.start_factor + change * done / self.total_iters


class ExponentialLR(FactorScheduler):
    """Multiplies the rates by `gamma` in every step.

    >>> import opwright as ow
    >>> optimizer = ow.optim.SGD([ow.nn.Parameter(ow.ones(1))], lr=0.5)
    >>> scheduler = ow.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.5)
    >>> optimizer.step(); scheduler.step()
    >>> scheduler.get_last_lr()
    [0.25]
    """

    def __init__(self, optimizer: Optimizer, gamma: float, last_epoch: int = -1):
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def _ratio(self) -> float:
        """Return `gamma`."""
        return 1 if self._is_initial else self.gamma

    def _total_factor(self) -> float:
        """Return `gamma` to the number of steps."""
        return self.gamma**self.last_epoch


class PolynomialLR(FactorScheduler):
    """Lowers the rates to 0 in `total_iters` steps: (1 - step / total_iters) ** power.

    >>> import opwright as ow
    >>> optimizer = ow.optim.SGD([ow.nn.Parameter(ow.ones(1))], lr=0.5)
    >>> scheduler = ow.optim.lr_scheduler.PolynomialLR(optimizer, total_iters=2)
    >>> optimizer.step(); scheduler.step()
    >>> scheduler.get_last_lr()
    [0.25]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        total_iters: int = 5,
        power: float = 1.0,
        last_epoch: int = -1,
    ):
        self.total_iters = total_iters
        self.power = power
        super().__init__(optimizer, last_epoch)

    def _ratio(self) -> float:
        """Return the quotient of the factors of this step and of the previous one."""
        if self._is_initial or self.last_epoch > self.total_iters:
            return 1
        left = 1 - self.last_epoch / self.total_iters
        left_before = 1 - (self.last_epoch - 1) / self.total_iters
        return (left / left_before) ** self.power

    def _total_factor(self) -> float:
        """Return the share of steps that is left, to the power."""
        return (1 - min(self.total_iters, self.last_epoch) / self.total_iters) ** self.power

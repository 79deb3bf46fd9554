"""Schedules that raise and lower the rates, and the momentum against them."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, TypedDict

from ..optimizer import Group, Optimizer
from .scheduler import (
    LRScheduler,
    check_optimizer,
    load_functions,
    set_momentum,
    state_of_functions,
    value_per_group,
)

Values = float | Sequence[float]


class _MomentumCycle(LRScheduler):
    """The momentum of a schedule that may change it beside the rates."""

    def _start_momentum(
        self, optimizer: Optimizer, base_momentum: Values, max_momentum: Values, last_epoch: int
    ) -> None:
        """Set the highest momentum, and write both bounds into the groups."""
        name = type(self).__name__
        self.use_beta1 = "betas" in optimizer.defaults
        if not self.use_beta1 and "momentum" not in optimizer.defaults:
            raise ValueError(
                f"{name}: optimizer must support momentum or beta1 with `cycle_momentum` option "
                f"enabled; pass cycle_momentum=False"
            )
        self.base_momentums = value_per_group(name, "base_momentum", optimizer, base_momentum)
        self.max_momentums = value_per_group(name, "max_momentum", optimizer, max_momentum)
        if last_epoch != -1:
            return
        bounds = zip(self.base_momentums, self.max_momentums, strict=True)
        for group, (lowest, highest) in zip(optimizer.param_groups, bounds, strict=True):
            set_momentum(group, highest)
            group["base_momentum"], group["max_momentum"] = lowest, highest


class CyclicLR(_MomentumCycle):
    """Moves the rates between `base_lr` and `max_lr` in a cycle.

    A cycle rises for `step_size_up` steps and falls for `step_size_down` (the same by default). The
    height of each cycle is full ("triangular"), half that of the last one ("triangular2"), or
    `gamma ** step` ("exp_range"); `scale_fn` replaces it, as a function of the cycle or of the step
    (`scale_mode` "cycle" or "iterations"). With `cycle_momentum` the momentum moves the other way.

    >>> import opwright as ow
    >>> optimizer = ow.optim.SGD([ow.nn.Parameter(ow.ones(1))], lr=0.5, momentum=0.9)
    >>> scheduler = ow.optim.lr_scheduler.CyclicLR(optimizer, 0.25, 0.75, step_size_up=1)
    >>> optimizer.step(); scheduler.step()
    >>> scheduler.get_last_lr()
    [0.75]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        base_lr: Values,
        max_lr: Values,
        step_size_up: int = 2000,
        step_size_down: int | None = None,
        mode: Literal["triangular", "triangular2", "exp_range"] = "triangular",
        gamma: float = 1.0,
        scale_fn: Callable[[float], float] | None = None,
        scale_mode: Literal["cycle", "iterations"] = "cycle",
        cycle_momentum: bool = True,
        base_momentum: Values = 0.8,
        max_momentum: Values = 0.9,
        last_epoch: int = -1,
    ):
        check_optimizer("CyclicLR", optimizer)
        if mode not in ("triangular", "triangular2", "exp_range") and scale_fn is None:
            raise ValueError(
                f"CyclicLR: mode must be 'triangular', 'triangular2' or 'exp_range' where "
                f"scale_fn is None, got {mode!r}"
            )
        base_lrs = value_per_group("CyclicLR", "base_lr", optimizer, base_lr)
        self.max_lrs = value_per_group("CyclicLR", "max_lr", optimizer, max_lr)
        down = step_size_up if step_size_down is None else step_size_down
        self.total_size = float(step_size_up) + float(down)
        self.step_ratio = step_size_up / self.total_size
        self.mode = mode
        self.gamma = gamma
        self._scale_fn = scale_fn
        self.scale_mode = scale_mode
        if scale_fn is None:
            self.scale_mode = "iterations" if mode == "exp_range" else "cycle"
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            self._start_momentum(optimizer, base_momentum, max_momentum, last_epoch)
        if last_epoch == -1:
            for group, rate in zip(optimizer.param_groups, base_lrs, strict=True):
                group["lr"] = rate
        super().__init__(optimizer, last_epoch)
        self.base_lrs = base_lrs

    def scale_fn(self, x: float) -> float:
        """Return the height of the cycle, or of the step, `x`."""
        if self._scale_fn is not None:
            return self._scale_fn(x)
        if self.mode == "triangular":
            return 1.0
        return 1 / (2.0 ** (x - 1)) if self.mode == "triangular2" else self.gamma**x

    def get_lr(self) -> list[float]:
        """Return the rates of step `last_epoch`, and set the momentum."""
        cycle = math.floor(1 + self.last_epoch / self.total_size)
        position = 1 + self.last_epoch / self.total_size - cycle
        if position <= self.step_ratio:
            share = position / self.step_ratio
        else:
            share = (position - 1) / (self.step_ratio - 1)
        height = self.scale_fn(cycle if self.scale_mode == "cycle" else self.last_epoch)
        if self.cycle_momentum:
            bounds = zip(self.base_momentums, self.max_momentums, strict=True)
            for group, (lowest, highest) in zip(self.optimizer.param_groups, bounds, strict=True):
                set_momentum(group, highest - (highest - lowest) * share * height)
        bounds = zip(self.base_lrs, self.max_lrs, strict=True)
        return [lowest + (highest - lowest) * share * height for lowest, highest in bounds]

    def state_dict(self) -> dict[str, Any]:
        """Return everything but the optimizer and a plain `scale_fn`."""
        functions = [] if self._scale_fn is None else [self._scale_fn]
        return super().state_dict() | {"_scale_fn": state_of_functions(functions)}

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Load a state dict; `scale_fn` stays that of this scheduler."""
        function = self._scale_fn
        super().load_state_dict(state_dict)
        self._scale_fn = function
        if function is not None:
            load_functions([function], state_dict["_scale_fn"])


class _Phase(TypedDict):
    """A part of the one cycle, as plain data of a state dict; the names are keys of a group."""

    end_step: float
    start_lr: str
    end_lr: str
    start_momentum: str
    end_momentum: str


class OneCycleLR(_MomentumCycle):
    """Raises the rates once to `max_lr`, then lowers them far below where they began.

    The rates begin at `max_lr / div_factor`, rise for the share `pct_start` of the steps, and fall
    to the first rate over `final_div_factor`; with `three_phase` they fall to the first rate in
    between. Pass `total_steps`, or `epochs` and `steps_per_epoch`. With `cycle_momentum` the
    momentum moves the other way.

    >>> import opwright as ow
    >>> optimizer = ow.optim.SGD([ow.nn.Parameter(ow.ones(1))], lr=0.5, momentum=0.9)
    >>> scheduler = ow.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=1.0, total_steps=10)
    >>> rates = scheduler.get_last_lr()
    >>> for _ in range(9):
    ...     optimizer.step(); scheduler.step()
    ...     rates = rates + scheduler.get_last_lr()
    >>> round(rates[0], 9), max(rates), round(rates[-1], 9)
    (0.04, 1.0, 4e-06)
    """

    def __init__(
        self,
        optimizer: Optimizer,
        max_lr: Values,
        total_steps: int | None = None,
        epochs: int | None = None,
        steps_per_epoch: int | None = None,
        pct_start: float = 0.3,
        anneal_strategy: Literal["cos", "linear"] = "cos",
        cycle_momentum: bool = True,
        base_momentum: Values = 0.85,
        max_momentum: Values = 0.95,
        div_factor: float = 25.0,
        final_div_factor: float = 1e4,
        three_phase: bool = False,
        last_epoch: int = -1,
    ):
        check_optimizer("OneCycleLR", optimizer)
        self.total_steps = _count_total_steps(total_steps, epochs, steps_per_epoch)
        if not isinstance(pct_start, float) or not 0 <= pct_start <= 1:
            raise ValueError(
                f"OneCycleLR: expected float between 0 and 1 pct_start, got {pct_start}"
            )
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(
                f"OneCycleLR: anneal_strategy must be one of 'cos' or 'linear', got "
                f"{anneal_strategy!r}"
            )
        self._anneal_strategy = anneal_strategy
        self._phases = _list_phases(self.total_steps, pct_start, three_phase)
        highest = value_per_group("OneCycleLR", "max_lr", optimizer, max_lr)
        if last_epoch == -1:
            for group, rate in zip(optimizer.param_groups, highest, strict=True):
                group["initial_lr"] = rate / div_factor
                group["max_lr"] = rate
                group["min_lr"] = group["initial_lr"] / final_div_factor
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            self._start_momentum(optimizer, base_momentum, max_momentum, last_epoch)
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        """Return the rates of step `last_epoch`, and set the momentum."""
        step = self.last_epoch
        if step > self.total_steps:
            raise ValueError(
                f"OneCycleLR: tried to step {step} times. The specified number of total steps is "
                f"{self.total_steps}"
            )
        phase, share = self._find_phase(step)
        groups = self.optimizer.param_groups
        if self.cycle_momentum:
            for group in groups:
                ends = phase["start_momentum"], phase["end_momentum"]
                set_momentum(group, self._anneal(group, *ends, share))
        ends = phase["start_lr"], phase["end_lr"]
        return [self._anneal(group, *ends, share) for group in groups]

    def _find_phase(self, step: int) -> tuple[_Phase, float]:
        """Return the phase of a step and the share of the phase that is over."""
        start = 0.0
        for phase in self._phases[:-1]:
            end = phase["end_step"]
            if step <= end:
                return phase, (step - start) / (end - start)
            start = end
        last = self._phases[-1]
        return last, (step - start) / (last["end_step"] - start)

    def _anneal(self, group: Group, start: str, end: str, share: float) -> float:
        first, last = group[start], group[end]
        if self._anneal_strategy == "linear":
            return (last - first) * share + first
        return last + (first - last) / 2 * (math.cos(math.pi * share) + 1)


def _count_total_steps(total: int | None, epochs: int | None, per_epoch: int | None) -> int:
    if total is not None:
        _check_positive("total_steps", total)
        return total
    if epochs is None or per_epoch is None:
        raise ValueError("OneCycleLR: define either total_steps or both epochs and steps_per_epoch")
    _check_positive("epochs", epochs)
    _check_positive("steps_per_epoch", per_epoch)
    return epochs * per_epoch


def _check_positive(setting: str, value: Any) -> None:
    if not isinstance(value, int) or value <= 0:
        raise ValueError(f"OneCycleLR: expected positive integer {setting}, got {value}")


def _list_phases(total_steps: int, pct_start: float, three_phase: bool) -> list[_Phase]:
    rise = pct_start * total_steps - 1
    first = _make_phase(rise, "initial_lr", "max_lr", "max_momentum", "base_momentum")
    end = total_steps - 1
    if not three_phase:
        return [first, _make_phase(end, "max_lr", "min_lr", "base_momentum", "max_momentum")]
    fall = 2 * pct_start * total_steps - 2
    return [
        first,
        _make_phase(fall, "max_lr", "initial_lr", "base_momentum", "max_momentum"),
        _make_phase(end, "initial_lr", "min_lr", "max_momentum", "max_momentum"),
    ]


def _make_phase(end: float, start_lr: str, end_lr: str, start: str, last: str) -> _Phase:
    return {
        "end_step": end,
        "start_lr": start_lr,
        "end_lr": end_lr,
        "start_momentum": start,
        "end_momentum": last,
    }

"""The common part of all schedulers: the rates of the groups, steps, and state dicts."""

import types
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from ..optimizer import Group, Optimizer

# What a state dict leaves out: the optimizer saves its own.
_NOT_SAVED = frozenset({"optimizer"})


class LRScheduler:
    """The base class of schedulers, which set the learning rates of an optimizer.

    Subclasses define `get_lr`, which returns the rates of step `last_epoch`, one for each group.
    `base_lrs` are the rates before the first step. Creating a scheduler performs step 0; call
    `step` after each `optimizer.step()`. To resume, pass the last step as `last_epoch`.

    >>> import opwright as ow
    >>> class HalfAfterTen(ow.optim.lr_scheduler.LRScheduler):
    ...     def get_lr(self):
    ...         return [rate * (0.5 if self.last_epoch >= 10 else 1) for rate in self.base_lrs]
    >>> optimizer = ow.optim.SGD([ow.nn.Parameter(ow.ones(1))], lr=0.1)
    >>> HalfAfterTen(optimizer).get_last_lr()
    [0.1]
    """

    _is_initial = False  # during the step that the constructor performs

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1):
        check_optimizer(type(self).__name__, optimizer)
        self.optimizer = optimizer
        for number, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                group.setdefault("initial_lr", group["lr"])
            elif "initial_lr" not in group:
                raise KeyError(
                    f"{type(self).__name__}: param 'initial_lr' is not specified in "
                    f"param_groups[{number}], which last_epoch={last_epoch} needs; load the "
                    f"optimizer's state dict first, or leave out last_epoch in a new training run"
                )
        self.base_lrs = [group["initial_lr"] for group in optimizer.param_groups]
        self.last_epoch = last_epoch
        if optimizer._has_stepped is None:  # steps before the first scheduler do not count
            optimizer._has_stepped = False
        self._initial_step()

    def get_lr(self) -> list[float]:
        """Return the rates of step `last_epoch`; use `get_last_lr` to read the current ones."""
        raise NotImplementedError(f"{type(self).__name__}: it has no get_lr")

    def get_last_lr(self) -> list[float]:
        """Return the rates of the last step, one for each group.

        >>> import opwright as ow
        >>> optimizer = ow.optim.SGD([ow.nn.Parameter(ow.ones(1))], lr=0.1)
        >>> ow.optim.lr_scheduler.ConstantLR(optimizer, factor=0.5).get_last_lr()
        [0.05]
        """
        return self._last_lr

    def step(self, epoch: int | None = None) -> None:
        """Perform the next step, or step `epoch`: set the rate of every group.

        >>> import opwright as ow
        >>> optimizer = ow.optim.SGD([ow.nn.Parameter(ow.ones(1))], lr=0.1)
        >>> scheduler = ow.optim.lr_scheduler.StepLR(optimizer, step_size=2)
        >>> for _ in range(2):
        ...     optimizer.step()
        ...     scheduler.step()
        >>> round(optimizer.param_groups[0]["lr"], 6)
        0.01
        """
        if self._step_count == 1:
            self._warn_of_order()
        self._step_count += 1
        self._update_lr(epoch)

    def state_dict(self) -> dict[str, Any]:
        """Return everything but the optimizer; functions are left out, objects give their state.

        >>> import opwright as ow
        >>> optimizer = ow.optim.SGD([ow.nn.Parameter(ow.ones(1))], lr=0.1)
        >>> ow.optim.lr_scheduler.ExponentialLR(optimizer, 0.9).state_dict()["last_epoch"]
        0
        """
        return {key: value for key, value in vars(self).items() if key not in _NOT_SAVED}

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Load the `state_dict` of a scheduler of the same class.

        >>> import opwright as ow
        >>> optimizer = ow.optim.SGD([ow.nn.Parameter(ow.ones(1))], lr=0.1)
        >>> first = ow.optim.lr_scheduler.ExponentialLR(optimizer, 0.9)
        >>> second = ow.optim.lr_scheduler.ExponentialLR(optimizer, 0.5)
        >>> second.load_state_dict(first.state_dict())
        >>> second.gamma
        0.9
        """
        vars(self).update(state_dict)

    def _initial_step(self) -> None:
        self._step_count = 0
        self._is_initial = True
        try:
            self.step()
        finally:
            del self._is_initial

    def _closed_form(self) -> list[float]:
        """Return the rates of step `last_epoch` from `base_lrs` alone."""
        return self.get_lr()

    def _update_lr(self, epoch: int | None = None) -> None:
        if epoch is None:
            self.last_epoch += 1
            rates = self.get_lr()
        else:
            self.last_epoch = epoch
            rates = self._closed_form()
        self._set_rates(rates)

    def _set_rates(self, rates: Sequence[float]) -> None:
        for group, rate in zip(self.optimizer.param_groups, rates, strict=True):
            group["lr"] = rate
        self._last_lr = self._rates()

    def _rates(self) -> list[float]:
        return [group["lr"] for group in self.optimizer.param_groups]

    def _warn_of_order(self) -> None:
        if not hasattr(self.optimizer.step, "_notes_steps"):
            warnings.warn(
                "optimizer.step() was replaced after the scheduler was created; call "
                "optimizer.step() before lr_scheduler.step()",
                UserWarning,
                stacklevel=3,
            )
        elif not self.optimizer._has_stepped:
            warnings.warn(
                "lr_scheduler.step() was called before optimizer.step(), which skips the first "
                "rate of the schedule; call optimizer.step() before lr_scheduler.step()",
                UserWarning,
                stacklevel=3,
            )


class FactorScheduler(LRScheduler):
    """A schedule of factors, so that several schedulers can change the same rates."""

    def _ratio(self) -> float:
        """Return the factor between the rates of the previous step and those of `last_epoch`."""
        raise NotImplementedError(f"{type(self).__name__}: it has no _ratio")

    def _total_factor(self) -> float:
        """Return the factor between `base_lrs` and the rates of `last_epoch`."""
        raise NotImplementedError(f"{type(self).__name__}: it has no _total_factor")

    def get_lr(self) -> list[float]:
        """Return the current rates times the ratio."""
        ratio = self._ratio()
        return [rate if ratio == 1 else rate * ratio for rate in self._rates()]

    def _closed_form(self) -> list[float]:
        factor = self._total_factor()
        return [rate * factor for rate in self.base_lrs]


def check_optimizer(name: str, optimizer: Any) -> None:
    if not isinstance(optimizer, Optimizer):
        raise TypeError(f"{name}: {type(optimizer).__name__} is not an Optimizer")


def value_per_group(name: str, setting: str, optimizer: Optimizer, value: Any) -> list[Any]:
    """Return one value for each group: those of a list, or the same value."""
    count = len(optimizer.param_groups)
    if not isinstance(value, (list, tuple)):
        return [value] * count
    if len(value) != count:
        raise ValueError(
            f"{name}: {setting} must have one value for each of the {count} parameter groups, got "
            f"{len(value)}"
        )
    return list(value)


def state_of_functions(functions: Iterable[Callable]) -> list[dict[str, Any] | None]:
    """Return the attributes of callable objects, and None for plain functions."""
    return [
        None if isinstance(each, types.FunctionType) else dict(vars(each)) for each in functions
    ]


def load_functions(functions: Iterable[Callable], state: Iterable[Mapping | None]) -> None:
    """Load the result of `state_of_functions` into the same kinds of functions."""
    for function, saved in zip(functions, state, strict=True):
        if saved is not None:
            vars(function).update(saved)


def set_momentum(group: Group, momentum: float) -> None:
    """Set the momentum of a group, which Adam calls the first of its betas."""
    if "betas" in group:
        group["betas"] = (momentum, *group["betas"][1:])
    else:
        group["momentum"] = momentum

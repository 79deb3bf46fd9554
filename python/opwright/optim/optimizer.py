"""The common part of all optimizers: groups of parameters, state, and state dicts."""

import copy
import functools
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Any, TypeVar

from .. import _C
from .._C import Tensor, enable_grad, no_grad
from .settings import check_group

Group = dict[str, Any]
Step = TypeVar("Step", bound=Callable[..., Any])


def _noting_steps(step: Step) -> Step:
    """Make a `step` note that it was called, for the first scheduler's warning about the order."""

    @functools.wraps(step)
    def noted(self: "Optimizer", *args: Any, **settings: Any) -> Any:
        if self._has_stepped is False:
            self._has_stepped = True
        return step(self, *args, **settings)

    noted._notes_steps = True  # type: ignore[attr-defined]
    return noted  # type: ignore[return-value]


class Optimizer:
    """The base class of optimizers; subclasses define `check` and `update`.

    `params` is an iterable of tensors, or of dicts with `params` and their own settings: groups.
    `param_groups` are the groups with all settings; `state` is what a step keeps for each
    parameter, a defaultdict of dicts. A copy or a pickle of an optimizer has parameters of its
    own, unless they are copied together with their module.

    >>> import opwright as ow
    >>> first, second = ow.nn.Linear(2, 2), ow.nn.Linear(2, 1)
    >>> groups = [{"params": first.parameters()}, {"params": second.parameters(), "lr": 0.01}]
    >>> optimizer = ow.optim.SGD(groups, lr=0.1)
    >>> [group["lr"] for group in optimizer.param_groups]
    [0.1, 0.01]
    """

    _has_stepped: bool | None = None  # since a scheduler was created; None: there is none

    def __init__(self, params: Iterable[Tensor] | Iterable[Group], defaults: Group):
        self.defaults = defaults
        self.param_groups: list[Group] = []
        self.state: defaultdict[Any, dict[str, Any]] = defaultdict(dict)
        if isinstance(params, (Tensor, Mapping)):
            raise TypeError(
                f"{self._name}: params must be an iterable of tensors or of dicts, got "
                f"{type(params).__name__}; put it in a list"
            )
        given = list(params)
        if not given:
            raise ValueError(f"{self._name}: params is empty")
        groups = given if isinstance(given[0], Mapping) else [{"params": given}]
        for group in groups:
            self.add_param_group(group)

    def __init_subclass__(cls, **settings: Any):
        super().__init_subclass__(**settings)
        step = vars(cls).get("step")
        if callable(step) and not hasattr(step, "_notes_steps"):
            cls.step = _noting_steps(step)  # type: ignore[method-assign]

    def __getstate__(self) -> dict[str, Any]:
        return dict(vars(self))

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)

    @property
    def _name(self) -> str:
        return type(self).__name__

    def check(self, group: Group) -> None:
        """Reject invalid settings with a ValueError or TypeError that names them."""

    def update(self, group: Group) -> None:
        """Update one group; nothing is recorded."""
        raise NotImplementedError(f"{self._name}: it has no update")

    def add_param_group(self, group: Mapping[str, Any]) -> None:
        """Add parameters, with their own settings or the defaults.

        >>> import opwright as ow
        >>> optimizer = ow.optim.SGD([ow.nn.Parameter(ow.ones(1))], lr=0.1)
        >>> optimizer.add_param_group({"params": [ow.nn.Parameter(ow.ones(2))], "lr": 0.2})
        >>> len(optimizer.param_groups)
        2
        """
        known = {id(each) for other in self.param_groups for each in other["params"]}
        checked = check_group(self._name, group, self.defaults, known)
        self.check(checked)
        self.param_groups.append(checked)

    @_noting_steps
    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Update every parameter that has a gradient; `closure` computes the loss first.

        >>> import opwright as ow
        >>> weight = ow.nn.Parameter(ow.tensor([1.0]))
        >>> optimizer = ow.optim.Adam([weight], lr=0.1)
        >>> weight.grad = ow.tensor([3.0])
        >>> optimizer.step()
        >>> weight.tolist()[0] < 1.0
        True
        """
        loss = None
        if closure is not None:
            with enable_grad():
                loss = closure()
        with no_grad():
            for group in self.param_groups:
                self.update(group)
        return loss

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Clear the gradients, or fill them with zeros.

        >>> import opwright as ow
        >>> weight = ow.nn.Parameter(ow.ones(1))
        >>> weight.grad = ow.ones(1)
        >>> ow.optim.SGD([weight]).zero_grad()
        >>> weight.grad is None
        True
        """
        for group in self.param_groups:
            for parameter in group["params"]:
                if set_to_none:
                    parameter.grad = None
                elif parameter.grad is not None:
                    gradient = parameter.grad.detach()
                    with no_grad():
                        gradient.zero_()
                    parameter.grad = gradient

    def state_dict(self) -> dict[str, Any]:
        """Return the state and the settings; parameters are numbered over the groups.

        Keys of `state` that are not parameters stay as they are.

        >>> import opwright as ow
        >>> weight = ow.nn.Parameter(ow.ones(1))
        >>> ow.optim.SGD([weight], lr=0.1).state_dict()["param_groups"][0]["params"]
        [0]
        """
        numbers = {id(each): number for number, each in enumerate(self._parameters())}
        groups = [
            {**group, "params": [numbers[id(each)] for each in group["params"]]}
            for group in self.param_groups
        ]
        state = {
            numbers[id(key)] if isinstance(key, Tensor) else key: _shallow_copy(own)
            for key, own in self.state.items()
        }
        return {"state": state, "param_groups": groups}

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Load a copy of a `state_dict` of an optimizer with groups of the same sizes.

        >>> import opwright as ow
        >>> weight = ow.nn.Parameter(ow.ones(1))
        >>> optimizer = ow.optim.SGD([weight], lr=0.1)
        >>> optimizer.load_state_dict(ow.optim.SGD([weight], lr=0.5).state_dict())
        >>> optimizer.param_groups[0]["lr"]
        0.5
        """
        groups = state_dict["param_groups"]
        ours = [len(group["params"]) for group in self.param_groups]
        theirs = [len(group["params"]) for group in groups]
        if ours != theirs:
            raise ValueError(
                f"{self._name}: the state dict has groups of {theirs} parameters, but the "
                f"optimizer has {ours}"
            )
        numbers = [number for group in groups for number in group["params"]]
        by_number = dict(zip(numbers, self._parameters(), strict=True))
        loaded = [
            own | copy.deepcopy({key: value for key, value in group.items() if key != "params"})
            for own, group in zip(self.param_groups, groups, strict=True)
        ]
        state: defaultdict[Any, Any] = defaultdict(dict)
        for key, own in state_dict["state"].items():
            if key in by_number:
                state[by_number[key]] = _adapted(None, own, by_number[key])
            else:
                state[key] = copy.deepcopy(own)
        self.__setstate__({"state": state, "param_groups": loaded})

    def _parameters(self) -> list[Tensor]:
        return [each for group in self.param_groups for each in group["params"]]

    def __repr__(self) -> str:
        lines = [f"{self._name} ("]
        for number, group in enumerate(self.param_groups):
            lines.append(f"Parameter Group {number}")
            lines += [f"    {key}: {group[key]}" for key in sorted(group) if key != "params"]
        return "\n".join([*lines, ")"])


def zeros_like(parameter: Tensor) -> Tensor:
    """Return zeros of the sizes and strides of a parameter, without a gradient."""
    return _C.ops.aten.zeros_like.default(parameter).detach()


def as_real(tensor: Tensor) -> Tensor:
    """Return complex numbers as pairs of real ones, a view; other tensors as they are."""
    return _C.ops.aten.view_as_real.default(tensor) if tensor.is_complex() else tensor


def _shallow_copy(value: Any) -> Any:
    return dict(value) if isinstance(value, dict) else value


def _adapted(key: Hashable, value: Any, parameter: Tensor) -> Any:
    """Return a deep copy for the parameter.

    Tensors move to its device; they get its dtype if it is floating-point. A step count stays as
    it is.
    """
    if isinstance(value, Tensor):
        with no_grad():
            if key == "step":
                return value.clone()
            dtype = parameter.dtype if parameter.is_floating_point() else value.dtype
            return _C.ops.aten._to_copy.default(
                value.detach(), dtype=dtype, device=parameter.device
            )
    if isinstance(value, dict):
        return {name: _adapted(name, each, parameter) for name, each in value.items()}
    if type(value) in (list, tuple, set, frozenset):
        return type(value)(_adapted(None, each, parameter) for each in value)
    return copy.deepcopy(value)

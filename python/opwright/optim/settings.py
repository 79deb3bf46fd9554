"""Checks the settings of an optimizer; errors name the optimizer and the setting."""

from collections.abc import Iterable, Mapping
from typing import Any

from .._C import Tensor


def check_group(
    name: str, group: Mapping[str, Any], defaults: Mapping[str, Any], known: set[int]
) -> dict[str, Any]:
    """Return the group with all settings; `known` has the ids of parameters in other groups."""
    if not isinstance(group, Mapping) or "params" not in group:
        raise TypeError(f"{name}: a group of parameters must be a dict with 'params', got {group}")
    params = check_parameters(name, group["params"])
    if len({id(each) for each in params}) != len(params):
        raise ValueError(f"{name}: a parameter appears twice in one group")
    if any(id(each) in known for each in params):
        raise ValueError(f"{name}: a parameter appears in more than one group")
    return {**defaults, **group, "params": params}


def check_parameters(name: str, params: Tensor | Iterable[Tensor]) -> list[Tensor]:
    given = [params] if isinstance(params, Tensor) else list(params)
    for each in given:
        if not isinstance(each, Tensor):
            raise TypeError(f"{name}: params must be tensors, got {type(each).__name__}")
        if not each.is_leaf:
            raise ValueError(
                f"{name}: params must be leaves, got one that was computed from others; give the "
                f"optimizer what it was computed from"
            )
    return given


def check_not_negative(name: str, group: Mapping[str, Any], *keys: str) -> None:
    for key in keys:
        value = group[key]
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise TypeError(f"{name}: {key} must be a number, got {type(value).__name__}")
        if not value >= 0:
            raise ValueError(f"{name}: {key} must not be negative, got {value}")


def check_adam_settings(name: str, group: Mapping[str, Any]) -> None:
    """Check what all kinds of Adam have: lr, eps, weight_decay and betas."""
    check_not_negative(name, group, "lr", "eps", "weight_decay")
    check_betas(name, group)


def check_betas(name: str, group: Mapping[str, Any]) -> None:
    betas = group["betas"]
    if len(betas) != 2:
        raise ValueError(f"{name}: betas must be two numbers, got {betas}")
    if not all(0 <= beta < 1 for beta in betas):
        raise ValueError(f"{name}: betas must be at least 0 and below 1, got {betas}")

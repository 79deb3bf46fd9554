"""Temporary parameters and state of an optimizer, to trace or to try a step."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from .._C import Tensor
from .optimizer import Group, Optimizer

__all__ = ["swap_in_optimizer_params_and_state"]


@contextmanager
def swap_in_optimizer_params_and_state(
    optimizer: Optimizer,
    swapin_parameters: Mapping[str, Tensor],
    swapin_optim_state: Mapping[str, Any],
) -> Iterator[None]:
    """Give an optimizer other parameters, settings and state for a block.

    The parameters are in the order of the optimizer's own; the state is a `state_dict`. Tensors of
    it are used, not copied, so that writes to them are seen; everything else that the block changes
    is dropped.

    >>> import opwright as ow
    >>> weight, other = ow.nn.Parameter(ow.ones(1)), ow.nn.Parameter(ow.zeros(1))
    >>> optimizer = ow.optim.SGD([weight], lr=0.5)
    >>> other.grad = ow.ones(1)
    >>> swap = ow.optim.swap_in_optimizer_params_and_state
    >>> with swap(optimizer, {"weight": other}, optimizer.state_dict()):
    ...     optimizer.step()
    >>> weight.tolist(), other.tolist()
    ([1.0], [-0.5])
    """
    groups, state = _swapped(optimizer, list(swapin_parameters.values()), swapin_optim_state)
    own_state = optimizer.state
    own_groups = [dict(group) for group in optimizer.param_groups]
    live_groups = list(optimizer.param_groups)
    try:
        for live, swapped in zip(live_groups, groups, strict=True):
            live.update(swapped)
        optimizer.state = state
        yield
    finally:
        optimizer.state = own_state
        for live, own in zip(live_groups, own_groups, strict=True):
            live.clear()
            live.update(own)
        optimizer.param_groups[:] = live_groups


def _swapped(
    optimizer: Optimizer, parameters: list[Tensor], state_dict: Mapping[str, Any]
) -> tuple[list[Group], defaultdict[Any, dict[str, Any]]]:
    """Return the settings of the groups and the state of the new parameters."""
    name = "swap_in_optimizer_params_and_state"
    wanted = [len(group["params"]) for group in optimizer.param_groups]
    given = [len(group["params"]) for group in state_dict["param_groups"]]
    if wanted != given:
        raise ValueError(
            f"{name}: the state has groups of {given} parameters, but the optimizer has {wanted}"
        )
    if sum(wanted) != len(parameters):
        raise ValueError(
            f"{name}: the optimizer has {sum(wanted)} parameters, got {len(parameters)}"
        )
    groups: list[Group] = []
    by_number: dict[Any, Tensor] = {}
    remaining = iter(parameters)
    for group in state_dict["param_groups"]:
        own = [next(remaining) for _ in group["params"]]
        by_number.update(zip(group["params"], own, strict=True))
        groups.append({**group, "params": own})
    unknown = [key for key in state_dict["state"] if isinstance(key, int) and key not in by_number]
    if unknown:
        raise ValueError(f"{name}: the state has entries of unknown parameters: {unknown}")
    state: defaultdict[Any, dict[str, Any]] = defaultdict(dict)
    for key, own in state_dict["state"].items():
        state[by_number.get(key, key)] = dict(own) if isinstance(own, dict) else own
    return groups, state

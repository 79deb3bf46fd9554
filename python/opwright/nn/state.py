"""Loads a state_dict into a module, and reports what does not match."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from .. import Tensor
from .parameter import Parameter

if TYPE_CHECKING:
    from .module import Module

__all__ = ["IncompatibleKeys"]


class IncompatibleKeys(NamedTuple):
    """The missing and unexpected keys that `load_state_dict` found.

    >>> from opwright import nn
    >>> state = {"weight": ow.ones(1, 2), "scale": ow.ones(1)}
    >>> nn.Linear(2, 1).load_state_dict(state, strict=False)
    IncompatibleKeys(missing_keys=['bias'], unexpected_keys=['scale'])
    """

    missing_keys: list[str]
    unexpected_keys: list[str]

    def __repr__(self) -> str:
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return (
            f"IncompatibleKeys(missing_keys={self.missing_keys}, "
            f"unexpected_keys={self.unexpected_keys})"
        )


def load_state(
    module: Module, state: Mapping[str, Any], *, strict: bool, assign: bool
) -> IncompatibleKeys:
    """Write the tensors of `state` into those of the module; all of them, or none on an error."""
    if not isinstance(state, Mapping):
        raise TypeError(
            "load_state_dict: state_dict must be a mapping of names to tensors, got "
            f"{type(state).__name__}"
        )
    places = _places(module)
    keys = IncompatibleKeys(
        [key for key in places if key not in state], [key for key in state if key not in places]
    )
    problems = _key_problems(keys) if strict else []
    problems += [
        problem
        for key, (owner, name) in places.items()
        if key in state and (problem := _mismatch(key, _tensor_at(owner, name), state[key]))
    ]
    if problems:
        raise RuntimeError(
            f"load_state_dict: the state does not fit {type(module).__name__}:"
            + "".join(f"\n  {problem}" for problem in problems)
        )
    for key, (owner, name) in places.items():
        if key in state:
            _load_tensor(owner, name, state[key], assign)
    for each in module.modules():
        each._raise_attribute_epoch()
    return keys


def _places(module: Module) -> dict[str, tuple[Module, str]]:
    """Return the module and the name of each key's tensor."""
    return {
        f"{prefix}.{name}" if prefix else name: (owner, name)
        for prefix, owner in module.named_modules(remove_duplicate=False)
        for name in owner._state_names()
    }


def _tensor_at(owner: Module, name: str) -> Tensor:
    tensor = owner._parameters[name] if name in owner._parameters else owner._buffers[name]
    assert tensor is not None
    return tensor


def _key_problems(keys: IncompatibleKeys) -> list[str]:
    named = {
        "missing in state_dict": keys.missing_keys,
        "unexpected in state_dict": keys.unexpected_keys,
    }
    return [f"{what}: {', '.join(map(repr, each))}" for what, each in named.items() if each]


def _mismatch(key: str, tensor: Tensor, value: object) -> str | None:
    if not isinstance(value, Tensor):
        return f"{key!r} must be a tensor, got {type(value).__name__}"
    if value.shape != tensor.shape:
        return f"{key!r} has sizes {list(value.shape)}, the module needs {list(tensor.shape)}"
    return None


def _load_tensor(owner: Module, name: str, value: Tensor, assign: bool) -> None:
    is_parameter = name in owner._parameters
    tensor = _tensor_at(owner, name)
    if not assign:
        tensor.detach().copy_(value.detach())
    elif not is_parameter:
        owner._buffers[name] = value
    elif isinstance(value, Parameter):
        owner._parameters[name] = value
    else:
        owner._parameters[name] = Parameter(value, requires_grad=tensor.requires_grad)

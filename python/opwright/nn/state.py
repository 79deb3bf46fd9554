"""Loads a state_dict into a module, and reports what does not match."""

from __future__ import annotations

import threading
import warnings
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from .. import Tensor, no_grad
from .parameter import Parameter, is_lazy
from .swapping import swaps_tensors

if TYPE_CHECKING:
    from .module import Module

__all__ = ["IncompatibleKeys", "consume_prefix_in_state_dict_if_present"]

EXTRA_STATE = "_extra_state"


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


class _Loading(threading.local):
    """The writes that the running load_state_dict of this thread will make; None: none runs."""

    def __init__(self) -> None:
        self.writes: list[Callable[[], None]] | None = None


_loading = _Loading()


def load_state(
    module: Module, state: Mapping[str, Any], *, strict: bool, assign: bool
) -> IncompatibleKeys:
    """Write the tensors of `state` into those of the module; all of them, or none on an error."""
    if not isinstance(state, Mapping):
        raise TypeError(f"Expected state_dict to be dict-like, got {type(state).__name__}")
    metadata = getattr(state, "_metadata", None) or {}
    keys = IncompatibleKeys([], [])
    errors: list[str] = []
    loaded: list[Module] = []

    def load_own(each: Module, own: dict[str, Any], prefix: str) -> None:
        local = dict(metadata.get(prefix[:-1], {}), assign_to_params_buffers=assign)
        each._load_from_state_dict(own, prefix, local, True, *keys, errors)

    outer, _loading.writes = _loading.writes, []
    try:
        _visit(module, OrderedDict(state), "", load_own, loaded)
        writes = _loading.writes
    finally:
        _loading.writes = outer
    has_post_hooks = any(each._load_state_dict_post_hooks for each in loaded)
    if not has_post_hooks:
        _raise_problems(module, keys, errors, strict)
    if not errors:
        for write in writes:
            write()
    for each in loaded:
        _run_post_hooks(each, keys)
    _raise_problems(module, keys, errors, strict)
    for each in module.modules():
        each._raise_attribute_epoch()
    return keys


def _visit(
    module: Module,
    state: dict[str, Any],
    prefix: str,
    load_own: Callable[[Module, dict[str, Any], str], None],
    loaded: list[Module],
) -> None:
    """Load a module and its children with their parts of the state; list them, children first."""
    load_own(module, state, prefix)
    for name, child in module._modules.items():
        if child is not None:
            path = f"{prefix}{name}."
            part = {key: value for key, value in state.items() if key.startswith(path)}
            _visit(child, part, path, load_own, loaded)
    loaded.append(module)


def _run_post_hooks(module: Module, keys: IncompatibleKeys) -> None:
    for hook in list(module._load_state_dict_post_hooks.values()):
        if hook.function(module, keys) is not None:
            raise RuntimeError(
                "a load_state_dict post-hook must return None and change incompatible_keys in place"
            )


def _raise_problems(
    module: Module, keys: IncompatibleKeys, errors: list[str], strict: bool
) -> None:
    named = {"Missing": keys.missing_keys, "Unexpected": keys.unexpected_keys}
    problems = [
        f"{what} key(s) in state_dict: " + ", ".join(f'"{key}"' for key in found) + "."
        for what, found in named.items()
        if found and strict
    ]
    if problems or errors:
        raise RuntimeError(
            f"Error(s) in loading state_dict for {type(module).__name__}:"
            + "".join(f"\n  {problem}" for problem in (*problems, *errors))
        )


def load_members(
    module: Module,
    state: dict[str, Any],
    prefix: str,
    metadata: dict[str, Any],
    strict: bool,
    missing: list[str],
    unexpected: list[str],
    errors: list[str],
) -> None:
    """Plan the writes of a module's own tensors; write at once outside of load_state_dict."""
    assign = metadata.get("assign_to_params_buffers", False)
    names = module._state_names()
    for name in names:
        key = prefix + name
        if key not in state:
            missing.extend([key] if strict else [])
            continue
        tensor = _tensor_at(module, name)
        value = state[key]
        problem = _mismatch(key, tensor, value)
        if problem is not None:
            errors.append(problem)
            continue
        if tensor.is_meta and not value.is_meta and not assign:
            warnings.warn(
                f"for {key}: copying from a non-meta parameter in the checkpoint to a meta "
                "parameter in the current model does nothing; pass assign=True to use the "
                "checkpoint's tensor",
                stacklevel=2,
            )
        _plan(lambda name=name, value=value: _load_tensor(module, name, value, assign))
    _load_extra_state(module, state, prefix, strict, missing, unexpected)
    if strict:
        unexpected.extend(_unexpected_keys(module, state, prefix, names))


def _plan(write: Callable[[], None]) -> None:
    if _loading.writes is None:
        write()
    else:
        _loading.writes.append(write)


def _load_extra_state(
    module: Module,
    state: dict[str, Any],
    prefix: str,
    strict: bool,
    missing: list[str],
    unexpected: list[str],
) -> None:
    from .module_state import ModuleState

    key = prefix + EXTRA_STATE
    if type(module).set_extra_state is not ModuleState.set_extra_state:
        if key in state:
            _plan(lambda: module.set_extra_state(state[key]))
        elif strict:
            missing.append(key)
    elif strict and key in state:
        unexpected.append(key)


def _unexpected_keys(
    module: Module, state: dict[str, Any], prefix: str, names: list[str]
) -> list[str]:
    """Return the keys below `prefix` that neither this module nor a child of it takes."""

    def is_known(key: str) -> bool:
        first, dot, _ = key.removeprefix(prefix).partition(".")
        return first in module._modules if dot else first in names

    own = [key for key in state if key.startswith(prefix) and key != prefix + EXTRA_STATE]
    return [key for key in own if not is_known(key)]


def _tensor_at(owner: Module, name: str) -> Tensor:
    tensor = owner._parameters[name] if name in owner._parameters else owner._buffers[name]
    assert tensor is not None
    return tensor


def _is_scalar_of_old_file(tensor: Tensor, value: Tensor) -> bool:
    return tensor.ndim == 0 and list(value.shape) == [1]


def _mismatch(key: str, tensor: Tensor, value: object) -> str | None:
    if not isinstance(value, Tensor):
        return (
            f'While copying the parameter named "{key}", expected torch.Tensor or Tensor-like '
            f"object from checkpoint but received {type(value).__name__}"
        )
    if is_lazy(tensor) and is_lazy(value):
        return None
    if value.shape != tensor.shape and not _is_scalar_of_old_file(tensor, value):
        return (
            f"size mismatch for {key}: copying a param with shape {list(value.shape)} from "
            f"checkpoint, the shape in current model is {list(tensor.shape)}."
        )
    return None


def _load_tensor(owner: Module, name: str, value: Tensor, assign: bool) -> None:
    is_parameter = name in owner._parameters
    tensor = _tensor_at(owner, name)
    if is_lazy(tensor) and is_lazy(value):
        return
    if value.shape != tensor.shape:
        value = value[0]
    if not assign:
        with no_grad():
            tensor.copy_(value)
    elif swaps_tensors():
        tensor.data = value.detach()
    elif not is_parameter:
        owner._buffers[name] = value
    elif isinstance(value, Parameter):
        owner._parameters[name] = value.requires_grad_(tensor.requires_grad)
    else:
        owner._parameters[name] = Parameter(value, requires_grad=tensor.requires_grad)


def consume_prefix_in_state_dict_if_present(state_dict: dict[str, Any], prefix: str) -> None:
    """Remove a prefix of the keys in place, e.g. "module." of a wrapper's state.

    >>> state = {"module.weight": 1}
    >>> consume_prefix_in_state_dict_if_present(state, "module.")
    >>> state
    {'weight': 1}
    """
    for key in [key for key in state_dict if key.startswith(prefix)]:
        state_dict[key.removeprefix(prefix)] = state_dict.pop(key)
    metadata = getattr(state_dict, "_metadata", None)
    for key in list(metadata or ()):
        if key == prefix.rstrip("."):
            metadata[""] = metadata.pop(key)
        elif key.startswith(prefix):
            metadata[key.removeprefix(prefix)] = metadata.pop(key)

"""Hooks: functions that a module calls before and after its forward pass."""

from __future__ import annotations

import itertools
from collections import OrderedDict
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from .module import Module

__all__ = ["RemovableHandle"]

_next_id = itertools.count()


class Hook(NamedTuple):
    function: Callable[..., Any]
    with_kwargs: bool
    always_call: bool = False  # also after a forward pass that raised


Hooks = OrderedDict[int, Hook]


class RemovableHandle:
    """A handle that removes a registered hook, by `remove` or as a context manager.

    >>> from opwright import nn
    >>> layer = nn.Identity()
    >>> with layer.register_forward_hook(lambda module, args, output: output * 2):
    ...     layer(ow.ones(2))
    tensor([2., 2.])
    >>> layer(ow.ones(2))
    tensor([1., 1.])
    """

    def __init__(self, hooks: Hooks, changed: Callable[[], None]) -> None:
        self.id = next(_next_id)
        self._hooks = hooks
        self._changed = changed

    def remove(self) -> None:
        """Remove the hook; a second call does nothing."""
        if self._hooks.pop(self.id, None) is not None:
            self._changed()

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(self, *error: object) -> None:
        self.remove()


def add_hook(
    hooks: Hooks, hook: Hook, prepend: bool, changed: Callable[[], None]
) -> RemovableHandle:
    """Add a hook after the others or, with `prepend`, before them."""
    handle = RemovableHandle(hooks, changed)
    hooks[handle.id] = hook
    if prepend:
        hooks.move_to_end(handle.id, last=False)
    changed()
    return handle


def call_with_hooks(module: Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Run the forward pass of a module between its hooks."""
    waiting = dict(module._forward_hooks)
    output = None
    try:
        for hook in list(module._forward_pre_hooks.values()):
            args, kwargs = _run_pre_hook(hook, module, args, kwargs)
        output = module.forward(*args, **kwargs)
        for key, hook in list(module._forward_hooks.items()):
            waiting.pop(key, None)
            output = _run_hook(hook, module, args, kwargs, output)
    except Exception:
        for hook in waiting.values():
            if hook.always_call:
                _run_hook(hook, module, args, kwargs, output)
        raise
    return output


def _run_pre_hook(
    hook: Hook, module: Module, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    if not hook.with_kwargs:
        changed = hook.function(module, args)
        if changed is None:
            return args, kwargs
        return changed if isinstance(changed, tuple) else (changed,), kwargs
    changed = hook.function(module, args, kwargs)
    if changed is None:
        return args, kwargs
    if not (isinstance(changed, tuple) and len(changed) == 2):
        raise RuntimeError(
            "a forward pre-hook with kwargs must return None or the tuple (args, kwargs), "
            f"got {changed!r}"
        )
    return changed


def _run_hook(
    hook: Hook, module: Module, args: tuple[Any, ...], kwargs: dict[str, Any], output: Any
) -> Any:
    given = (args, kwargs) if hook.with_kwargs else (args,)
    changed = hook.function(module, *given, output)
    return output if changed is None else changed

"""Hooks: functions that a module calls around its forward pass, backward and state."""

from __future__ import annotations

import itertools
from collections import OrderedDict
from collections.abc import Callable
from types import MappingProxyType
from typing import Any, NamedTuple, cast

__all__ = ["RemovableHandle"]

_next_id = itertools.count()


class Hook(NamedTuple):
    function: Callable[..., Any]
    with_kwargs: bool = False
    always_call: bool = False  # also after a forward pass that raised
    is_full: bool = True  # of a backward: for the whole module, not for its last node
    with_module: bool = True  # of load_state_dict: its first argument is the module


Hooks = OrderedDict[int, Hook]
NO_HOOKS: Hooks = cast(Hooks, MappingProxyType({}))


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

    def __init__(self, hooks: dict[int, Any], changed: Callable[[], None]) -> None:
        self.id = next(_next_id)
        self._hooks = hooks
        self._changed = changed

    def hooks_dict_ref(self) -> dict[int, Any]:
        """Return the hooks among which this one is."""
        return self._hooks

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

"""Replaces functions for the time of a trace, so that calls with proxies are recorded."""

import builtins
import contextlib
import functools
from collections.abc import Callable, Iterator
from typing import Any

from .node import map_aggregate
from .proxy import Proxy

__all__ = ["Patcher", "find_proxy", "recording"]

_PATCHED = "__fx_already_patched"


def find_proxy(*values: Any) -> Proxy | None:
    """Return the first proxy in the values, however nested."""
    found: list[Proxy] = []

    def note(leaf: Any) -> None:
        if isinstance(leaf, Proxy):
            found.append(leaf)

    map_aggregate(values, note)
    return found[0] if found else None


def recording(function: Callable[..., Any], is_wrapped: bool) -> Callable[..., Any]:
    """Return `function`, but a call with a proxy becomes a node.

    `is_wrapped` marks the node, so that its code wraps the function again for a later trace.
    """

    @functools.wraps(function)
    def record(*args: Any, **kwargs: Any) -> Any:
        proxy = find_proxy(args, kwargs)
        if proxy is None:
            return function(*args, **kwargs)
        result = proxy.tracer.create_proxy("call_function", function, args, kwargs)
        if is_wrapped:
            result.node.meta["is_wrapped"] = True
        return result

    return record


class Patcher:
    """Patches of attributes and of entries of dicts, all undone at the end.

    A name is patched once; a second patch of it is ignored.
    """

    def __init__(self) -> None:
        self._undo: list[Callable[[], None]] = []
        self._visited: set[int] = set()

    def patch_item(self, names: dict[str, Any], name: str, new: Any) -> None:
        """Replace an entry of a namespace, or hide a builtin."""
        if name in names:
            old = names[name]
            if getattr(old, _PATCHED, False):
                return
            self._undo.append(lambda: names.__setitem__(name, old))
        else:
            self._undo.append(lambda: names.pop(name, None))
        setattr(new, _PATCHED, True)
        names[name] = new

    def patch_attribute(self, owner: Any, name: str, new: Any) -> None:
        """Replace an attribute of a class."""
        old = getattr(owner, name)
        is_own = name in vars(owner)

        def undo() -> None:
            if is_own:
                setattr(owner, name, old)
            else:
                delattr(owner, name)

        self._undo.append(undo)
        setattr(owner, name, new)

    def patch_functions(
        self, names: dict[str, Any], wrapped_ids: set[int], leaf_ids: set[int]
    ) -> None:
        """Record the calls of these functions, wherever a namespace has them."""
        if id(names) in self._visited:
            return
        self._visited.add(id(names))
        for name, value in list(names.items()):
            if name.startswith("_") or not callable(value):
                continue
            if id(value) in wrapped_ids:
                self.patch_item(names, name, recording(value, is_wrapped=True))
            elif id(value) in leaf_ids:
                self.patch_item(names, name, recording(value, is_wrapped=False))

    def patch_wrapped(self, wrapped: dict[tuple[int, str], dict[str, Any]]) -> None:
        """Record the calls of the functions that `wrap` names."""
        for (_, name), names in wrapped.items():
            if name not in names and hasattr(builtins, name):
                function = getattr(builtins, name)
            elif name in names:
                function = names[name]
            else:
                continue
            if not getattr(function, _PATCHED, False):
                self.patch_item(names, name, recording(function, is_wrapped=True))

    def undo(self) -> None:
        """Undo all patches, the last first."""
        while self._undo:
            self._undo.pop()()
        self._visited.clear()


@contextlib.contextmanager
def new_patcher() -> Iterator[Patcher]:
    """Give a patcher whose patches end with the scope."""
    patcher = Patcher()
    try:
        yield patcher
    finally:
        patcher.undo()

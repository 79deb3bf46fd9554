"""Iterates over the named members of a module tree."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from .module import Module

T = TypeVar("T")


def named_members(
    module: Module,
    members_of: Callable[[Module], Mapping[str, T | None]],
    prefix: str,
    recurse: bool,
    remove_duplicate: bool,
) -> Iterator[tuple[str, T]]:
    """Yield the members of a module and its descendants with their paths."""
    modules = (
        module.named_modules(prefix=prefix, remove_duplicate=remove_duplicate)
        if recurse
        else iter([(prefix, module)])
    )
    members = (
        (f"{path}.{name}" if path else name, member)
        for path, owner in modules
        for name, member in members_of(owner).items()
        if member is not None
    )
    return each_once(members) if remove_duplicate else members


def each_once(named: Iterable[tuple[str, T]]) -> Iterator[tuple[str, T]]:
    """Skip objects already seen under another name."""
    seen: dict[int, T] = {}  # by identity: tensors compare element by element
    for name, value in named:
        if id(value) not in seen:
            seen[id(value)] = value
            yield name, value

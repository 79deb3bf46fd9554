"""Results of captured functions with objects that a graph cannot return.

Objects of Python classes that the call created are split into what a graph returns, and
created again with the same class, elements and attributes after each call. No code of the class
runs then.
"""

import collections
import types
from collections.abc import Callable
from typing import Any, NamedTuple

# What a class in Python may derive from, with the elements of an instance, and how to add them.
_BASES: dict[type, tuple[Callable, Callable]] = {
    object: (lambda each: [], lambda each, elements: None),
    tuple: (tuple.__iter__, lambda each, elements: None),
    frozenset: (frozenset.__iter__, lambda each, elements: None),
    list: (list.__iter__, list.extend),
    set: (set.__iter__, set.update),
    dict: (dict.items, dict.update),
    collections.OrderedDict: (collections.OrderedDict.items, collections.OrderedDict.update),
}
_IMMUTABLE = (tuple, frozenset)
# Objects that existed before stand for themselves.
_KEPT = (type, types.FunctionType, types.BuiltinFunctionType, types.ModuleType)
_MOST_DEPTH = 16


class _RefusedError(Exception):
    """The result holds an object that cannot be created again."""


class _Leaf(NamedTuple):
    index: int


class _Kept(NamedTuple):
    value: Any


class _Object(NamedTuple):
    kind: type
    base: type
    elements: list  # parts; of a dict: pairs of key and part
    attributes: dict[str, Any]  # parts by name

    def build(self, leaves: list) -> Any:
        if self.base in (dict, collections.OrderedDict):
            elements = [(key, _build(value, leaves)) for key, value in self.elements]
        else:
            elements = [_build(each, leaves) for each in self.elements]
        if self.base in _IMMUTABLE:
            made = self.base.__new__(self.kind, elements)
        else:
            made = self.base.__new__(self.kind)
            _BASES[self.base][1](made, elements)
        for name, value in self.attributes.items():
            made.__dict__[name] = _build(value, leaves)
        return made


def split_result(
    returned: object,
    is_new: Callable[[object], bool],
    fits: Callable[[object], bool],
    is_open: Callable[[type], bool],
) -> tuple[list, Callable[[list], Any]] | None:
    """Return the leaves of a result, and a function that makes the result of new leaves.

    `is_new` tells whether the call created an object, `fits` whether a graph can return it, and
    `is_open` whether a class is written in Python. None: the result cannot be split.

    >>> class Pair(list):
    ...     pass
    >>> fits = lambda leaf: isinstance(leaf, int)
    >>> leaves, rebuild = split_result(Pair([1, 2]), bool, fits, lambda kind: kind is Pair)
    >>> leaves, type(rebuild([3, 4])).__name__, rebuild([3, 4])
    ([1, 2], 'Pair', [3, 4])
    """
    splitter = _Splitter(is_new, fits, is_open)
    try:
        part = splitter.take(returned, 0)
    except _RefusedError:
        return None
    return splitter.leaves, lambda leaves: _build(part, leaves)


def _build(part: _Leaf | _Kept | _Object, leaves: list) -> Any:
    if isinstance(part, _Object):
        return part.build(leaves)
    return leaves[part.index] if isinstance(part, _Leaf) else part.value


def _has_slots(kind: type) -> bool:
    return any(isinstance(value, types.MemberDescriptorType) for value in vars(kind).values())


class _Splitter:
    """Splits one result."""

    def __init__(
        self,
        is_new: Callable[[object], bool],
        fits: Callable[[object], bool],
        is_open: Callable[[type], bool],
    ) -> None:
        self.is_new = is_new
        self.fits = fits
        self.is_open = is_open
        self.leaves: list = []
        self.kept: list = []  # alive, so that ids stay different
        self.seen: set[int] = set()

    def take(self, each: Any, depth: int) -> Any:
        if self.fits(each):
            self.leaves.append(each)
            return _Leaf(len(self.leaves) - 1)
        if isinstance(each, _KEPT) and not self.is_new(each):
            return _Kept(each)
        kind = type(each)
        base = self._base_of(kind)
        is_constant = base in _IMMUTABLE and kind is base
        if base is None or depth == _MOST_DEPTH or not (is_constant or self.is_new(each)):
            raise _RefusedError
        if not is_constant and id(each) in self.seen:
            raise _RefusedError  # shared: the copies would be two objects
        self.seen.add(id(each))
        self.kept.append(each)
        return _Object(kind, base, self._elements(each, base, depth), self._attributes(each, depth))

    def _base_of(self, kind: type) -> type | None:
        """Return the entry of _BASES that has all of an instance's state but its __dict__."""
        for each in kind.__mro__:
            if each in _BASES:
                return each
            if not self.is_open(each) or _has_slots(each):
                return None
        return None

    def _elements(self, each: Any, base: type, depth: int) -> list:
        elements = list(_BASES[base][0](each))
        if base not in (dict, collections.OrderedDict):
            return [self.take(element, depth + 1) for element in elements]
        if not all(isinstance(key, str | int | float | bytes | None) for key, _ in elements):
            raise _RefusedError
        return [(key, self.take(value, depth + 1)) for key, value in elements]

    def _attributes(self, each: Any, depth: int) -> dict[str, Any]:
        attributes = getattr(each, "__dict__", {}) if type(each) not in _BASES else {}
        return {name: self.take(value, depth + 1) for name, value in attributes.items()}

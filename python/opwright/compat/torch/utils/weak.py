"""torch.utils.weak: dictionaries that hold tensors weakly, by identity."""

import weakref
from collections.abc import Iterator, Mapping, MutableMapping
from typing import Any

from opwright.compat._absent import absent

__all__ = ["WeakIdKeyDictionary", "WeakTensorKeyDictionary"]

__getattr__ = absent(__name__)


class WeakIdKeyDictionary(MutableMapping[Any, Any]):
    """A dictionary whose keys are compared by identity; an entry goes with its key.

    >>> import opwright.compat.torch as torch
    >>> from opwright.compat.torch.utils.weak import WeakIdKeyDictionary
    >>> x = torch.ones(2)
    >>> names = WeakIdKeyDictionary({x: "x"})
    >>> names[x], torch.ones(2) in names, len(names)
    ('x', False, 1)
    >>> del x
    >>> len(names)
    0
    """

    def __init__(self, entries: Mapping[Any, Any] | None = None) -> None:
        self._entries: dict[int, tuple[weakref.ref[Any], Any]] = {}
        if entries is not None:
            self.update(entries)

    def __getitem__(self, key: Any) -> Any:
        found = self._entries.get(id(key))
        if found is None or found[0]() is not key:
            raise KeyError(key)
        return found[1]

    def __setitem__(self, key: Any, value: Any) -> None:
        entries, place = self._entries, id(key)

        def remove(gone: weakref.ref[Any]) -> None:
            if place in entries and entries[place][0] is gone:
                del entries[place]

        entries[place] = (weakref.ref(key, remove), value)

    def __delitem__(self, key: Any) -> None:
        self[key]
        del self._entries[id(key)]

    def __iter__(self) -> Iterator[Any]:
        for reference, _ in list(self._entries.values()):
            if (key := reference()) is not None:
                yield key

    def __len__(self) -> int:
        return len(self._entries)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {len(self)}>"


WeakTensorKeyDictionary = WeakIdKeyDictionary

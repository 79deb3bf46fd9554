"""Names of nodes and globals: valid Python identifiers, each used once."""

import builtins
import keyword
import re
from typing import Any

__all__ = ["Namespace", "snake_case"]

_ILLEGAL = re.compile(r"[^0-9a-zA-Z_]+")
_NUMBERED = re.compile(r"(.*)_(\d+)$")
# Names that generated code needs for itself.
_RESERVED = frozenset(("inf", "nan", "NoneType", "torch", "device", "fx_pytree", "pytree", "self"))


def snake_case(text: str) -> str:
    """Return a name of a class or target in the style of a variable.

    >>> snake_case("BatchNorm"), snake_case("seq.0")
    ('batch_norm', 'seq.0')
    """
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", text).lower()


class Namespace:
    """Gives every object a name of its own.

    >>> names = Namespace()
    >>> [names.create_name(candidate, None) for candidate in ("add", "add", "if")]
    ['add', 'add_1', 'if_1']
    """

    def __init__(self) -> None:
        self._names: dict[Any, str] = {}
        self._used: set[str] = set()
        self._last_number: dict[str, int] = {}

    def create_name(self, candidate: str, obj: Any | None) -> str:
        """Return a free name like `candidate`; the same object gets the same name again."""
        if obj is not None and obj in self._names:
            return self._names[obj]
        candidate = _ILLEGAL.sub("_", candidate) or "_unnamed"
        if candidate[0].isdigit():
            candidate = f"_{candidate}"
        base, number = candidate, None
        match = _NUMBERED.match(candidate)
        if match is not None:
            base, number = match.group(1), int(match.group(2))
        name = candidate if number is None else f"{base}_{number}"
        while name in self._used or self._is_illegal(name, obj):
            number = max(number or 0, self._last_number.get(base, 0)) + 1
            name = f"{base}_{number}"
        self._used.add(name)
        if number is not None:
            self._last_number[base] = max(number, self._last_number.get(base, 0))
        if obj is not None:
            self._names[obj] = name
        return name

    def associate_name_with_obj(self, name: str, obj: Any) -> None:
        """Give a used name to an object that has none."""
        existing = self._names.setdefault(obj, name)
        if existing != name:
            raise AssertionError(f"{obj!r} has the name '{existing}' already")

    def _is_illegal(self, name: str, obj: Any) -> bool:
        if keyword.iskeyword(name) or name in _RESERVED:
            return True
        return hasattr(builtins, name) and getattr(builtins, name) is not obj

    def _rename_object(self, obj: Any, name: str) -> None:
        self._names[obj] = name
        self._used.add(name)

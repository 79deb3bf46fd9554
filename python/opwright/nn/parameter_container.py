"""Containers of parameters: lists and dicts."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Self, overload

from .. import Tensor
from .module import Module
from .parameter import Parameter

__all__ = ["ParameterDict", "ParameterList"]


def _as_parameter(value: Any) -> Any:
    is_plain = isinstance(value, Tensor) and not isinstance(value, Parameter)
    return Parameter(value) if is_plain else value


def _text(value: Any) -> str:
    if not isinstance(value, Tensor):
        return f"Object of type: {type(value).__name__}"
    kind = "Parameter" if isinstance(value, Parameter) else "Tensor"
    sizes = "x".join(map(str, value.shape))
    return f"{kind} containing: [{value.dtype} of size {sizes}]"


class ParameterList(Module):
    """A list of parameters; a plain tensor becomes one.

    >>> from opwright import nn
    >>> weights = nn.ParameterList([ow.zeros(2), ow.ones(2, 3)])
    >>> weights
    ParameterList(
        (0): Parameter containing: [opwright.float32 of size 2]
        (1): Parameter containing: [opwright.float32 of size 2x3]
    )
    >>> [name for name, _ in weights.named_parameters()]
    ['0', '1']
    """

    def __init__(self, values: Iterable[Any] | None = None) -> None:
        super().__init__()
        self._size = 0
        if values is not None:
            self.extend(values)

    def _name(self, index: int) -> str:
        place = operator.index(index)
        if not -len(self) <= place < len(self):
            raise IndexError(f"index {place} is out of range for {len(self)} parameters")
        return str(place % len(self))

    @overload
    def __getitem__(self, index: int) -> Any: ...
    @overload
    def __getitem__(self, index: slice) -> ParameterList: ...
    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return type(self)(list(self)[index])
        return getattr(self, self._name(index))

    def __setitem__(self, index: int, value: Any) -> None:
        setattr(self, self._name(index), _as_parameter(value))

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[Any]:
        return iter([getattr(self, str(i)) for i in range(len(self))])

    def append(self, value: Any) -> Self:
        """Add a parameter at the end."""
        self._size += 1
        self[-1] = value
        return self

    def extend(self, values: Iterable[Any]) -> Self:
        """Add several parameters at the end."""
        if not isinstance(values, Iterable) or isinstance(values, Tensor):
            raise TypeError(
                f"ParameterList.extend: values must be a list, got {type(values).__name__}"
            )
        for value in list(values):
            self.append(value)
        return self

    def __iadd__(self, values: Iterable[Any]) -> Self:
        return self.extend(values)

    def __repr__(self) -> str:
        return _list_text("ParameterList", ((f"({i})", value) for i, value in enumerate(self)))


class ParameterDict(Module):
    """A dict of parameters; a plain tensor becomes one.

    >>> from opwright import nn
    >>> weights = nn.ParameterDict({"left": ow.zeros(2)})
    >>> weights["left"]
    Parameter containing:
    tensor([0., 0.], requires_grad=True)
    """

    def __init__(self, parameters: Mapping[str, Any] | Iterable[tuple[str, Any]] | None = None):
        super().__init__()
        self._names: list[str] = []
        if parameters is not None:
            self.update(parameters)

    def __getitem__(self, key: str) -> Any:
        if key not in self._names:
            raise KeyError(key)
        return getattr(self, key)

    def __setitem__(self, key: str, value: Any) -> None:
        setattr(self, key, _as_parameter(value))
        if key not in self._names:
            self._names.append(key)

    def __delitem__(self, key: str) -> None:
        self._names.remove(key)
        delattr(self, key)

    def __len__(self) -> int:
        return len(self._names)

    def __iter__(self) -> Iterator[str]:
        return iter(list(self._names))

    def __contains__(self, key: object) -> bool:
        return key in self._names

    def keys(self) -> Iterable[str]:
        """Return the names."""
        return list(self._names)

    def items(self) -> Iterable[tuple[str, Any]]:
        """Return names and parameters."""
        return [(name, self[name]) for name in self._names]

    def values(self) -> Iterable[Any]:
        """Return the parameters."""
        return [self[name] for name in self._names]

    def pop(self, key: str) -> Any:
        """Remove a parameter and return it."""
        value = self[key]
        del self[key]
        return value

    def update(self, parameters: Mapping[str, Any] | Iterable[tuple[str, Any]]) -> None:
        """Add parameters, replacing those with the same names."""
        if isinstance(parameters, Mapping | ParameterDict):
            parameters = parameters.items()
        for name, value in parameters:
            self[name] = value

    def __repr__(self) -> str:
        return _list_text("ParameterDict", ((f"({name})", each) for name, each in self.items()))


def _list_text(name: str, values: Iterable[tuple[str, Any]]) -> str:
    lines = [f"    {label}: {_text(value)}" for label, value in values]
    return "\n".join([f"{name}(", *lines, ")"]) if lines else f"{name}()"

"""Containers of modules: sequences, lists, dicts."""

from __future__ import annotations

import operator
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any, Self, overload

from .module import Module
from .text import tree_text

__all__ = ["ModuleDict", "ModuleList", "Sequential"]


class _Numbered(Module):
    """The common part of lists of modules: their names are their indices."""

    def _values(self) -> list[Module]:
        return [module for module in self._modules.values() if module is not None]

    def _place(self, index: int, most: int) -> int:
        """Return a non-negative index; `most` is the last one allowed."""
        place = operator.index(index)
        if not -len(self) <= place <= most:
            raise IndexError(f"index {place} is out of range for {len(self)} modules")
        return place % len(self) if place < 0 else place

    def _name(self, index: int) -> str:
        return list(self._modules)[self._place(index, len(self) - 1)]

    def _number(self, modules: Iterable[Module]) -> None:
        """Set the modules, named by their indices."""
        values = list(modules)
        for module in values:
            _check_module(type(self).__name__, module)
        self._modules.clear()
        self._modules.update((str(i), module) for i, module in enumerate(values))
        self._raise_attribute_epoch()

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Module]:
        return iter(self._values())

    def __setitem__(self, index: int, module: Module) -> None:
        _check_module(type(self).__name__, module)
        setattr(self, self._name(index), module)

    def append(self, module: Module) -> Self:
        """Add a module at the end."""
        self.add_module(str(len(self)), module)
        return self

    def extend(self, modules: Iterable[Module]) -> Self:
        """Add several modules at the end."""
        if not isinstance(modules, Iterable):
            raise TypeError(
                f"{type(self).__name__}.extend: modules must be iterable, "
                f"got {type(modules).__name__}"
            )
        for module in list(modules):
            self.append(module)
        return self

    def __iadd__(self, modules: Iterable[Module]) -> Self:
        return self.extend(modules)

    def __dir__(self) -> list[str]:
        return [name for name in super().__dir__() if not name.isdigit()]


def _check_module(where: str, module: object) -> None:
    if not isinstance(module, Module):
        raise TypeError(f"{where}: a module is needed, got {type(module).__name__}")


class Sequential(_Numbered):
    """Calls modules one after another, each with the result of the previous one.

    >>> from opwright import nn
    >>> model = nn.Sequential(nn.Flatten(), nn.ReLU())
    >>> model(-ow.ones(1, 2, 2))
    tensor([[0., 0., 0., 0.]])
    >>> model[1]
    ReLU()

    An OrderedDict gives the modules their names.
    """

    @overload
    def __init__(self, *args: Module) -> None: ...
    @overload
    def __init__(self, arg: OrderedDict[str, Module], /) -> None: ...
    def __init__(self, *args: Any) -> None:
        super().__init__()
        if len(args) == 1 and isinstance(args[0], OrderedDict):
            named: Iterable[tuple[str, Module]] = args[0].items()
        else:
            named = ((str(i), module) for i, module in enumerate(args))
        for name, module in named:
            _check_module("Sequential", module)
            self.add_module(name, module)

    def forward(self, input: Any) -> Any:
        for module in self:
            input = module(input)
        return input

    forward.calls_in_order = True  # type: ignore[attr-defined]

    @overload
    def __getitem__(self, index: int) -> Module: ...
    @overload
    def __getitem__(self, index: slice) -> Sequential: ...
    def __getitem__(self, index: int | slice) -> Module:
        if isinstance(index, slice):
            return type(self)(OrderedDict(list(self._modules.items())[index]))  # type: ignore[arg-type]
        return self._values()[self._place(index, len(self) - 1)]

    def __delitem__(self, index: int | slice) -> None:
        if isinstance(index, slice):
            for name in list(self._modules)[index]:
                delattr(self, name)
        else:
            delattr(self, self._name(index))
        self._number(self._values())

    def pop(self, index: int) -> Module:
        """Remove a module and return it."""
        module = self[index]
        del self[index]
        return module

    def insert(self, index: int, module: Module) -> Self:
        """Insert a module before the one at an index."""
        _check_module("Sequential.insert", module)
        values = self._values()
        values.insert(self._place(index, len(self)), module)
        self._number(values)
        return self

    def __add__(self, other: Sequential) -> Sequential:
        if not isinstance(other, Sequential):
            raise ValueError(f"Sequential + {type(other).__name__}: both must be Sequential")
        return Sequential(*self, *other)

    def __mul__(self, count: int) -> Sequential:
        if not isinstance(count, int):
            raise TypeError(f"Sequential * {type(count).__name__}: an int is needed")
        if count <= 0:
            raise ValueError(f"Sequential * {count}: the count must be positive")
        return Sequential(*chain.from_iterable([self._values()] * count))

    def __rmul__(self, count: int) -> Sequential:
        return self * count


class ModuleList(_Numbered):
    """A list of modules, which are part of the module tree.

    >>> from opwright import nn
    >>> layers = nn.ModuleList([nn.Identity() for _ in range(3)])
    >>> layers.append(nn.ReLU())
    ModuleList(
      (0-2): 3 x Identity()
      (3): ReLU()
    )
    >>> len(layers), layers[-1]
    (4, ReLU())
    """

    def __init__(self, modules: Iterable[Module] | None = None) -> None:
        super().__init__()
        if modules is not None:
            self.extend(modules)

    @overload
    def __getitem__(self, index: int) -> Module: ...
    @overload
    def __getitem__(self, index: slice) -> ModuleList: ...
    def __getitem__(self, index: int | slice) -> Module:
        if isinstance(index, slice):
            return type(self)(self._values()[index])
        return self._values()[self._place(index, len(self) - 1)]

    def __delitem__(self, index: int | slice) -> None:
        values = self._values()
        if isinstance(index, slice):
            del values[index]
        else:
            del values[self._place(index, len(self) - 1)]
        self._number(values)

    def insert(self, index: int, module: Module) -> None:
        """Insert a module before the one at an index."""
        values = self._values()
        values.insert(index, module)
        self._number(values)

    def pop(self, index: int) -> Module:
        """Remove a module and return it."""
        module = self[index]
        del self[index]
        return module

    def __add__(self, other: Iterable[Module]) -> ModuleList:
        return ModuleList(chain(self, other))

    def __repr__(self) -> str:
        """Show equal neighbours once."""
        groups: list[tuple[int, int, str]] = []  # first index, last index, text
        for i, text in enumerate(map(repr, self)):
            if groups and groups[-1][2] == text:
                groups[-1] = (groups[-1][0], i, text)
            else:
                groups.append((i, i, text))
        children = [
            f"({first}): {text}"
            if first == last
            else f"({first}-{last}): {last - first + 1} x {text}"
            for first, last, text in groups
        ]
        return tree_text(self._get_name(), [], children)


class ModuleDict(Module):
    """A dict of modules, which are part of the module tree.

    >>> from opwright import nn
    >>> choices = nn.ModuleDict({"relu": nn.ReLU(), "tanh": nn.Tanh()})
    >>> choices["relu"](ow.tensor([-1.0]))
    tensor([0.])
    >>> list(choices)
    ['relu', 'tanh']
    """

    def __init__(
        self, modules: Mapping[str, Module] | Iterable[tuple[str, Module]] | None = None
    ) -> None:
        super().__init__()
        if modules is not None:
            self.update(modules)

    def _named(self) -> dict[str, Module]:
        return {name: module for name, module in self._modules.items() if module is not None}

    def __getitem__(self, key: str) -> Module:
        return self._named()[key]

    def __setitem__(self, key: str, module: Module) -> None:
        self.add_module(key, module)

    def __delitem__(self, key: str) -> None:
        del self._modules[key]
        self._raise_attribute_epoch()

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __contains__(self, key: str) -> bool:
        return key in self._modules

    def clear(self) -> None:
        """Remove all modules."""
        self._modules.clear()
        self._raise_attribute_epoch()

    def pop(self, key: str) -> Module:
        """Remove a module and return it."""
        module = self[key]
        del self[key]
        return module

    def keys(self) -> Iterable[str]:
        """Return the names."""
        return self._modules.keys()

    def items(self) -> Iterable[tuple[str, Module]]:
        """Return names and modules."""
        return self._named().items()

    def values(self) -> Iterable[Module]:
        """Return the modules."""
        return self._named().values()

    def update(self, modules: Mapping[str, Module] | Iterable[tuple[str, Module]]) -> None:
        """Add modules, replacing those with the same names."""
        if not isinstance(modules, Iterable):
            raise TypeError(
                "ModuleDict.update: modules must be a mapping or pairs of name and module, "
                f"got {type(modules).__name__}"
            )
        pairs = modules.items() if isinstance(modules, Mapping | ModuleDict) else modules
        for name, module in pairs:
            self[name] = module

"""Types shared by the constructors of modules, and conversion of sizes to tuples."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias, TypeVar

import opwright as ow

T = TypeVar("T")

DeviceLike: TypeAlias = str | ow.device
Size1: TypeAlias = int | tuple[int]
Size2: TypeAlias = int | tuple[int, int]
Size3: TypeAlias = int | tuple[int, int, int]
SizeLike: TypeAlias = int | tuple[int, ...]
OptionalSizeLike: TypeAlias = int | tuple[int | None, ...] | None


def repeat(value: T | tuple[T, ...], count: int) -> tuple[T, ...]:
    """Expand one size to a tuple for `count` dimensions; a tuple stays as it is."""
    if not isinstance(value, tuple | list):
        return (value,) * count
    if len(value) != count:
        raise ValueError(f"{count} sizes are needed, got {tuple(value)}")
    return tuple(value)


def factory_kwargs(kwargs: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the keywords of functions that create tensors: device, dtype and memory_format.

    They are given as such, or under `factory_kwargs` where a module has an argument of that name.

    >>> ow.nn.factory_kwargs({"factory_kwargs": {"dtype": ow.float64}})
    {'dtype': opwright.float64}
    """
    if kwargs is None:
        return {}
    names = ("device", "dtype", "memory_format")
    unknown = sorted(set(kwargs) - {*names, "factory_kwargs"})
    if unknown:
        raise TypeError(f"factory_kwargs: unexpected keywords {', '.join(unknown)}")
    result = dict(kwargs.get("factory_kwargs", {}))
    for name in names:
        if name in kwargs and name in result:
            raise TypeError(f"factory_kwargs: {name} is given twice, also in factory_kwargs")
        if name in kwargs:
            result[name] = kwargs[name]
    return result

"""Types shared by the constructors of modules, and conversion of sizes to tuples."""

from __future__ import annotations

from typing import TypeAlias, TypeVar

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

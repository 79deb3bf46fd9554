"""Attributes of ops with their kind, for values whose kind is ambiguous in Python.

>>> from opwright import ge
>>> ge.attr.Float(1)
Float(value=1.0)

A plain value is enough where its kind is clear: an int is an Int, [1, 2] a ListInt.
"""

from collections.abc import Iterable
from typing import Any

__all__ = [
    "Bool",
    "DataType",
    "Float",
    "Int",
    "ListBool",
    "ListDataType",
    "ListFloat",
    "ListInt",
    "ListListFloat",
    "ListListInt",
    "ListStr",
    "Str",
]


class _Attribute:
    _ge_kind: str

    def __init__(self, value: Any) -> None:
        self.value = self._read(value)

    @staticmethod
    def _read(value: Any) -> Any:
        return value

    def __repr__(self) -> str:
        return f"{type(self).__name__}(value={self.value!r})"

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.value == other.value

    def __hash__(self) -> int:
        return hash((type(self), str(self.value)))


def _list_of(kind: type) -> Any:
    def read(values: Iterable[Any]) -> list[Any]:
        return [kind(each) for each in values]

    return staticmethod(read)


class Int(_Attribute):
    """An int.

    >>> from opwright import ge
    >>> ge.attr.Int(3)
    Int(value=3)
    """

    _ge_kind = "Int"
    _read: Any = staticmethod(int)


class Float(_Attribute):
    """A float.

    >>> from opwright import ge
    >>> ge.attr.Float(3)
    Float(value=3.0)
    """

    _ge_kind = "Float"
    _read: Any = staticmethod(float)


class Bool(_Attribute):
    """A bool.

    >>> from opwright import ge
    >>> ge.attr.Bool(1)
    Bool(value=True)
    """

    _ge_kind = "Bool"
    _read: Any = staticmethod(bool)


class Str(_Attribute):
    """A string.

    >>> from opwright import ge
    >>> ge.attr.Str("SAME")
    Str(value='SAME')
    """

    _ge_kind = "String"
    _read: Any = staticmethod(str)


class DataType(_Attribute):
    """An element type, a ge.DataType.

    >>> from opwright import ge
    >>> ge.attr.DataType(ge.DataType.DT_INT64)
    DataType(value=9)
    """

    _ge_kind = "Type"
    _read: Any = staticmethod(int)


class ListInt(_Attribute):
    """A list of ints.

    >>> from opwright import ge
    >>> ge.attr.ListInt((1, 2))
    ListInt(value=[1, 2])
    """

    _ge_kind = "ListInt"
    _read: Any = _list_of(int)


class ListFloat(_Attribute):
    """A list of floats.

    >>> from opwright import ge
    >>> ge.attr.ListFloat([1])
    ListFloat(value=[1.0])
    """

    _ge_kind = "ListFloat"
    _read: Any = _list_of(float)


class ListBool(_Attribute):
    """A list of bools.

    >>> from opwright import ge
    >>> ge.attr.ListBool([True])
    ListBool(value=[True])
    """

    _ge_kind = "ListBool"
    _read: Any = _list_of(bool)


class ListStr(_Attribute):
    """A list of strings.

    >>> from opwright import ge
    >>> ge.attr.ListStr(["a"])
    ListStr(value=['a'])
    """

    _ge_kind = "ListString"
    _read: Any = _list_of(str)


class ListDataType(_Attribute):
    """A list of element types.

    >>> from opwright import ge
    >>> ge.attr.ListDataType([ge.DataType.DT_FLOAT])
    ListDataType(value=[0])
    """

    _ge_kind = "ListType"
    _read: Any = _list_of(int)


class ListListInt(_Attribute):
    """A list of lists of ints.

    >>> from opwright import ge
    >>> ge.attr.ListListInt([(0, 1), (2,)])
    ListListInt(value=[[0, 1], [2]])
    """

    _ge_kind = "ListListInt"

    @staticmethod
    def _read(values: Any) -> Any:
        return [[int(each) for each in row] for row in values]


class ListListFloat(_Attribute):
    """A list of lists of floats.

    >>> from opwright import ge
    >>> ge.attr.ListListFloat([[1]])
    ListListFloat(value=[[1.0]])
    """

    _ge_kind = "ListListFloat"

    @staticmethod
    def _read(values: Any) -> Any:
        return [[float(each) for each in row] for row in values]

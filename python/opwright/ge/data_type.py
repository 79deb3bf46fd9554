"""DataType: the engine's numbers of element types."""

import enum

from .. import _C

__all__ = ["DataType"]


class DataType(enum.IntEnum):
    """An element type, by the engine's own number.

    >>> from opwright import ge
    >>> ge.DataType.DT_FLOAT16
    <DataType.DT_FLOAT16: 1>
    """

    DT_FLOAT = 0
    DT_FLOAT16 = 1
    DT_INT8 = 2
    DT_INT32 = 3
    DT_UINT8 = 4
    DT_INT16 = 6
    DT_UINT16 = 7
    DT_UINT32 = 8
    DT_INT64 = 9
    DT_UINT64 = 10
    DT_DOUBLE = 11
    DT_BOOL = 12
    DT_STRING = 13
    DT_COMPLEX64 = 16
    DT_COMPLEX128 = 17
    DT_BF16 = 27
    DT_UNDEFINED = 28
    DT_FLOAT8_E5M2 = 35
    DT_FLOAT8_E4M3FN = 36


_DTYPES = {
    DataType.DT_FLOAT: "float32",
    DataType.DT_FLOAT16: "float16",
    DataType.DT_INT8: "int8",
    DataType.DT_INT32: "int32",
    DataType.DT_UINT8: "uint8",
    DataType.DT_INT16: "int16",
    DataType.DT_UINT16: "uint16",
    DataType.DT_UINT32: "uint32",
    DataType.DT_INT64: "int64",
    DataType.DT_UINT64: "uint64",
    DataType.DT_DOUBLE: "float64",
    DataType.DT_BOOL: "bool",
    DataType.DT_COMPLEX64: "complex64",
    DataType.DT_COMPLEX128: "complex128",
    DataType.DT_BF16: "bfloat16",
    DataType.DT_FLOAT8_E5M2: "float8_e5m2",
    DataType.DT_FLOAT8_E4M3FN: "float8_e4m3fn",
}


def dtype_of(given: object) -> object:
    """Return the dtype of a DataType; return anything else unchanged."""
    if not isinstance(given, DataType):
        return given
    if given not in _DTYPES:
        raise TypeError(f"ge: there are no tensors of {given.name} here")
    return getattr(_C, _DTYPES[given])

"""JitScalarType: the dtypes of values, with the names that PyTorch's symbolics use."""

from __future__ import annotations

import enum
from typing import Any

from .. import _C

__all__ = ["JitScalarType"]

_OF = {name: (dtype, number) for dtype, name, _, number in _C.onnx_scalar_types}


class _JitScalarType(enum.IntEnum):
    """A dtype by PyTorch's number.

    >>> from opwright.onnx.scalar_type import JitScalarType
    >>> JitScalarType.FLOAT.onnx_type(), JitScalarType.from_dtype(ow.int64).scalar_name()
    (1, 'Long')
    """

    @classmethod
    def from_name(cls, name: str) -> Any:
        """Return the type of "Float", "Long", ...; ValueError for another name."""
        if name not in _OF:
            raise ValueError(f"there is no scalar type '{name}'; there are {', '.join(_OF)}")
        return cls[name.upper()]

    @classmethod
    def from_dtype(cls, dtype: _C.dtype) -> Any:
        """Return the type of a dtype."""
        return next(each for each in cls if each.dtype() is dtype)

    @classmethod
    def from_value(cls, value: Any, default: Any = None) -> Any:
        """Return the type of a value or tensor; `default` if unknown."""
        dtype = value.type().dtype() if isinstance(value, _C.OnnxValue) else value.dtype
        if dtype is not None:
            return cls.from_dtype(dtype)
        if default is None:
            raise ValueError(f"the dtype of {value!r} is not known")
        return default

    def scalar_name(self) -> str:
        """Return "Float", "Long", ..."""
        return next(name for name in _OF if name.upper() == self.name)

    def dtype(self) -> _C.dtype:
        """Return the dtype."""
        return _OF[self.scalar_name()][0]

    def onnx_type(self) -> int:
        """Return ONNX's number for it."""
        return _OF[self.scalar_name()][1]


JitScalarType = _JitScalarType(
    "JitScalarType", {name.upper(): number for _, name, number, _ in _C.onnx_scalar_types}
)

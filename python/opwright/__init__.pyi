# The package. The part between the two marks is made from src/ops/functions.yaml by
# tools/update_stubs.

import os
from builtins import bool as _bool
from builtins import float as _float
from collections.abc import Sequence
from typing import overload

from . import compat as compat
from . import cpp_extension as cpp_extension
from . import debug as debug
from . import library as library
from ._C import Operator as Operator
from ._C import OperatorPacket as OperatorPacket
from ._C import Schema as Schema
from ._C import Tensor as Tensor
from ._C import _DeviceLike, _dtype, _Int, _layout, _memory_format, _Number
from ._C import as_tensor as as_tensor
from ._C import asarray as asarray
from ._C import bfloat16 as bfloat16
from ._C import bool as bool
from ._C import cdouble as cdouble
from ._C import cfloat as cfloat
from ._C import channels_last as channels_last
from ._C import channels_last_3d as channels_last_3d
from ._C import complex64 as complex64
from ._C import complex128 as complex128
from ._C import contiguous_format as contiguous_format
from ._C import device as device
from ._C import double as double
from ._C import dtype as dtype
from ._C import float as float
from ._C import float8_e4m3fn as float8_e4m3fn
from ._C import float8_e5m2 as float8_e5m2
from ._C import float16 as float16
from ._C import float32 as float32
from ._C import float64 as float64
from ._C import from_dlpack as from_dlpack
from ._C import from_numpy as from_numpy
from ._C import frombuffer as frombuffer
from ._C import half as half
from ._C import int as int
from ._C import int8 as int8
from ._C import int16 as int16
from ._C import int32 as int32
from ._C import int64 as int64
from ._C import is_tensor as is_tensor
from ._C import layout as layout
from ._C import long as long
from ._C import memory_format as memory_format
from ._C import num_threads as num_threads
from ._C import ops as ops
from ._C import preserve_format as preserve_format
from ._C import set_num_threads as set_num_threads
from ._C import short as short
from ._C import strided as strided
from ._C import tensor as tensor
from ._C import uint8 as uint8
from ._C import uint16 as uint16
from ._C import uint32 as uint32
from ._C import uint64 as uint64

__version__: str
_DTYPES: dict[str, _dtype]
_FUNCTIONS: dict[str, OperatorPacket]
__all__ = [
    "Operator",
    "OperatorPacket",
    "Schema",
    "Tensor",
    "as_tensor",
    "asarray",
    "channels_last",
    "channels_last_3d",
    "contiguous_format",
    "device",
    "dtype",
    "from_dlpack",
    "from_numpy",
    "frombuffer",
    "is_tensor",
    "layout",
    "library",
    "load_library",
    "memory_format",
    "num_threads",
    "ops",
    "preserve_format",
    "set_num_threads",
    "strided",
    "tensor",
]

def load_library(path: str | os.PathLike[str]) -> None: ...

# ---- operators: begin ----
def abs(self: Tensor) -> Tensor: ...
@overload
def add(self: Tensor, other: Tensor, *, alpha: _Number = 1) -> Tensor: ...
@overload
def add(self: Tensor, other: _Number, alpha: _Number = 1) -> Tensor: ...
def alias(self: Tensor) -> Tensor: ...
def allclose(
    self: Tensor,
    other: Tensor,
    rtol: _float = 1e-05,
    atol: _float = 1e-08,
    equal_nan: _bool = False,
) -> _bool: ...
@overload
def arange(
    end: _Number,
    *,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _DeviceLike | None = None,
    pin_memory: _bool | None = None,
    requires_grad: _bool = False,
) -> Tensor: ...
@overload
def arange(
    start: _Number,
    end: _Number,
    *,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _DeviceLike | None = None,
    pin_memory: _bool | None = None,
    requires_grad: _bool = False,
) -> Tensor: ...
@overload
def arange(
    start: _Number,
    end: _Number,
    step: _Number = 1,
    *,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _DeviceLike | None = None,
    pin_memory: _bool | None = None,
    requires_grad: _bool = False,
) -> Tensor: ...
def as_strided(
    self: Tensor, size: Sequence[_Int], stride: Sequence[_Int], storage_offset: _Int | None = None
) -> Tensor: ...
@overload
def bitwise_and(self: Tensor, other: Tensor) -> Tensor: ...
@overload
def bitwise_and(self: Tensor, other: _Number) -> Tensor: ...
def bitwise_not(self: Tensor) -> Tensor: ...
@overload
def bitwise_or(self: Tensor, other: Tensor) -> Tensor: ...
@overload
def bitwise_or(self: Tensor, other: _Number) -> Tensor: ...
@overload
def bitwise_xor(self: Tensor, other: Tensor) -> Tensor: ...
@overload
def bitwise_xor(self: Tensor, other: _Number) -> Tensor: ...
def bmm(self: Tensor, mat2: Tensor) -> Tensor: ...
def clone(self: Tensor, *, memory_format: _memory_format | None = None) -> Tensor: ...
def cos(self: Tensor) -> Tensor: ...
def detach(self: Tensor) -> Tensor: ...
@overload
def div(self: Tensor, other: Tensor) -> Tensor: ...
@overload
def div(self: Tensor, other: _Number) -> Tensor: ...
def dot(self: Tensor, tensor: Tensor) -> Tensor: ...
@overload
def empty(
    size: Sequence[_Int],
    *,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _DeviceLike | None = None,
    pin_memory: _bool | None = None,
    memory_format: _memory_format | None = None,
    requires_grad: _bool = False,
) -> Tensor: ...
@overload
def empty(
    *size: _Int,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _DeviceLike | None = None,
    pin_memory: _bool | None = None,
    memory_format: _memory_format | None = None,
    requires_grad: _bool = False,
) -> Tensor: ...
def empty_like(
    self: Tensor,
    *,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _DeviceLike | None = None,
    pin_memory: _bool | None = None,
    memory_format: _memory_format | None = None,
    requires_grad: _bool = False,
) -> Tensor: ...
def empty_strided(
    size: Sequence[_Int],
    stride: Sequence[_Int],
    *,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _DeviceLike | None = None,
    pin_memory: _bool | None = None,
    requires_grad: _bool = False,
) -> Tensor: ...
@overload
def eq(self: Tensor, other: Tensor) -> Tensor: ...
@overload
def eq(self: Tensor, other: _Number) -> Tensor: ...
def equal(self: Tensor, other: Tensor) -> _bool: ...
def exp(self: Tensor) -> Tensor: ...
def fill_(self: Tensor, value: _Number) -> Tensor: ...
def full(
    size: Sequence[_Int],
    fill_value: _Number,
    *,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _DeviceLike | None = None,
    pin_memory: _bool | None = None,
    requires_grad: _bool = False,
) -> Tensor: ...
def full_like(
    self: Tensor,
    fill_value: _Number,
    *,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _DeviceLike | None = None,
    pin_memory: _bool | None = None,
    memory_format: _memory_format | None = None,
    requires_grad: _bool = False,
) -> Tensor: ...
@overload
def ge(self: Tensor, other: Tensor) -> Tensor: ...
@overload
def ge(self: Tensor, other: _Number) -> Tensor: ...
@overload
def gt(self: Tensor, other: Tensor) -> Tensor: ...
@overload
def gt(self: Tensor, other: _Number) -> Tensor: ...
@overload
def le(self: Tensor, other: Tensor) -> Tensor: ...
@overload
def le(self: Tensor, other: _Number) -> Tensor: ...
def linspace(
    start: _Number,
    end: _Number,
    steps: _Int,
    *,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _DeviceLike | None = None,
    pin_memory: _bool | None = None,
    requires_grad: _bool = False,
) -> Tensor: ...
def logical_not(self: Tensor) -> Tensor: ...
@overload
def lt(self: Tensor, other: Tensor) -> Tensor: ...
@overload
def lt(self: Tensor, other: _Number) -> Tensor: ...
def matmul(self: Tensor, other: Tensor) -> Tensor: ...
def mm(self: Tensor, mat2: Tensor) -> Tensor: ...
@overload
def mul(self: Tensor, other: Tensor) -> Tensor: ...
@overload
def mul(self: Tensor, other: _Number) -> Tensor: ...
def mv(self: Tensor, vec: Tensor) -> Tensor: ...
@overload
def ne(self: Tensor, other: Tensor) -> Tensor: ...
@overload
def ne(self: Tensor, other: _Number) -> Tensor: ...
def neg(self: Tensor) -> Tensor: ...
@overload
def ones(
    size: Sequence[_Int],
    *,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _DeviceLike | None = None,
    pin_memory: _bool | None = None,
    requires_grad: _bool = False,
) -> Tensor: ...
@overload
def ones(
    *size: _Int,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _DeviceLike | None = None,
    pin_memory: _bool | None = None,
    requires_grad: _bool = False,
) -> Tensor: ...
def ones_like(
    self: Tensor,
    *,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _DeviceLike | None = None,
    pin_memory: _bool | None = None,
    memory_format: _memory_format | None = None,
    requires_grad: _bool = False,
) -> Tensor: ...
@overload
def permute(self: Tensor, dims: Sequence[_Int]) -> Tensor: ...
@overload
def permute(self: Tensor, *dims: _Int) -> Tensor: ...
def reciprocal(self: Tensor) -> Tensor: ...
@overload
def reshape(self: Tensor, shape: Sequence[_Int]) -> Tensor: ...
@overload
def reshape(self: Tensor, *shape: _Int) -> Tensor: ...
def rsub(self: Tensor, other: _Number, alpha: _Number = 1) -> Tensor: ...
def scalar_tensor(
    s: _Number,
    *,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _DeviceLike | None = None,
    pin_memory: _bool | None = None,
    requires_grad: _bool = False,
) -> Tensor: ...
def select(self: Tensor, dim: _Int, index: _Int) -> Tensor: ...
def sin(self: Tensor) -> Tensor: ...
def slice(
    self: Tensor, dim: _Int = 0, start: _Int | None = None, end: _Int | None = None, step: _Int = 1
) -> Tensor: ...
@overload
def squeeze(self: Tensor) -> Tensor: ...
@overload
def squeeze(self: Tensor, dim: _Int) -> Tensor: ...
@overload
def sub(self: Tensor, other: Tensor, *, alpha: _Number = 1) -> Tensor: ...
@overload
def sub(self: Tensor, other: _Number, alpha: _Number = 1) -> Tensor: ...
@overload
def sum(self: Tensor, *, dtype: _dtype | None = None) -> Tensor: ...
@overload
def sum(
    self: Tensor,
    dim: _Int | Sequence[_Int] | None,
    keepdim: _bool = False,
    *,
    dtype: _dtype | None = None,
) -> Tensor: ...
def t(self: Tensor) -> Tensor: ...
def transpose(self: Tensor, dim0: _Int, dim1: _Int) -> Tensor: ...
def unsqueeze(self: Tensor, dim: _Int) -> Tensor: ...
def zero_(self: Tensor) -> Tensor: ...
@overload
def zeros(
    size: Sequence[_Int],
    *,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _DeviceLike | None = None,
    pin_memory: _bool | None = None,
    requires_grad: _bool = False,
) -> Tensor: ...
@overload
def zeros(
    *size: _Int,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _DeviceLike | None = None,
    pin_memory: _bool | None = None,
    requires_grad: _bool = False,
) -> Tensor: ...
def zeros_like(
    self: Tensor,
    *,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _DeviceLike | None = None,
    pin_memory: _bool | None = None,
    memory_format: _memory_format | None = None,
    requires_grad: _bool = False,
) -> Tensor: ...

# ---- operators: end ----

# The package. The part between the two marks is made from src/ops/functions.yaml by
# tools/update_stubs.

import os
from builtins import bool as _bool
from builtins import float as _float
from builtins import int as _int
from collections.abc import Sequence
from typing import Any, Literal, overload

from . import amp as amp
from . import autocast_mode as autocast_mode
from . import autograd as autograd
from . import compat as compat
from . import compiler as compiler
from . import control_flow as control_flow
from . import convert as convert
from . import cpp_extension as cpp_extension
from . import cuda as cuda
from . import debug as debug
from . import declare as declare
from . import dtype_limits as dtype_limits
from . import export as export
from . import fake as fake
from . import fft as fft
from . import func as func
from . import grad_mode as grad_mode
from . import graph as graph
from . import jax as jax
from . import library as library
from . import linalg as linalg
from . import nn as nn
from . import onnx as onnx
from . import onnxruntime as onnxruntime
from . import opencl as opencl
from . import optim as optim
from . import pytree as pytree
from . import random as random
from . import return_types as _return_types
from . import return_types as return_types
from . import safetensors as safetensors
from . import special as special
from . import symbolic as symbolic
from . import testing as testing
from . import torch as torch
from . import tracing as tracing
from ._C import DataDependentError as DataDependentError
from ._C import Generator as Generator
from ._C import Graph as Graph
from ._C import GraphBreakError as GraphBreakError
from ._C import Node as Node
from ._C import NodeValue as NodeValue
from ._C import Operator as Operator
from ._C import OperatorPacket as OperatorPacket
from ._C import PerformanceWarning as PerformanceWarning
from ._C import Schema as Schema
from ._C import Size as Size
from ._C import SourceKernel as SourceKernel
from ._C import Tensor as Tensor
from ._C import UntypedStorage as UntypedStorage
from ._C import _DeviceLike, _dtype, _Generator, _Int, _layout, _memory_format, _Number
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
from ._C import default_generator as default_generator
from ._C import device as device
from ._C import double as double
from ._C import dtype as dtype
from ._C import enable_grad as enable_grad
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
from ._C import inference_mode as inference_mode
from ._C import int as int
from ._C import int8 as int8
from ._C import int16 as int16
from ._C import int32 as int32
from ._C import int64 as int64
from ._C import is_grad_enabled as is_grad_enabled
from ._C import is_inference_mode_enabled as is_inference_mode_enabled
from ._C import is_tensor as is_tensor
from ._C import layout as layout
from ._C import long as long
from ._C import memory_format as memory_format
from ._C import no_grad as no_grad
from ._C import num_threads as num_threads
from ._C import ops as ops
from ._C import preserve_format as preserve_format
from ._C import set_grad_enabled as set_grad_enabled
from ._C import set_num_threads as set_num_threads
from ._C import short as short
from ._C import strided as strided
from ._C import tensor as tensor
from ._C import uint8 as uint8
from ._C import uint16 as uint16
from ._C import uint32 as uint32
from ._C import uint64 as uint64
from ._compile.explain import explain as explain
from ._device.devices import device_count as device_count
from ._device.devices import devices as devices
from ._device.devices import is_available as is_available
from ._device.devices import load_device as load_device
from ._device.fallback import allow_fallback as allow_fallback
from ._device.fallback import fallback_counts as fallback_counts
from ._device.fallback import reset_fallback_counts as reset_fallback_counts
from ._device.module import device_module as device_module
from ._saved.data_file import load as load
from ._saved.data_file import save as save
from ._settings.default_device import get_default_device as get_default_device
from ._settings.default_device import set_default_device as set_default_device
from .autocast_mode import autocast as autocast
from .autocast_mode import get_autocast_dtype as get_autocast_dtype
from .autocast_mode import is_autocast_enabled as is_autocast_enabled
from .autograd import gradcheck as gradcheck
from .autograd import gradgradcheck as gradgradcheck
from .compiler import compile as compile
from .compiler import register_backend as register_backend
from .control_flow import cond as cond
from .control_flow import while_loop as while_loop
from .dtype_limits import finfo as finfo
from .dtype_limits import iinfo as iinfo
from .export import ExportedProgram as ExportedProgram
from .fake import FakeTensor as FakeTensor
from .fake import FakeTensorMode as FakeTensorMode
from .func import vmap as vmap
from .random import get_rng_state as get_rng_state
from .random import initial_seed as initial_seed
from .random import manual_seed as manual_seed
from .random import seed as seed
from .random import set_rng_state as set_rng_state
from .symbolic import ShapeEnv as ShapeEnv
from .symbolic import SymBool as SymBool
from .symbolic import SymInt as SymInt
from .symbolic import check as check
from .symbolic import check_size as check_size
from .symbolic import guard_or_false as guard_or_false
from .symbolic import guard_or_true as guard_or_true
from .symbolic import is_symbolic as is_symbolic
from .symbolic import sym_max as sym_max
from .symbolic import sym_min as sym_min
from .symbolic import sym_not as sym_not
from .testing import OpCheckError as OpCheckError
from .testing import opcheck as opcheck
from .tracing import GraphModule as GraphModule
from .tracing import make_fx as make_fx

__version__: str

inf: _float
nan: _float
pi: _float
e: _float
newaxis: None

@overload
def nonzero(input: Tensor, *, as_tuple: Literal[False] = False) -> Tensor: ...
@overload
def nonzero(input: Tensor, *, as_tuple: Literal[True]) -> tuple[Tensor, ...]: ...
def unique(
    input: Tensor,
    sorted: _bool = True,
    return_inverse: _bool = False,
    return_counts: _bool = False,
    dim: _int | None = None,
) -> Any: ...
def unique_consecutive(
    input: Tensor,
    return_inverse: _bool = False,
    return_counts: _bool = False,
    dim: _int | None = None,
) -> Any: ...
def norm(
    input: Tensor,
    p: _Number | str | None = "fro",
    dim: _int | Sequence[_int] | None = None,
    keepdim: _bool = False,
    out: None = None,
    dtype: _dtype | None = None,
) -> Tensor: ...

_DTYPES: dict[str, _dtype]
_FUNCTIONS: dict[str, OperatorPacket]
__all__ = [
    "DataDependentError",
    "ExportedProgram",
    "FakeTensor",
    "FakeTensorMode",
    "Generator",
    "Graph",
    "GraphBreakError",
    "GraphModule",
    "Node",
    "NodeValue",
    "OpCheckError",
    "Operator",
    "OperatorPacket",
    "PerformanceWarning",
    "Schema",
    "ShapeEnv",
    "Size",
    "SourceKernel",
    "SymBool",
    "SymInt",
    "Tensor",
    "UntypedStorage",
    "allow_fallback",
    "as_tensor",
    "asarray",
    "autocast",
    "channels_last",
    "channels_last_3d",
    "check",
    "check_size",
    "compile",
    "compiler",
    "cond",
    "contiguous_format",
    "default_generator",
    "device",
    "device_count",
    "device_module",
    "devices",
    "dtype",
    "e",
    "enable_grad",
    "explain",
    "export",
    "fake",
    "fallback_counts",
    "finfo",
    "from_dlpack",
    "from_numpy",
    "frombuffer",
    "get_autocast_dtype",
    "get_default_device",
    "get_rng_state",
    "gradcheck",
    "gradgradcheck",
    "guard_or_false",
    "guard_or_true",
    "iinfo",
    "inf",
    "inference_mode",
    "initial_seed",
    "is_autocast_enabled",
    "is_available",
    "is_grad_enabled",
    "is_inference_mode_enabled",
    "is_symbolic",
    "is_tensor",
    "layout",
    "library",
    "load",
    "load_device",
    "load_library",
    "load_program",
    "make_fx",
    "manual_seed",
    "memory_format",
    "nan",
    "newaxis",
    "no_grad",
    "num_threads",
    "opcheck",
    "ops",
    "pi",
    "preserve_format",
    "random",
    "register_backend",
    "reset_fallback_counts",
    "save",
    "seed",
    "set_default_device",
    "set_grad_enabled",
    "set_num_threads",
    "set_rng_state",
    "strided",
    "sym_max",
    "sym_min",
    "sym_not",
    "symbolic",
    "tensor",
    "vmap",
    "while_loop",
]

def load_library(path: str | os.PathLike[str]) -> None: ...
def load_program(path: str | os.PathLike[str]) -> ExportedProgram: ...

# ---- operators: begin ----
def abs(self: Tensor) -> Tensor: ...
def abs_(self: Tensor) -> Tensor: ...
def absolute(self: Tensor) -> Tensor: ...
def acos(self: Tensor) -> Tensor: ...
def acos_(self: Tensor) -> Tensor: ...
def acosh(self: Tensor) -> Tensor: ...
def acosh_(self: Tensor) -> Tensor: ...
@overload
def adaptive_avg_pool1d(self: Tensor, output_size: _Int | Sequence[_Int]) -> Tensor: ...
@overload
def adaptive_avg_pool1d(self: Tensor, *output_size: _Int) -> Tensor: ...
@overload
def adaptive_avg_pool2d(self: Tensor, output_size: _Int | Sequence[_Int]) -> Tensor: ...
@overload
def adaptive_avg_pool2d(self: Tensor, *output_size: _Int) -> Tensor: ...
@overload
def adaptive_avg_pool3d(self: Tensor, output_size: _Int | Sequence[_Int]) -> Tensor: ...
@overload
def adaptive_avg_pool3d(self: Tensor, *output_size: _Int) -> Tensor: ...
@overload
def adaptive_max_pool1d(
    self: Tensor, output_size: _Int | Sequence[_Int]
) -> tuple[Tensor, Tensor]: ...
@overload
def adaptive_max_pool1d(self: Tensor, *output_size: _Int) -> tuple[Tensor, Tensor]: ...
@overload
def adaptive_max_pool2d(
    self: Tensor, output_size: _Int | Sequence[_Int]
) -> tuple[Tensor, Tensor]: ...
@overload
def adaptive_max_pool2d(self: Tensor, *output_size: _Int) -> tuple[Tensor, Tensor]: ...
def adaptive_max_pool2d_backward(grad_output: Tensor, self: Tensor, indices: Tensor) -> Tensor: ...
@overload
def adaptive_max_pool3d(
    self: Tensor, output_size: _Int | Sequence[_Int]
) -> tuple[Tensor, Tensor]: ...
@overload
def adaptive_max_pool3d(self: Tensor, *output_size: _Int) -> tuple[Tensor, Tensor]: ...
def adaptive_max_pool3d_backward(grad_output: Tensor, self: Tensor, indices: Tensor) -> Tensor: ...
@overload
def add(self: Tensor, other: Tensor, *, alpha: _Number = 1) -> Tensor: ...
@overload
def add(self: Tensor, other: _Number, alpha: _Number = 1) -> Tensor: ...
def addbmm(
    self: Tensor, batch1: Tensor, batch2: Tensor, *, beta: _Number = 1, alpha: _Number = 1
) -> Tensor: ...
def addcdiv(self: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: _Number = 1) -> Tensor: ...
def addcmul(self: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: _Number = 1) -> Tensor: ...
@overload
def addmm(
    self: Tensor, mat1: Tensor, mat2: Tensor, *, beta: _Number = 1, alpha: _Number = 1
) -> Tensor: ...
@overload
def addmm(
    self: Tensor, mat1: Tensor, mat2: Tensor, *, beta: _Number = 1, alpha: _Number = 1, out: Tensor
) -> Tensor: ...
@overload
def addmv(
    self: Tensor, mat: Tensor, vec: Tensor, *, beta: _Number = 1, alpha: _Number = 1
) -> Tensor: ...
@overload
def addmv(
    self: Tensor, mat: Tensor, vec: Tensor, *, beta: _Number = 1, alpha: _Number = 1, out: Tensor
) -> Tensor: ...
def addmv_(
    self: Tensor, mat: Tensor, vec: Tensor, *, beta: _Number = 1, alpha: _Number = 1
) -> Tensor: ...
def addr(
    self: Tensor, vec1: Tensor, vec2: Tensor, *, beta: _Number = 1, alpha: _Number = 1
) -> Tensor: ...
def adjoint(self: Tensor) -> Tensor: ...
def affine_grid_generator(theta: Tensor, size: Sequence[_Int], align_corners: _bool) -> Tensor: ...
def affine_grid_generator_backward(
    grad: Tensor, size: Sequence[_Int], align_corners: _bool
) -> Tensor: ...
def alias(self: Tensor) -> Tensor: ...
@overload
def all(self: Tensor) -> Tensor: ...
@overload
def all(self: Tensor, dim: _Int, keepdim: _bool = False) -> Tensor: ...
@overload
def all(self: Tensor, dim: Sequence[_Int] | None = None, keepdim: _bool = False) -> Tensor: ...
def allclose(
    self: Tensor,
    other: Tensor,
    rtol: _float = 1e-05,
    atol: _float = 1e-08,
    equal_nan: _bool = False,
) -> _bool: ...
def alpha_dropout(input: Tensor, p: _float, train: _bool) -> Tensor: ...
def alpha_dropout_(self: Tensor, p: _float, train: _bool) -> Tensor: ...
def amax(self: Tensor, dim: _Int | Sequence[_Int] = [], keepdim: _bool = False) -> Tensor: ...
def amin(self: Tensor, dim: _Int | Sequence[_Int] = [], keepdim: _bool = False) -> Tensor: ...
def aminmax(
    self: Tensor, *, dim: _Int | None = None, keepdim: _bool = False
) -> _return_types.aminmax: ...
def angle(self: Tensor) -> Tensor: ...
@overload
def any(self: Tensor) -> Tensor: ...
@overload
def any(self: Tensor, dim: _Int, keepdim: _bool = False) -> Tensor: ...
@overload
def any(self: Tensor, dim: Sequence[_Int] | None = None, keepdim: _bool = False) -> Tensor: ...
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
def arccos(self: Tensor) -> Tensor: ...
def arccos_(self: Tensor) -> Tensor: ...
def arccosh(self: Tensor) -> Tensor: ...
def arccosh_(self: Tensor) -> Tensor: ...
def arcsin(self: Tensor) -> Tensor: ...
def arcsin_(self: Tensor) -> Tensor: ...
def arcsinh(self: Tensor) -> Tensor: ...
def arcsinh_(self: Tensor) -> Tensor: ...
def arctan(self: Tensor) -> Tensor: ...
def arctan2(self: Tensor, other: Tensor) -> Tensor: ...
def arctan_(self: Tensor) -> Tensor: ...
def arctanh(self: Tensor) -> Tensor: ...
def arctanh_(self: Tensor) -> Tensor: ...
def argmax(self: Tensor, dim: _Int | None = None, keepdim: _bool = False) -> Tensor: ...
def argmin(self: Tensor, dim: _Int | None = None, keepdim: _bool = False) -> Tensor: ...
@overload
def argsort(self: Tensor, dim: _Int = -1, descending: _bool = False) -> Tensor: ...
@overload
def argsort(
    self: Tensor, *, stable: _bool, dim: _Int = -1, descending: _bool = False
) -> Tensor: ...
def argwhere(self: Tensor) -> Tensor: ...
def as_strided(
    self: Tensor, size: Sequence[_Int], stride: Sequence[_Int], storage_offset: _Int | None = None
) -> Tensor: ...
def as_strided_scatter(
    self: Tensor,
    src: Tensor,
    size: Sequence[_Int],
    stride: Sequence[_Int],
    storage_offset: _Int | None = None,
) -> Tensor: ...
def asin(self: Tensor) -> Tensor: ...
def asin_(self: Tensor) -> Tensor: ...
def asinh(self: Tensor) -> Tensor: ...
def asinh_(self: Tensor) -> Tensor: ...
def atan(self: Tensor) -> Tensor: ...
def atan2(self: Tensor, other: Tensor) -> Tensor: ...
def atan_(self: Tensor) -> Tensor: ...
def atanh(self: Tensor) -> Tensor: ...
def atanh_(self: Tensor) -> Tensor: ...
@overload
def atleast_1d(self: Tensor) -> Tensor: ...
@overload
def atleast_1d(tensors: Sequence[Tensor]) -> tuple[Tensor, ...]: ...
@overload
def atleast_2d(self: Tensor) -> Tensor: ...
@overload
def atleast_2d(tensors: Sequence[Tensor]) -> tuple[Tensor, ...]: ...
@overload
def atleast_3d(self: Tensor) -> Tensor: ...
@overload
def atleast_3d(tensors: Sequence[Tensor]) -> tuple[Tensor, ...]: ...
def avg_pool1d(
    self: Tensor,
    kernel_size: _Int | Sequence[_Int],
    stride: _Int | Sequence[_Int] = [],
    padding: _Int | Sequence[_Int] = [0],
    ceil_mode: _bool = False,
    count_include_pad: _bool = True,
) -> Tensor: ...
def avg_pool2d(
    self: Tensor,
    kernel_size: _Int | Sequence[_Int],
    stride: _Int | Sequence[_Int] = [],
    padding: _Int | Sequence[_Int] = 0,
    ceil_mode: _bool = False,
    count_include_pad: _bool = True,
    divisor_override: _Int | None = None,
) -> Tensor: ...
def avg_pool2d_backward(
    grad_output: Tensor,
    self: Tensor,
    kernel_size: _Int | Sequence[_Int],
    stride: _Int | Sequence[_Int],
    padding: _Int | Sequence[_Int],
    ceil_mode: _bool,
    count_include_pad: _bool,
    divisor_override: _Int | None,
) -> Tensor: ...
def avg_pool3d(
    self: Tensor,
    kernel_size: _Int | Sequence[_Int],
    stride: _Int | Sequence[_Int] = [],
    padding: _Int | Sequence[_Int] = 0,
    ceil_mode: _bool = False,
    count_include_pad: _bool = True,
    divisor_override: _Int | None = None,
) -> Tensor: ...
def avg_pool3d_backward(
    grad_output: Tensor,
    self: Tensor,
    kernel_size: _Int | Sequence[_Int],
    stride: _Int | Sequence[_Int],
    padding: _Int | Sequence[_Int],
    ceil_mode: _bool,
    count_include_pad: _bool,
    divisor_override: _Int | None,
) -> Tensor: ...
@overload
def baddbmm(
    self: Tensor, batch1: Tensor, batch2: Tensor, *, beta: _Number = 1, alpha: _Number = 1
) -> Tensor: ...
@overload
def baddbmm(
    self: Tensor,
    batch1: Tensor,
    batch2: Tensor,
    *,
    beta: _Number = 1,
    alpha: _Number = 1,
    out: Tensor,
) -> Tensor: ...
@overload
def bartlett_window(
    window_length: _Int,
    *,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _DeviceLike | None = None,
    pin_memory: _bool | None = None,
    requires_grad: _bool = False,
) -> Tensor: ...
@overload
def bartlett_window(
    window_length: _Int,
    periodic: _bool,
    *,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _DeviceLike | None = None,
    pin_memory: _bool | None = None,
    requires_grad: _bool = False,
) -> Tensor: ...
def batch_norm(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    training: _bool,
    momentum: _float,
    eps: _float,
    cudnn_enabled: _bool,
) -> Tensor: ...
@overload
def bernoulli(self: Tensor, *, generator: _Generator | None = None) -> Tensor: ...
@overload
def bernoulli(self: Tensor, p: _float, *, generator: _Generator | None = None) -> Tensor: ...
@overload
def bernoulli(self: Tensor, p: Tensor, *, generator: _Generator | None = None) -> Tensor: ...
def bilinear(
    input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = None
) -> Tensor: ...
def binary_cross_entropy(
    self: Tensor, target: Tensor, weight: Tensor | None = None, reduction: _Int = 1
) -> Tensor: ...
def binary_cross_entropy_backward(
    grad_output: Tensor,
    self: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    reduction: _Int = 1,
) -> Tensor: ...
def binary_cross_entropy_with_logits(
    self: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    pos_weight: Tensor | None = None,
    reduction: _Int = 1,
) -> Tensor: ...
def bincount(self: Tensor, weights: Tensor | None = None, minlength: _Int = 0) -> Tensor: ...
def binomial(count: Tensor, prob: Tensor, generator: _Generator | None = None) -> Tensor: ...
@overload
def bitwise_and(self: Tensor, other: Tensor) -> Tensor: ...
@overload
def bitwise_and(self: Tensor, other: _Number) -> Tensor: ...
@overload
def bitwise_and(self: _Number, other: Tensor) -> Tensor: ...
@overload
def bitwise_left_shift(self: Tensor, other: Tensor) -> Tensor: ...
@overload
def bitwise_left_shift(self: Tensor, other: _Number) -> Tensor: ...
@overload
def bitwise_left_shift(self: _Number, other: Tensor) -> Tensor: ...
def bitwise_not(self: Tensor) -> Tensor: ...
@overload
def bitwise_or(self: Tensor, other: Tensor) -> Tensor: ...
@overload
def bitwise_or(self: Tensor, other: _Number) -> Tensor: ...
@overload
def bitwise_or(self: _Number, other: Tensor) -> Tensor: ...
@overload
def bitwise_right_shift(self: Tensor, other: Tensor) -> Tensor: ...
@overload
def bitwise_right_shift(self: Tensor, other: _Number) -> Tensor: ...
@overload
def bitwise_right_shift(self: _Number, other: Tensor) -> Tensor: ...
@overload
def bitwise_xor(self: Tensor, other: Tensor) -> Tensor: ...
@overload
def bitwise_xor(self: Tensor, other: _Number) -> Tensor: ...
@overload
def bitwise_xor(self: _Number, other: Tensor) -> Tensor: ...
@overload
def blackman_window(
    window_length: _Int,
    *,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _DeviceLike | None = None,
    pin_memory: _bool | None = None,
    requires_grad: _bool = False,
) -> Tensor: ...
@overload
def blackman_window(
    window_length: _Int,
    periodic: _bool,
    *,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _DeviceLike | None = None,
    pin_memory: _bool | None = None,
    requires_grad: _bool = False,
) -> Tensor: ...
def block_diag(tensors: Sequence[Tensor]) -> Tensor: ...
@overload
def bmm(self: Tensor, mat2: Tensor) -> Tensor: ...
@overload
def bmm(self: Tensor, mat2: Tensor, *, out: Tensor) -> Tensor: ...
def broadcast_tensors(tensors: Sequence[Tensor]) -> tuple[Tensor, ...]: ...
@overload
def broadcast_to(self: Tensor, size: Sequence[_Int]) -> Tensor: ...
@overload
def broadcast_to(self: Tensor, *size: _Int) -> Tensor: ...
@overload
def bucketize(
    self: Tensor, boundaries: Tensor, *, out_int32: _bool = False, right: _bool = False
) -> Tensor: ...
@overload
def bucketize(
    self: _Number, boundaries: Tensor, *, out_int32: _bool = False, right: _bool = False
) -> Tensor: ...
def can_cast(from_: _dtype, to: _dtype) -> _bool: ...
def cartesian_prod(tensors: Sequence[Tensor]) -> Tensor: ...
def cat(tensors: Sequence[Tensor], dim: _Int = 0) -> Tensor: ...
def cdist(x1: Tensor, x2: Tensor, p: _float = 2, compute_mode: _Int | None = None) -> Tensor: ...
def ceil(self: Tensor) -> Tensor: ...
def ceil_(self: Tensor) -> Tensor: ...
def celu(self: Tensor, alpha: _Number = 1.0) -> Tensor: ...
def celu_(self: Tensor, alpha: _Number = 1.0) -> Tensor: ...
def chain_matmul(matrices: Sequence[Tensor]) -> Tensor: ...
def channel_shuffle(self: Tensor, groups: _Int) -> Tensor: ...
def cholesky(self: Tensor, upper: _bool = False) -> Tensor: ...
def cholesky_inverse(self: Tensor, upper: _bool = False) -> Tensor: ...
def cholesky_solve(self: Tensor, input2: Tensor, upper: _bool = False) -> Tensor: ...
def chunk(self: Tensor, chunks: _Int, dim: _Int = 0) -> tuple[Tensor, ...]: ...
@overload
def clamp(self: Tensor, min: _Number | None = None, max: _Number | None = None) -> Tensor: ...
@overload
def clamp(self: Tensor, min: Tensor | None = None, max: Tensor | None = None) -> Tensor: ...
@overload
def clamp_(self: Tensor, min: _Number | None = None, max: _Number | None = None) -> Tensor: ...
@overload
def clamp_(self: Tensor, min: Tensor | None = None, max: Tensor | None = None) -> Tensor: ...
@overload
def clamp_max(self: Tensor, max: _Number) -> Tensor: ...
@overload
def clamp_max(self: Tensor, max: Tensor) -> Tensor: ...
@overload
def clamp_max_(self: Tensor, max: _Number) -> Tensor: ...
@overload
def clamp_max_(self: Tensor, max: Tensor) -> Tensor: ...
@overload
def clamp_min(self: Tensor, min: _Number) -> Tensor: ...
@overload
def clamp_min(self: Tensor, min: Tensor) -> Tensor: ...
@overload
def clamp_min_(self: Tensor, min: _Number) -> Tensor: ...
@overload
def clamp_min_(self: Tensor, min: Tensor) -> Tensor: ...
@overload
def clip(self: Tensor, min: _Number | None = None, max: _Number | None = None) -> Tensor: ...
@overload
def clip(self: Tensor, min: Tensor | None = None, max: Tensor | None = None) -> Tensor: ...
@overload
def clip_(self: Tensor, min: _Number | None = None, max: _Number | None = None) -> Tensor: ...
@overload
def clip_(self: Tensor, min: Tensor | None = None, max: Tensor | None = None) -> Tensor: ...
def clone(self: Tensor, *, memory_format: _memory_format | None = None) -> Tensor: ...
def col2im(
    self: Tensor,
    output_size: _Int | Sequence[_Int],
    kernel_size: _Int | Sequence[_Int],
    dilation: _Int | Sequence[_Int],
    padding: _Int | Sequence[_Int],
    stride: _Int | Sequence[_Int],
) -> Tensor: ...
def column_stack(tensors: Sequence[Tensor]) -> Tensor: ...
def combinations(self: Tensor, r: _Int = 2, with_replacement: _bool = False) -> Tensor: ...
def complex(real: Tensor, imag: Tensor) -> Tensor: ...
def concat(tensors: Sequence[Tensor], dim: _Int = 0) -> Tensor: ...
def concatenate(tensors: Sequence[Tensor], dim: _Int = 0) -> Tensor: ...
def conj(self: Tensor) -> Tensor: ...
def conj_physical(self: Tensor) -> Tensor: ...
def conj_physical_(self: Tensor) -> Tensor: ...
def constant_pad_nd(self: Tensor, pad: Sequence[_Int], value: _Number = 0) -> Tensor: ...
@overload
def conv1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: _Int | Sequence[_Int] = [1],
    padding: _Int | Sequence[_Int] = [0],
    dilation: _Int | Sequence[_Int] = [1],
    groups: _Int = 1,
) -> Tensor: ...
@overload
def conv1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: _Int | Sequence[_Int] = [1],
    padding: str = "valid",
    dilation: _Int | Sequence[_Int] = [1],
    groups: _Int = 1,
) -> Tensor: ...
@overload
def conv2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: _Int | Sequence[_Int] = [1, 1],
    padding: _Int | Sequence[_Int] = [0, 0],
    dilation: _Int | Sequence[_Int] = [1, 1],
    groups: _Int = 1,
) -> Tensor: ...
@overload
def conv2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: _Int | Sequence[_Int] = [1, 1],
    padding: str = "valid",
    dilation: _Int | Sequence[_Int] = [1, 1],
    groups: _Int = 1,
) -> Tensor: ...
@overload
def conv3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: _Int | Sequence[_Int] = [1, 1, 1],
    padding: _Int | Sequence[_Int] = [0, 0, 0],
    dilation: _Int | Sequence[_Int] = [1, 1, 1],
    groups: _Int = 1,
) -> Tensor: ...
@overload
def conv3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: _Int | Sequence[_Int] = [1, 1, 1],
    padding: str = "valid",
    dilation: _Int | Sequence[_Int] = [1, 1, 1],
    groups: _Int = 1,
) -> Tensor: ...
def conv_tbc(self: Tensor, weight: Tensor, bias: Tensor, pad: _Int = 0) -> Tensor: ...
def conv_transpose1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: _Int | Sequence[_Int] = [1],
    padding: _Int | Sequence[_Int] = [0],
    output_padding: _Int | Sequence[_Int] = [0],
    groups: _Int = 1,
    dilation: _Int | Sequence[_Int] = [1],
) -> Tensor: ...
def conv_transpose2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: _Int | Sequence[_Int] = [1, 1],
    padding: _Int | Sequence[_Int] = [0, 0],
    output_padding: _Int | Sequence[_Int] = [0, 0],
    groups: _Int = 1,
    dilation: _Int | Sequence[_Int] = [1, 1],
) -> Tensor: ...
def conv_transpose3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: _Int | Sequence[_Int] = [1, 1, 1],
    padding: _Int | Sequence[_Int] = [0, 0, 0],
    output_padding: _Int | Sequence[_Int] = [0, 0, 0],
    groups: _Int = 1,
    dilation: _Int | Sequence[_Int] = [1, 1, 1],
) -> Tensor: ...
def convolution(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    stride: Sequence[_Int],
    padding: Sequence[_Int],
    dilation: Sequence[_Int],
    transposed: _bool,
    output_padding: Sequence[_Int],
    groups: _Int,
) -> Tensor: ...
def convolution_backward(
    grad_output: Tensor,
    input: Tensor,
    weight: Tensor,
    bias_sizes: Sequence[_Int] | None,
    stride: Sequence[_Int],
    padding: Sequence[_Int],
    dilation: Sequence[_Int],
    transposed: _bool,
    output_padding: Sequence[_Int],
    groups: _Int,
    output_mask: _bool | Sequence[_bool],
) -> tuple[Tensor, Tensor, Tensor]: ...
def copy(self: Tensor, src: Tensor, non_blocking: _bool = False) -> Tensor: ...
@overload
def copysign(self: Tensor, other: Tensor) -> Tensor: ...
@overload
def copysign(self: Tensor, other: _Number) -> Tensor: ...
def corrcoef(self: Tensor) -> Tensor: ...
def cos(self: Tensor) -> Tensor: ...
def cos_(self: Tensor) -> Tensor: ...
def cosh(self: Tensor) -> Tensor: ...
def cosh_(self: Tensor) -> Tensor: ...
def cosine_embedding_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: _float = 0.0, reduction: _Int = 1
) -> Tensor: ...
def cosine_similarity(x1: Tensor, x2: Tensor, dim: _Int = 1, eps: _float = 1e-08) -> Tensor: ...
@overload
def count_nonzero(self: Tensor, dim: _Int | None = None) -> Tensor: ...
@overload
def count_nonzero(self: Tensor, dim: Sequence[_Int]) -> Tensor: ...
@overload
def count_nonzero(self: Tensor, *dim: _Int) -> Tensor: ...
def cov(
    self: Tensor,
    *,
    correction: _Int = 1,
    fweights: Tensor | None = None,
    aweights: Tensor | None = None,
) -> Tensor: ...
def cross(self: Tensor, other: Tensor, dim: _Int | None = None) -> Tensor: ...
def cross_entropy_loss(
    self: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    reduction: _Int = 1,
    ignore_index: _Int = -100,
    label_smoothing: _float = 0.0,
) -> Tensor: ...
@overload
def ctc_loss(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: Sequence[_Int],
    target_lengths: Sequence[_Int],
    blank: _Int = 0,
    reduction: _Int = 1,
    zero_infinity: _bool = False,
) -> Tensor: ...
@overload
def ctc_loss(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: Tensor,
    target_lengths: Tensor,
    blank: _Int = 0,
    reduction: _Int = 1,
    zero_infinity: _bool = False,
) -> Tensor: ...
def cummax(self: Tensor, dim: _Int) -> _return_types.cummax: ...
def cummaxmin_backward(grad: Tensor, input: Tensor, indices: Tensor, dim: _Int) -> Tensor: ...
def cummin(self: Tensor, dim: _Int) -> _return_types.cummin: ...
def cumprod(self: Tensor, dim: _Int, *, dtype: _dtype | None = None) -> Tensor: ...
def cumsum(self: Tensor, dim: _Int, *, dtype: _dtype | None = None) -> Tensor: ...
@overload
def cumulative_trapezoid(y: Tensor, x: Tensor, *, dim: _Int = -1) -> Tensor: ...
@overload
def cumulative_trapezoid(y: Tensor, *, dx: _Number = 1, dim: _Int = -1) -> Tensor: ...
def deg2rad(self: Tensor) -> Tensor: ...
def deg2rad_(self: Tensor) -> Tensor: ...
def det(self: Tensor) -> Tensor: ...
def detach(self: Tensor) -> Tensor: ...
def diag(self: Tensor, diagonal: _Int = 0) -> Tensor: ...
def diag_embed(self: Tensor, offset: _Int = 0, dim1: _Int = -2, dim2: _Int = -1) -> Tensor: ...
def diagflat(self: Tensor, offset: _Int = 0) -> Tensor: ...
def diagonal(self: Tensor, offset: _Int = 0, dim1: _Int = 0, dim2: _Int = 1) -> Tensor: ...
def diagonal_scatter(
    self: Tensor, src: Tensor, offset: _Int = 0, dim1: _Int = 0, dim2: _Int = 1
) -> Tensor: ...
def diff(
    self: Tensor,
    n: _Int = 1,
    dim: _Int = -1,
    prepend: Tensor | None = None,
    append: Tensor | None = None,
) -> Tensor: ...
def digamma(self: Tensor) -> Tensor: ...
def dist(self: Tensor, other: Tensor, p: _Number = 2) -> Tensor: ...
@overload
def div(self: Tensor, other: Tensor) -> Tensor: ...
@overload
def div(self: Tensor, other: _Number) -> Tensor: ...
@overload
def div(self: Tensor, other: Tensor, *, rounding_mode: str | None) -> Tensor: ...
@overload
def div(self: Tensor, other: _Number, *, rounding_mode: str | None) -> Tensor: ...
@overload
def divide(self: Tensor, other: Tensor) -> Tensor: ...
@overload
def divide(self: Tensor, other: _Number) -> Tensor: ...
@overload
def divide(self: Tensor, other: Tensor, *, rounding_mode: str | None) -> Tensor: ...
@overload
def divide(self: Tensor, other: _Number, *, rounding_mode: str | None) -> Tensor: ...
@overload
def dot(self: Tensor, tensor: Tensor) -> Tensor: ...
@overload
def dot(self: Tensor, tensor: Tensor, *, out: Tensor) -> Tensor: ...
def dropout(input: Tensor, p: _float, train: _bool) -> Tensor: ...
def dropout_(self: Tensor, p: _float, train: _bool) -> Tensor: ...
@overload
def dsplit(self: Tensor, sections: _Int) -> tuple[Tensor, ...]: ...
@overload
def dsplit(self: Tensor, indices: Sequence[_Int]) -> tuple[Tensor, ...]: ...
@overload
def dsplit(self: Tensor, *indices: _Int) -> tuple[Tensor, ...]: ...
def dstack(tensors: Sequence[Tensor]) -> Tensor: ...
def einsum(
    equation: str, tensors: Sequence[Tensor], *, path: Sequence[_Int] | None = None
) -> Tensor: ...
def elu(
    self: Tensor, alpha: _Number = 1, scale: _Number = 1, input_scale: _Number = 1
) -> Tensor: ...
def elu_(
    self: Tensor, alpha: _Number = 1, scale: _Number = 1, input_scale: _Number = 1
) -> Tensor: ...
def elu_backward(
    grad_output: Tensor,
    alpha: _Number,
    scale: _Number,
    input_scale: _Number,
    is_result: _bool,
    self_or_result: Tensor,
) -> Tensor: ...
def embedding(
    weight: Tensor,
    indices: Tensor,
    padding_idx: _Int = -1,
    scale_grad_by_freq: _bool = False,
    sparse: _bool = False,
) -> Tensor: ...
@overload
def embedding_bag(
    weight: Tensor,
    indices: Tensor,
    offsets: Tensor,
    scale_grad_by_freq: _bool = False,
    mode: _Int = 0,
    sparse: _bool = False,
    per_sample_weights: Tensor | None = None,
    include_last_offset: _bool = False,
) -> tuple[Tensor, Tensor, Tensor, Tensor]: ...
@overload
def embedding_bag(
    weight: Tensor,
    indices: Tensor,
    offsets: Tensor,
    scale_grad_by_freq: _bool,
    mode: _Int,
    sparse: _bool,
    per_sample_weights: Tensor | None,
    include_last_offset: _bool,
    padding_idx: _Int | None,
) -> tuple[Tensor, Tensor, Tensor, Tensor]: ...
def embedding_dense_backward(
    grad_output: Tensor,
    indices: Tensor,
    num_weights: _Int,
    padding_idx: _Int,
    scale_grad_by_freq: _bool,
) -> Tensor: ...
def embedding_renorm_(
    self: Tensor, indices: Tensor, max_norm: _float, norm_type: _float
) -> Tensor: ...
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
def empty_permuted(
    size: Sequence[_Int],
    physical_layout: Sequence[_Int],
    *,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _DeviceLike | None = None,
    pin_memory: _bool | None = None,
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
def erf(self: Tensor) -> Tensor: ...
def erf_(self: Tensor) -> Tensor: ...
def erfc(self: Tensor) -> Tensor: ...
def erfc_(self: Tensor) -> Tensor: ...
def erfinv(self: Tensor) -> Tensor: ...
def exp(self: Tensor) -> Tensor: ...
def exp2(self: Tensor) -> Tensor: ...
def exp2_(self: Tensor) -> Tensor: ...
def exp_(self: Tensor) -> Tensor: ...
def expm1(self: Tensor) -> Tensor: ...
def expm1_(self: Tensor) -> Tensor: ...
@overload
def eye(
    n: _Int,
    *,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _DeviceLike | None = None,
    pin_memory: _bool | None = None,
    requires_grad: _bool = False,
) -> Tensor: ...
@overload
def eye(
    n: _Int,
    m: _Int,
    *,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _DeviceLike | None = None,
    pin_memory: _bool | None = None,
    requires_grad: _bool = False,
) -> Tensor: ...
def feature_alpha_dropout(input: Tensor, p: _float, train: _bool) -> Tensor: ...
def feature_alpha_dropout_(self: Tensor, p: _float, train: _bool) -> Tensor: ...
def feature_dropout(input: Tensor, p: _float, train: _bool) -> Tensor: ...
def feature_dropout_(self: Tensor, p: _float, train: _bool) -> Tensor: ...
def fft_fft(
    self: Tensor, n: _Int | None = None, dim: _Int = -1, norm: str | None = None
) -> Tensor: ...
def fft_fft2(
    self: Tensor,
    s: _Int | Sequence[_Int] | None = None,
    dim: _Int | Sequence[_Int] = [-2, -1],
    norm: str | None = None,
) -> Tensor: ...
def fft_fftfreq(
    n: _Int,
    d: _float = 1.0,
    *,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _DeviceLike | None = None,
    pin_memory: _bool | None = None,
    requires_grad: _bool = False,
) -> Tensor: ...
def fft_fftn(
    self: Tensor,
    s: _Int | Sequence[_Int] | None = None,
    dim: _Int | Sequence[_Int] | None = None,
    norm: str | None = None,
) -> Tensor: ...
def fft_fftshift(self: Tensor, dim: _Int | Sequence[_Int] | None = None) -> Tensor: ...
def fft_hfft(
    self: Tensor, n: _Int | None = None, dim: _Int = -1, norm: str | None = None
) -> Tensor: ...
def fft_hfft2(
    self: Tensor,
    s: _Int | Sequence[_Int] | None = None,
    dim: _Int | Sequence[_Int] = [-2, -1],
    norm: str | None = None,
) -> Tensor: ...
def fft_hfftn(
    self: Tensor,
    s: _Int | Sequence[_Int] | None = None,
    dim: _Int | Sequence[_Int] | None = None,
    norm: str | None = None,
) -> Tensor: ...
def fft_ifft(
    self: Tensor, n: _Int | None = None, dim: _Int = -1, norm: str | None = None
) -> Tensor: ...
def fft_ifft2(
    self: Tensor,
    s: _Int | Sequence[_Int] | None = None,
    dim: _Int | Sequence[_Int] = [-2, -1],
    norm: str | None = None,
) -> Tensor: ...
def fft_ifftn(
    self: Tensor,
    s: _Int | Sequence[_Int] | None = None,
    dim: _Int | Sequence[_Int] | None = None,
    norm: str | None = None,
) -> Tensor: ...
def fft_ifftshift(self: Tensor, dim: _Int | Sequence[_Int] | None = None) -> Tensor: ...
def fft_ihfft(
    self: Tensor, n: _Int | None = None, dim: _Int = -1, norm: str | None = None
) -> Tensor: ...
def fft_ihfft2(
    self: Tensor,
    s: _Int | Sequence[_Int] | None = None,
    dim: _Int | Sequence[_Int] = [-2, -1],
    norm: str | None = None,
) -> Tensor: ...
def fft_ihfftn(
    self: Tensor,
    s: _Int | Sequence[_Int] | None = None,
    dim: _Int | Sequence[_Int] | None = None,
    norm: str | None = None,
) -> Tensor: ...
def fft_irfft(
    self: Tensor, n: _Int | None = None, dim: _Int = -1, norm: str | None = None
) -> Tensor: ...
def fft_irfft2(
    self: Tensor,
    s: _Int | Sequence[_Int] | None = None,
    dim: _Int | Sequence[_Int] = [-2, -1],
    norm: str | None = None,
) -> Tensor: ...
def fft_irfftn(
    self: Tensor,
    s: _Int | Sequence[_Int] | None = None,
    dim: _Int | Sequence[_Int] | None = None,
    norm: str | None = None,
) -> Tensor: ...
def fft_rfft(
    self: Tensor, n: _Int | None = None, dim: _Int = -1, norm: str | None = None
) -> Tensor: ...
def fft_rfft2(
    self: Tensor,
    s: _Int | Sequence[_Int] | None = None,
    dim: _Int | Sequence[_Int] = [-2, -1],
    norm: str | None = None,
) -> Tensor: ...
def fft_rfftfreq(
    n: _Int,
    d: _float = 1.0,
    *,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _DeviceLike | None = None,
    pin_memory: _bool | None = None,
    requires_grad: _bool = False,
) -> Tensor: ...
def fft_rfftn(
    self: Tensor,
    s: _Int | Sequence[_Int] | None = None,
    dim: _Int | Sequence[_Int] | None = None,
    norm: str | None = None,
) -> Tensor: ...
@overload
def fill(self: Tensor, value: _Number) -> Tensor: ...
@overload
def fill(self: Tensor, value: Tensor) -> Tensor: ...
@overload
def fill_(self: Tensor, value: _Number) -> Tensor: ...
@overload
def fill_(self: Tensor, value: Tensor) -> Tensor: ...
def fix(self: Tensor) -> Tensor: ...
def fix_(self: Tensor) -> Tensor: ...
def flatten(self: Tensor, start_dim: _Int = 0, end_dim: _Int = -1) -> Tensor: ...
@overload
def flip(self: Tensor, dims: Sequence[_Int]) -> Tensor: ...
@overload
def flip(self: Tensor, *dims: _Int) -> Tensor: ...
def fliplr(self: Tensor) -> Tensor: ...
def flipud(self: Tensor) -> Tensor: ...
@overload
def float_power(self: Tensor, exponent: Tensor) -> Tensor: ...
@overload
def float_power(self: Tensor, exponent: _Number) -> Tensor: ...
@overload
def float_power(self: _Number, exponent: Tensor) -> Tensor: ...
@overload
def float_power_(self: Tensor, exponent: Tensor) -> Tensor: ...
@overload
def float_power_(self: Tensor, exponent: _Number) -> Tensor: ...
def floor(self: Tensor) -> Tensor: ...
def floor_(self: Tensor) -> Tensor: ...
@overload
def floor_divide(self: Tensor, other: Tensor) -> Tensor: ...
@overload
def floor_divide(self: Tensor, other: _Number) -> Tensor: ...
def fmax(self: Tensor, other: Tensor) -> Tensor: ...
def fmin(self: Tensor, other: Tensor) -> Tensor: ...
@overload
def fmod(self: Tensor, other: Tensor) -> Tensor: ...
@overload
def fmod(self: Tensor, other: _Number) -> Tensor: ...
def frac(self: Tensor) -> Tensor: ...
def frac_(self: Tensor) -> Tensor: ...
def fractional_max_pool2d(
    self: Tensor,
    kernel_size: _Int | Sequence[_Int],
    output_size: _Int | Sequence[_Int],
    random_samples: Tensor,
) -> tuple[Tensor, Tensor]: ...
def fractional_max_pool2d_backward(
    grad_output: Tensor,
    self: Tensor,
    kernel_size: _Int | Sequence[_Int],
    output_size: _Int | Sequence[_Int],
    indices: Tensor,
) -> Tensor: ...
def fractional_max_pool3d(
    self: Tensor,
    kernel_size: _Int | Sequence[_Int],
    output_size: _Int | Sequence[_Int],
    random_samples: Tensor,
) -> tuple[Tensor, Tensor]: ...
def fractional_max_pool3d_backward(
    grad_output: Tensor,
    self: Tensor,
    kernel_size: _Int | Sequence[_Int],
    output_size: _Int | Sequence[_Int],
    indices: Tensor,
) -> Tensor: ...
def frexp(self: Tensor) -> _return_types.frexp: ...
def frobenius_norm(self: Tensor, dim: _Int | Sequence[_Int], keepdim: _bool = False) -> Tensor: ...
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
def gather(self: Tensor, dim: _Int, index: Tensor, *, sparse_grad: _bool = False) -> Tensor: ...
def gcd(self: Tensor, other: Tensor) -> Tensor: ...
def gcd_(self: Tensor, other: Tensor) -> Tensor: ...
@overload
def ge(self: Tensor, other: Tensor) -> Tensor: ...
@overload
def ge(self: Tensor, other: _Number) -> Tensor: ...
def gelu(self: Tensor, *, approximate: str = "none") -> Tensor: ...
def gelu_(self: Tensor, *, approximate: str = "none") -> Tensor: ...
def gelu_backward(grad_output: Tensor, self: Tensor, *, approximate: str = "none") -> Tensor: ...
def geqrf(self: Tensor) -> _return_types.geqrf: ...
def ger(self: Tensor, vec2: Tensor) -> Tensor: ...
def glu(self: Tensor, dim: _Int = -1) -> Tensor: ...
def glu_backward(grad_output: Tensor, self: Tensor, dim: _Int) -> Tensor: ...
@overload
def gradient(
    self: Tensor, *, spacing: _Number | None = None, dim: _Int | None = None, edge_order: _Int = 1
) -> tuple[Tensor, ...]: ...
@overload
def gradient(
    self: Tensor, *, spacing: _Number, dim: Sequence[_Int], edge_order: _Int = 1
) -> tuple[Tensor, ...]: ...
@overload
def gradient(self: Tensor, *, dim: Sequence[_Int], edge_order: _Int = 1) -> tuple[Tensor, ...]: ...
@overload
def gradient(
    self: Tensor, *, spacing: Sequence[_Number], dim: _Int | None = None, edge_order: _Int = 1
) -> tuple[Tensor, ...]: ...
@overload
def gradient(
    self: Tensor, *, spacing: Sequence[_Number], dim: Sequence[_Int], edge_order: _Int = 1
) -> tuple[Tensor, ...]: ...
@overload
def gradient(
    self: Tensor, *, spacing: Sequence[Tensor], dim: _Int | None = None, edge_order: _Int = 1
) -> tuple[Tensor, ...]: ...
@overload
def gradient(
    self: Tensor, *, spacing: Sequence[Tensor], dim: Sequence[_Int], edge_order: _Int = 1
) -> tuple[Tensor, ...]: ...
@overload
def greater(self: Tensor, other: _Number) -> Tensor: ...
@overload
def greater(self: Tensor, other: Tensor) -> Tensor: ...
@overload
def greater_equal(self: Tensor, other: _Number) -> Tensor: ...
@overload
def greater_equal(self: Tensor, other: Tensor) -> Tensor: ...
def grid_sampler(
    input: Tensor, grid: Tensor, interpolation_mode: _Int, padding_mode: _Int, align_corners: _bool
) -> Tensor: ...
def grid_sampler_2d(
    input: Tensor, grid: Tensor, interpolation_mode: _Int, padding_mode: _Int, align_corners: _bool
) -> Tensor: ...
def grid_sampler_2d_backward(
    grad_output: Tensor,
    input: Tensor,
    grid: Tensor,
    interpolation_mode: _Int,
    padding_mode: _Int,
    align_corners: _bool,
    output_mask: _bool | Sequence[_bool],
) -> tuple[Tensor, Tensor]: ...
def grid_sampler_3d(
    input: Tensor, grid: Tensor, interpolation_mode: _Int, padding_mode: _Int, align_corners: _bool
) -> Tensor: ...
def grid_sampler_3d_backward(
    grad_output: Tensor,
    input: Tensor,
    grid: Tensor,
    interpolation_mode: _Int,
    padding_mode: _Int,
    align_corners: _bool,
    output_mask: _bool | Sequence[_bool],
) -> tuple[Tensor, Tensor]: ...
def group_norm(
    input: Tensor,
    num_groups: _Int,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: _float = 1e-05,
    cudnn_enabled: _bool = True,
) -> Tensor: ...
def gru(
    input: Tensor,
    hx: Tensor,
    params: Sequence[Tensor],
    has_biases: _bool,
    num_layers: _Int,
    dropout: _float,
    train: _bool,
    bidirectional: _bool,
    batch_first: _bool,
) -> tuple[Tensor, Tensor]: ...
def gru_cell(
    input: Tensor,
    hx: Tensor,
    w_ih: Tensor,
    w_hh: Tensor,
    b_ih: Tensor | None = None,
    b_hh: Tensor | None = None,
) -> Tensor: ...
@overload
def gt(self: Tensor, other: Tensor) -> Tensor: ...
@overload
def gt(self: Tensor, other: _Number) -> Tensor: ...
@overload
def hamming_window(
    window_length: _Int,
    *,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _DeviceLike | None = None,
    pin_memory: _bool | None = None,
    requires_grad: _bool = False,
) -> Tensor: ...
@overload
def hamming_window(
    window_length: _Int,
    periodic: _bool,
    *,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _DeviceLike | None = None,
    pin_memory: _bool | None = None,
    requires_grad: _bool = False,
) -> Tensor: ...
@overload
def hamming_window(
    window_length: _Int,
    periodic: _bool,
    alpha: _float,
    *,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _DeviceLike | None = None,
    pin_memory: _bool | None = None,
    requires_grad: _bool = False,
) -> Tensor: ...
@overload
def hamming_window(
    window_length: _Int,
    periodic: _bool,
    alpha: _float,
    beta: _float,
    *,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _DeviceLike | None = None,
    pin_memory: _bool | None = None,
    requires_grad: _bool = False,
) -> Tensor: ...
@overload
def hann_window(
    window_length: _Int,
    *,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _DeviceLike | None = None,
    pin_memory: _bool | None = None,
    requires_grad: _bool = False,
) -> Tensor: ...
@overload
def hann_window(
    window_length: _Int,
    periodic: _bool,
    *,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _DeviceLike | None = None,
    pin_memory: _bool | None = None,
    requires_grad: _bool = False,
) -> Tensor: ...
def hardshrink(self: Tensor, lambd: _Number = 0.5) -> Tensor: ...
def hardshrink_backward(grad_out: Tensor, self: Tensor, lambd: _Number) -> Tensor: ...
def hardsigmoid(self: Tensor) -> Tensor: ...
def hardsigmoid_(self: Tensor) -> Tensor: ...
def hardsigmoid_backward(grad_output: Tensor, self: Tensor) -> Tensor: ...
def hardswish(self: Tensor) -> Tensor: ...
def hardswish_(self: Tensor) -> Tensor: ...
def hardswish_backward(grad_output: Tensor, self: Tensor) -> Tensor: ...
def hardtanh(self: Tensor, min_val: _Number = -1, max_val: _Number = 1) -> Tensor: ...
def hardtanh_(self: Tensor, min_val: _Number = -1, max_val: _Number = 1) -> Tensor: ...
def hardtanh_backward(
    grad_output: Tensor, self: Tensor, min_val: _Number, max_val: _Number
) -> Tensor: ...
def heaviside(self: Tensor, values: Tensor) -> Tensor: ...
def hinge_embedding_loss(
    self: Tensor, target: Tensor, margin: _float = 1.0, reduction: _Int = 1
) -> Tensor: ...
def histc(self: Tensor, bins: _Int = 100, min: _Number = 0, max: _Number = 0) -> Tensor: ...
@overload
def histogram(
    self: Tensor, bins: Tensor, *, weight: Tensor | None = None, density: _bool = False
) -> _return_types.histogram: ...
@overload
def histogram(
    self: Tensor,
    bins: _Int = 100,
    *,
    range: Sequence[_float] | None = None,
    weight: Tensor | None = None,
    density: _bool = False,
) -> _return_types.histogram: ...
@overload
def histogramdd(
    self: Tensor,
    bins: Sequence[_Int],
    range: Sequence[_float] | None = None,
    weight: Tensor | None = None,
    density: _bool = False,
) -> _return_types.histogramdd: ...
@overload
def histogramdd(
    self: Tensor,
    bins: _Int,
    range: Sequence[_float] | None = None,
    weight: Tensor | None = None,
    density: _bool = False,
) -> _return_types.histogramdd: ...
@overload
def histogramdd(
    self: Tensor,
    bins: Sequence[Tensor],
    range: Sequence[_float] | None = None,
    weight: Tensor | None = None,
    density: _bool = False,
) -> _return_types.histogramdd: ...
@overload
def hsplit(self: Tensor, sections: _Int) -> tuple[Tensor, ...]: ...
@overload
def hsplit(self: Tensor, indices: Sequence[_Int]) -> tuple[Tensor, ...]: ...
@overload
def hsplit(self: Tensor, *indices: _Int) -> tuple[Tensor, ...]: ...
def hstack(tensors: Sequence[Tensor]) -> Tensor: ...
def huber_loss(
    self: Tensor, target: Tensor, reduction: _Int = 1, delta: _float = 1.0
) -> Tensor: ...
def huber_loss_backward(
    grad_output: Tensor, self: Tensor, target: Tensor, reduction: _Int, delta: _float
) -> Tensor: ...
def hypot(self: Tensor, other: Tensor) -> Tensor: ...
def i0(self: Tensor) -> Tensor: ...
def i0_(self: Tensor) -> Tensor: ...
def igamma(self: Tensor, other: Tensor) -> Tensor: ...
def igammac(self: Tensor, other: Tensor) -> Tensor: ...
def im2col(
    self: Tensor,
    kernel_size: _Int | Sequence[_Int],
    dilation: _Int | Sequence[_Int],
    padding: _Int | Sequence[_Int],
    stride: _Int | Sequence[_Int],
) -> Tensor: ...
def imag(self: Tensor) -> Tensor: ...
def index(self: Tensor, indices: Sequence[Tensor | None]) -> Tensor: ...
def index_add(
    self: Tensor, dim: _Int, index: Tensor, source: Tensor, *, alpha: _Number = 1
) -> Tensor: ...
def index_copy(self: Tensor, dim: _Int, index: Tensor, source: Tensor) -> Tensor: ...
@overload
def index_fill(self: Tensor, dim: _Int, index: Tensor, value: _Number) -> Tensor: ...
@overload
def index_fill(self: Tensor, dim: _Int, index: Tensor, value: Tensor) -> Tensor: ...
def index_put(
    self: Tensor, indices: Sequence[Tensor | None], values: Tensor, accumulate: _bool = False
) -> Tensor: ...
def index_put_(
    self: Tensor, indices: Sequence[Tensor | None], values: Tensor, accumulate: _bool = False
) -> Tensor: ...
def index_reduce(
    self: Tensor,
    dim: _Int,
    index: Tensor,
    source: Tensor,
    reduce: str,
    *,
    include_self: _bool = True,
) -> Tensor: ...
def index_select(self: Tensor, dim: _Int, index: Tensor) -> Tensor: ...
def inner(self: Tensor, other: Tensor) -> Tensor: ...
def instance_norm(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    use_input_stats: _bool,
    momentum: _float,
    eps: _float,
    cudnn_enabled: _bool,
) -> Tensor: ...
def inverse(self: Tensor) -> Tensor: ...
def isclose(
    self: Tensor,
    other: Tensor,
    rtol: _float = 1e-05,
    atol: _float = 1e-08,
    equal_nan: _bool = False,
) -> Tensor: ...
def isfinite(self: Tensor) -> Tensor: ...
@overload
def isin(
    elements: Tensor, test_elements: Tensor, *, assume_unique: _bool = False, invert: _bool = False
) -> Tensor: ...
@overload
def isin(
    elements: Tensor, test_element: _Number, *, assume_unique: _bool = False, invert: _bool = False
) -> Tensor: ...
@overload
def isin(
    element: _Number, test_elements: Tensor, *, assume_unique: _bool = False, invert: _bool = False
) -> Tensor: ...
def isinf(self: Tensor) -> Tensor: ...
def isnan(self: Tensor) -> Tensor: ...
def isneginf(self: Tensor) -> Tensor: ...
def isposinf(self: Tensor) -> Tensor: ...
def isreal(self: Tensor) -> Tensor: ...
def istft(
    self: Tensor,
    n_fft: _Int,
    hop_length: _Int | None = None,
    win_length: _Int | None = None,
    window: Tensor | None = None,
    center: _bool = True,
    normalized: _bool = False,
    onesided: _bool | None = None,
    length: _Int | None = None,
    return_complex: _bool = False,
) -> Tensor: ...
@overload
def kaiser_window(
    window_length: _Int,
    *,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _DeviceLike | None = None,
    pin_memory: _bool | None = None,
    requires_grad: _bool = False,
) -> Tensor: ...
@overload
def kaiser_window(
    window_length: _Int,
    periodic: _bool,
    *,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _DeviceLike | None = None,
    pin_memory: _bool | None = None,
    requires_grad: _bool = False,
) -> Tensor: ...
@overload
def kaiser_window(
    window_length: _Int,
    periodic: _bool,
    beta: _float,
    *,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _DeviceLike | None = None,
    pin_memory: _bool | None = None,
    requires_grad: _bool = False,
) -> Tensor: ...
def kl_div(
    self: Tensor, target: Tensor, reduction: _Int = 1, *, log_target: _bool = False
) -> Tensor: ...
def kron(self: Tensor, other: Tensor) -> Tensor: ...
def kthvalue(
    self: Tensor, k: _Int, dim: _Int = -1, keepdim: _bool = False
) -> _return_types.kthvalue: ...
def l1_loss(self: Tensor, target: Tensor, reduction: _Int = 1) -> Tensor: ...
def layer_norm(
    input: Tensor,
    normalized_shape: Sequence[_Int],
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: _float = 1e-05,
    cudnn_enable: _bool = True,
) -> Tensor: ...
def lcm(self: Tensor, other: Tensor) -> Tensor: ...
def lcm_(self: Tensor, other: Tensor) -> Tensor: ...
def ldexp(self: Tensor, other: Tensor) -> Tensor: ...
def ldexp_(self: Tensor, other: Tensor) -> Tensor: ...
@overload
def le(self: Tensor, other: Tensor) -> Tensor: ...
@overload
def le(self: Tensor, other: _Number) -> Tensor: ...
def leaky_relu(self: Tensor, negative_slope: _Number = 0.01) -> Tensor: ...
def leaky_relu_(self: Tensor, negative_slope: _Number = 0.01) -> Tensor: ...
def leaky_relu_backward(
    grad_output: Tensor, self: Tensor, negative_slope: _Number, self_is_result: _bool
) -> Tensor: ...
@overload
def lerp(self: Tensor, end: Tensor, weight: _Number) -> Tensor: ...
@overload
def lerp(self: Tensor, end: Tensor, weight: Tensor) -> Tensor: ...
@overload
def less(self: Tensor, other: _Number) -> Tensor: ...
@overload
def less(self: Tensor, other: Tensor) -> Tensor: ...
@overload
def less_equal(self: Tensor, other: _Number) -> Tensor: ...
@overload
def less_equal(self: Tensor, other: Tensor) -> Tensor: ...
def lgamma(self: Tensor) -> Tensor: ...
def lift_fresh_copy(self: Tensor) -> Tensor: ...
def linalg_cholesky(self: Tensor, *, upper: _bool = False) -> Tensor: ...
def linalg_cholesky_ex(
    self: Tensor, *, upper: _bool = False, check_errors: _bool = False
) -> _return_types.linalg_cholesky_ex: ...
@overload
def linalg_cond(self: Tensor, p: _Number | None = None) -> Tensor: ...
@overload
def linalg_cond(self: Tensor, p: str) -> Tensor: ...
def linalg_cross(self: Tensor, other: Tensor, *, dim: _Int = -1) -> Tensor: ...
def linalg_det(A: Tensor) -> Tensor: ...
def linalg_diagonal(A: Tensor, *, offset: _Int = 0, dim1: _Int = -2, dim2: _Int = -1) -> Tensor: ...
def linalg_eig(self: Tensor) -> _return_types.linalg_eig: ...
def linalg_eigh(self: Tensor, UPLO: str = "L") -> _return_types.linalg_eigh: ...
def linalg_eigvals(self: Tensor) -> Tensor: ...
def linalg_eigvalsh(self: Tensor, UPLO: str = "L") -> Tensor: ...
def linalg_householder_product(input: Tensor, tau: Tensor) -> Tensor: ...
def linalg_inv(A: Tensor) -> Tensor: ...
def linalg_inv_ex(A: Tensor, *, check_errors: _bool = False) -> _return_types.linalg_inv_ex: ...
def linalg_ldl_factor(
    self: Tensor, *, hermitian: _bool = False
) -> _return_types.linalg_ldl_factor: ...
def linalg_ldl_factor_ex(
    self: Tensor, *, hermitian: _bool = False, check_errors: _bool = False
) -> _return_types.linalg_ldl_factor_ex: ...
def linalg_ldl_solve(
    LD: Tensor, pivots: Tensor, B: Tensor, *, hermitian: _bool = False
) -> Tensor: ...
def linalg_lstsq(
    self: Tensor, b: Tensor, rcond: _float | None = None, *, driver: str | None = None
) -> _return_types.linalg_lstsq: ...
def linalg_lu(A: Tensor, *, pivot: _bool = True) -> _return_types.linalg_lu: ...
def linalg_lu_factor(A: Tensor, *, pivot: _bool = True) -> _return_types.linalg_lu_factor: ...
def linalg_lu_factor_ex(
    A: Tensor, *, pivot: _bool = True, check_errors: _bool = False
) -> _return_types.linalg_lu_factor_ex: ...
def linalg_lu_solve(
    LU: Tensor, pivots: Tensor, B: Tensor, *, left: _bool = True, adjoint: _bool = False
) -> Tensor: ...
def linalg_matmul(self: Tensor, other: Tensor) -> Tensor: ...
def linalg_matrix_exp(self: Tensor) -> Tensor: ...
@overload
def linalg_matrix_norm(
    self: Tensor,
    ord: _Number,
    dim: Sequence[_Int] = [-2, -1],
    keepdim: _bool = False,
    *,
    dtype: _dtype | None = None,
) -> Tensor: ...
@overload
def linalg_matrix_norm(
    self: Tensor,
    ord: str = "fro",
    dim: Sequence[_Int] = [-2, -1],
    keepdim: _bool = False,
    *,
    dtype: _dtype | None = None,
) -> Tensor: ...
def linalg_matrix_power(self: Tensor, n: _Int) -> Tensor: ...
@overload
def linalg_matrix_rank(
    input: Tensor,
    *,
    atol: Tensor | None = None,
    rtol: Tensor | None = None,
    hermitian: _bool = False,
) -> Tensor: ...
@overload
def linalg_matrix_rank(
    self: Tensor,
    *,
    atol: _float | None = None,
    rtol: _float | None = None,
    hermitian: _bool = False,
) -> Tensor: ...
@overload
def linalg_matrix_rank(self: Tensor, tol: _float, hermitian: _bool = False) -> Tensor: ...
@overload
def linalg_matrix_rank(input: Tensor, tol: Tensor, hermitian: _bool = False) -> Tensor: ...
def linalg_multi_dot(tensors: Sequence[Tensor]) -> Tensor: ...
@overload
def linalg_norm(
    self: Tensor,
    ord: _Number | None = None,
    dim: _Int | Sequence[_Int] | None = None,
    keepdim: _bool = False,
    *,
    dtype: _dtype | None = None,
) -> Tensor: ...
@overload
def linalg_norm(
    self: Tensor,
    ord: str,
    dim: _Int | Sequence[_Int] | None = None,
    keepdim: _bool = False,
    *,
    dtype: _dtype | None = None,
) -> Tensor: ...
@overload
def linalg_pinv(
    self: Tensor,
    *,
    atol: Tensor | None = None,
    rtol: Tensor | None = None,
    hermitian: _bool = False,
) -> Tensor: ...
@overload
def linalg_pinv(
    self: Tensor,
    *,
    atol: _float | None = None,
    rtol: _float | None = None,
    hermitian: _bool = False,
) -> Tensor: ...
@overload
def linalg_pinv(self: Tensor, rcond: _float, hermitian: _bool = False) -> Tensor: ...
@overload
def linalg_pinv(self: Tensor, rcond: Tensor, hermitian: _bool = False) -> Tensor: ...
def linalg_qr(A: Tensor, mode: str = "reduced") -> _return_types.linalg_qr: ...
def linalg_slogdet(A: Tensor) -> _return_types.linalg_slogdet: ...
def linalg_solve(A: Tensor, B: Tensor, *, left: _bool = True) -> Tensor: ...
def linalg_solve_ex(
    A: Tensor, B: Tensor, *, left: _bool = True, check_errors: _bool = False
) -> _return_types.linalg_solve_ex: ...
def linalg_solve_triangular(
    self: Tensor, B: Tensor, *, upper: _bool, left: _bool = True, unitriangular: _bool = False
) -> Tensor: ...
def linalg_svd(
    A: Tensor, full_matrices: _bool = True, *, driver: str | None = None
) -> _return_types.linalg_svd: ...
def linalg_svdvals(A: Tensor, *, driver: str | None = None) -> Tensor: ...
def linalg_tensorinv(self: Tensor, ind: _Int = 2) -> Tensor: ...
def linalg_tensorsolve(
    self: Tensor, other: Tensor, dims: Sequence[_Int] | None = None
) -> Tensor: ...
def linalg_vander(x: Tensor, *, N: _Int | None = None) -> Tensor: ...
def linalg_vecdot(x: Tensor, y: Tensor, *, dim: _Int = -1) -> Tensor: ...
def linalg_vector_norm(
    self: Tensor,
    ord: _Number = 2,
    dim: _Int | Sequence[_Int] | None = None,
    keepdim: _bool = False,
    *,
    dtype: _dtype | None = None,
) -> Tensor: ...
def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor: ...
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
def log(self: Tensor) -> Tensor: ...
def log10(self: Tensor) -> Tensor: ...
def log10_(self: Tensor) -> Tensor: ...
def log1p(self: Tensor) -> Tensor: ...
def log1p_(self: Tensor) -> Tensor: ...
def log2(self: Tensor) -> Tensor: ...
def log2_(self: Tensor) -> Tensor: ...
def log_(self: Tensor) -> Tensor: ...
def log_sigmoid(self: Tensor) -> Tensor: ...
def log_sigmoid_backward(grad_output: Tensor, self: Tensor, buffer: Tensor) -> Tensor: ...
def log_sigmoid_forward(self: Tensor) -> _return_types.log_sigmoid_forward: ...
def log_softmax(self: Tensor, dim: _Int, dtype: _dtype | None = None) -> Tensor: ...
def logaddexp(self: Tensor, other: Tensor) -> Tensor: ...
def logaddexp2(self: Tensor, other: Tensor) -> Tensor: ...
def logcumsumexp(self: Tensor, dim: _Int) -> Tensor: ...
def logdet(self: Tensor) -> Tensor: ...
def logical_and(self: Tensor, other: Tensor) -> Tensor: ...
def logical_not(self: Tensor) -> Tensor: ...
def logical_or(self: Tensor, other: Tensor) -> Tensor: ...
def logical_xor(self: Tensor, other: Tensor) -> Tensor: ...
def logit(self: Tensor, eps: _float | None = None) -> Tensor: ...
def logit_(self: Tensor, eps: _float | None = None) -> Tensor: ...
def logit_backward(grad_output: Tensor, self: Tensor, eps: _float | None = None) -> Tensor: ...
def logspace(
    start: _Number,
    end: _Number,
    steps: _Int,
    base: _float = 10.0,
    *,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _DeviceLike | None = None,
    pin_memory: _bool | None = None,
    requires_grad: _bool = False,
) -> Tensor: ...
def logsumexp(self: Tensor, dim: _Int | Sequence[_Int], keepdim: _bool = False) -> Tensor: ...
def lstm(
    input: Tensor,
    hx: Sequence[Tensor],
    params: Sequence[Tensor],
    has_biases: _bool,
    num_layers: _Int,
    dropout: _float,
    train: _bool,
    bidirectional: _bool,
    batch_first: _bool,
) -> tuple[Tensor, Tensor, Tensor]: ...
def lstm_cell(
    input: Tensor,
    hx: Sequence[Tensor],
    w_ih: Tensor,
    w_hh: Tensor,
    b_ih: Tensor | None = None,
    b_hh: Tensor | None = None,
) -> tuple[Tensor, Tensor]: ...
@overload
def lt(self: Tensor, other: Tensor) -> Tensor: ...
@overload
def lt(self: Tensor, other: _Number) -> Tensor: ...
def lu_solve(self: Tensor, LU_data: Tensor, LU_pivots: Tensor) -> Tensor: ...
def lu_unpack(
    LU_data: Tensor, LU_pivots: Tensor, unpack_data: _bool = True, unpack_pivots: _bool = True
) -> _return_types.lu_unpack: ...
def margin_ranking_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: _float = 0.0, reduction: _Int = 1
) -> Tensor: ...
@overload
def masked_fill(self: Tensor, mask: Tensor, value: _Number) -> Tensor: ...
@overload
def masked_fill(self: Tensor, mask: Tensor, value: Tensor) -> Tensor: ...
def masked_scatter(self: Tensor, mask: Tensor, source: Tensor) -> Tensor: ...
def masked_select(self: Tensor, mask: Tensor) -> Tensor: ...
def matmul(self: Tensor, other: Tensor) -> Tensor: ...
def matrix_exp(self: Tensor) -> Tensor: ...
def matrix_power(self: Tensor, n: _Int) -> Tensor: ...
@overload
def max(self: Tensor, other: Tensor) -> Tensor: ...
@overload
def max(self: Tensor) -> Tensor: ...
@overload
def max(self: Tensor, dim: _Int, keepdim: _bool = False) -> _return_types.max: ...
def max_pool1d(
    self: Tensor,
    kernel_size: _Int | Sequence[_Int],
    stride: _Int | Sequence[_Int] = [],
    padding: _Int | Sequence[_Int] = [0],
    dilation: _Int | Sequence[_Int] = [1],
    ceil_mode: _bool = False,
) -> Tensor: ...
def max_pool1d_with_indices(
    self: Tensor,
    kernel_size: _Int | Sequence[_Int],
    stride: _Int | Sequence[_Int] = [],
    padding: _Int | Sequence[_Int] = [0],
    dilation: _Int | Sequence[_Int] = [1],
    ceil_mode: _bool = False,
) -> tuple[Tensor, Tensor]: ...
def max_pool2d(
    self: Tensor,
    kernel_size: _Int | Sequence[_Int],
    stride: _Int | Sequence[_Int] = [],
    padding: _Int | Sequence[_Int] = 0,
    dilation: _Int | Sequence[_Int] = 1,
    ceil_mode: _bool = False,
) -> Tensor: ...
def max_pool2d_with_indices(
    self: Tensor,
    kernel_size: _Int | Sequence[_Int],
    stride: _Int | Sequence[_Int] = [],
    padding: _Int | Sequence[_Int] = 0,
    dilation: _Int | Sequence[_Int] = 1,
    ceil_mode: _bool = False,
) -> tuple[Tensor, Tensor]: ...
def max_pool2d_with_indices_backward(
    grad_output: Tensor,
    self: Tensor,
    kernel_size: _Int | Sequence[_Int],
    stride: _Int | Sequence[_Int],
    padding: _Int | Sequence[_Int],
    dilation: _Int | Sequence[_Int],
    ceil_mode: _bool,
    indices: Tensor,
) -> Tensor: ...
def max_pool3d(
    self: Tensor,
    kernel_size: _Int | Sequence[_Int],
    stride: _Int | Sequence[_Int] = [],
    padding: _Int | Sequence[_Int] = 0,
    dilation: _Int | Sequence[_Int] = 1,
    ceil_mode: _bool = False,
) -> Tensor: ...
def max_pool3d_with_indices(
    self: Tensor,
    kernel_size: _Int | Sequence[_Int],
    stride: _Int | Sequence[_Int] = [],
    padding: _Int | Sequence[_Int] = 0,
    dilation: _Int | Sequence[_Int] = 1,
    ceil_mode: _bool = False,
) -> tuple[Tensor, Tensor]: ...
def max_pool3d_with_indices_backward(
    grad_output: Tensor,
    self: Tensor,
    kernel_size: _Int | Sequence[_Int],
    stride: _Int | Sequence[_Int],
    padding: _Int | Sequence[_Int],
    dilation: _Int | Sequence[_Int],
    ceil_mode: _bool,
    indices: Tensor,
) -> Tensor: ...
def max_unpool2d(self: Tensor, indices: Tensor, output_size: _Int | Sequence[_Int]) -> Tensor: ...
def max_unpool3d(
    self: Tensor,
    indices: Tensor,
    output_size: _Int | Sequence[_Int],
    stride: _Int | Sequence[_Int],
    padding: _Int | Sequence[_Int],
) -> Tensor: ...
def maximum(self: Tensor, other: Tensor) -> Tensor: ...
@overload
def mean(self: Tensor, *, dtype: _dtype | None = None) -> Tensor: ...
@overload
def mean(
    self: Tensor,
    dim: _Int | Sequence[_Int] | None,
    keepdim: _bool = False,
    *,
    dtype: _dtype | None = None,
) -> Tensor: ...
@overload
def median(self: Tensor) -> Tensor: ...
@overload
def median(self: Tensor, dim: _Int, keepdim: _bool = False) -> _return_types.median: ...
@overload
def meshgrid(tensors: Sequence[Tensor]) -> tuple[Tensor, ...]: ...
@overload
def meshgrid(tensors: Sequence[Tensor], *, indexing: str) -> tuple[Tensor, ...]: ...
@overload
def min(self: Tensor, other: Tensor) -> Tensor: ...
@overload
def min(self: Tensor) -> Tensor: ...
@overload
def min(self: Tensor, dim: _Int, keepdim: _bool = False) -> _return_types.min: ...
def minimum(self: Tensor, other: Tensor) -> Tensor: ...
def mish(self: Tensor) -> Tensor: ...
def mish_(self: Tensor) -> Tensor: ...
def mish_backward(grad_output: Tensor, self: Tensor) -> Tensor: ...
@overload
def mm(self: Tensor, mat2: Tensor) -> Tensor: ...
@overload
def mm(self: Tensor, mat2: Tensor, *, out: Tensor) -> Tensor: ...
def mode(self: Tensor, dim: _Int = -1, keepdim: _bool = False) -> _return_types.mode: ...
@overload
def moveaxis(self: Tensor, source: Sequence[_Int], destination: Sequence[_Int]) -> Tensor: ...
@overload
def moveaxis(self: Tensor, source: _Int, destination: _Int) -> Tensor: ...
@overload
def movedim(self: Tensor, source: Sequence[_Int], destination: Sequence[_Int]) -> Tensor: ...
@overload
def movedim(self: Tensor, source: _Int, destination: _Int) -> Tensor: ...
def mse_loss(self: Tensor, target: Tensor, reduction: _Int = 1) -> Tensor: ...
def mse_loss_backward(
    grad_output: Tensor, self: Tensor, target: Tensor, reduction: _Int
) -> Tensor: ...
def msort(self: Tensor) -> Tensor: ...
@overload
def mul(self: Tensor, other: Tensor) -> Tensor: ...
@overload
def mul(self: Tensor, other: _Number) -> Tensor: ...
def multi_margin_loss(
    self: Tensor,
    target: Tensor,
    p: _Number = 1,
    margin: _Number = 1,
    weight: Tensor | None = None,
    reduction: _Int = 1,
) -> Tensor: ...
def multilabel_margin_loss(self: Tensor, target: Tensor, reduction: _Int = 1) -> Tensor: ...
def multilabel_margin_loss_backward(
    grad_output: Tensor, self: Tensor, target: Tensor, reduction: _Int, is_target: Tensor
) -> Tensor: ...
def multilabel_margin_loss_forward(
    self: Tensor, target: Tensor, reduction: _Int
) -> _return_types.multilabel_margin_loss_forward: ...
def multinomial(
    self: Tensor,
    num_samples: _Int,
    replacement: _bool = False,
    *,
    generator: _Generator | None = None,
) -> Tensor: ...
@overload
def multiply(self: Tensor, other: _Number) -> Tensor: ...
@overload
def multiply(self: Tensor, other: Tensor) -> Tensor: ...
@overload
def mv(self: Tensor, vec: Tensor) -> Tensor: ...
@overload
def mv(self: Tensor, vec: Tensor, *, out: Tensor) -> Tensor: ...
def mvlgamma(self: Tensor, p: _Int) -> Tensor: ...
def mvlgamma_(self: Tensor, p: _Int) -> Tensor: ...
def nan_to_num(
    self: Tensor,
    nan: _float | None = None,
    posinf: _float | None = None,
    neginf: _float | None = None,
) -> Tensor: ...
def nan_to_num_(
    self: Tensor,
    nan: _float | None = None,
    posinf: _float | None = None,
    neginf: _float | None = None,
) -> Tensor: ...
def nanmean(
    self: Tensor,
    dim: _Int | Sequence[_Int] | None = None,
    keepdim: _bool = False,
    *,
    dtype: _dtype | None = None,
) -> Tensor: ...
@overload
def nanmedian(self: Tensor) -> Tensor: ...
@overload
def nanmedian(self: Tensor, dim: _Int, keepdim: _bool = False) -> _return_types.nanmedian: ...
@overload
def nanquantile(
    self: Tensor,
    q: Tensor,
    dim: _Int | None = None,
    keepdim: _bool = False,
    *,
    interpolation: str = "linear",
) -> Tensor: ...
@overload
def nanquantile(
    self: Tensor,
    q: _float,
    dim: _Int | None = None,
    keepdim: _bool = False,
    *,
    interpolation: str = "linear",
) -> Tensor: ...
def nansum(
    self: Tensor,
    dim: _Int | Sequence[_Int] | None = None,
    keepdim: _bool = False,
    *,
    dtype: _dtype | None = None,
) -> Tensor: ...
def narrow(self: Tensor, dim: _Int, start: _Int, length: _Int) -> Tensor: ...
def narrow_copy(self: Tensor, dim: _Int, start: _Int, length: _Int) -> Tensor: ...
def native_batch_norm(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    training: _bool,
    momentum: _float,
    eps: _float,
) -> tuple[Tensor, Tensor, Tensor]: ...
def native_batch_norm_backward(
    grad_out: Tensor,
    input: Tensor,
    weight: Tensor | None,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    save_mean: Tensor | None,
    save_invstd: Tensor | None,
    train: _bool,
    eps: _float,
    output_mask: _bool | Sequence[_bool],
) -> tuple[Tensor, Tensor, Tensor]: ...
def native_channel_shuffle(self: Tensor, groups: _Int) -> Tensor: ...
def native_dropout(input: Tensor, p: _float, train: _bool | None) -> tuple[Tensor, Tensor]: ...
def native_dropout_backward(grad_output: Tensor, mask: Tensor, scale: _float) -> Tensor: ...
def native_group_norm(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    N: _Int,
    C: _Int,
    HxW: _Int,
    group: _Int,
    eps: _float,
) -> tuple[Tensor, Tensor, Tensor]: ...
def native_group_norm_backward(
    grad_out: Tensor,
    input: Tensor,
    mean: Tensor,
    rstd: Tensor,
    weight: Tensor | None,
    N: _Int,
    C: _Int,
    HxW: _Int,
    group: _Int,
    output_mask: _bool | Sequence[_bool],
) -> tuple[Tensor, Tensor, Tensor]: ...
def native_layer_norm(
    input: Tensor,
    normalized_shape: Sequence[_Int],
    weight: Tensor | None,
    bias: Tensor | None,
    eps: _float,
) -> tuple[Tensor, Tensor, Tensor]: ...
def native_layer_norm_backward(
    grad_out: Tensor,
    input: Tensor,
    normalized_shape: Sequence[_Int],
    mean: Tensor,
    rstd: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    output_mask: _bool | Sequence[_bool],
) -> tuple[Tensor, Tensor, Tensor]: ...
@overload
def ne(self: Tensor, other: Tensor) -> Tensor: ...
@overload
def ne(self: Tensor, other: _Number) -> Tensor: ...
def neg(self: Tensor) -> Tensor: ...
def neg_(self: Tensor) -> Tensor: ...
def negative(self: Tensor) -> Tensor: ...
def negative_(self: Tensor) -> Tensor: ...
def nextafter(self: Tensor, other: Tensor) -> Tensor: ...
def nll_loss(
    self: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    reduction: _Int = 1,
    ignore_index: _Int = -100,
) -> Tensor: ...
def nll_loss2d(
    self: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    reduction: _Int = 1,
    ignore_index: _Int = -100,
) -> Tensor: ...
def nll_loss2d_backward(
    grad_output: Tensor,
    self: Tensor,
    target: Tensor,
    weight: Tensor | None,
    reduction: _Int,
    ignore_index: _Int,
    total_weight: Tensor,
) -> Tensor: ...
def nll_loss2d_forward(
    self: Tensor, target: Tensor, weight: Tensor | None, reduction: _Int, ignore_index: _Int
) -> _return_types.nll_loss2d_forward: ...
def nll_loss_backward(
    grad_output: Tensor,
    self: Tensor,
    target: Tensor,
    weight: Tensor | None,
    reduction: _Int,
    ignore_index: _Int,
    total_weight: Tensor,
) -> Tensor: ...
def nll_loss_forward(
    self: Tensor, target: Tensor, weight: Tensor | None, reduction: _Int, ignore_index: _Int
) -> _return_types.nll_loss_forward: ...
def nll_loss_nd(
    self: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    reduction: _Int = 1,
    ignore_index: _Int = -100,
) -> Tensor: ...
def nonzero_static(self: Tensor, *, size: _Int, fill_value: _Int = -1) -> Tensor: ...
def norm_except_dim(v: Tensor, pow: _Int = 2, dim: _Int = 0) -> Tensor: ...
@overload
def normal(mean: Tensor, std: _float = 1.0, *, generator: _Generator | None = None) -> Tensor: ...
@overload
def normal(mean: _float, std: Tensor, *, generator: _Generator | None = None) -> Tensor: ...
@overload
def normal(mean: Tensor, std: Tensor, *, generator: _Generator | None = None) -> Tensor: ...
@overload
def normal(
    mean: _float,
    std: _float,
    size: Sequence[_Int],
    *,
    generator: _Generator | None = None,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _DeviceLike | None = None,
    pin_memory: _bool | None = None,
    requires_grad: _bool = False,
) -> Tensor: ...
@overload
def not_equal(self: Tensor, other: _Number) -> Tensor: ...
@overload
def not_equal(self: Tensor, other: Tensor) -> Tensor: ...
@overload
def nuclear_norm(self: Tensor, keepdim: _bool = False) -> Tensor: ...
@overload
def nuclear_norm(self: Tensor, dim: _Int | Sequence[_Int], keepdim: _bool = False) -> Tensor: ...
def one_hot(self: Tensor, num_classes: _Int = -1) -> Tensor: ...
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
def orgqr(self: Tensor, input2: Tensor) -> Tensor: ...
def ormqr(
    self: Tensor, input2: Tensor, input3: Tensor, left: _bool = True, transpose: _bool = False
) -> Tensor: ...
def outer(self: Tensor, vec2: Tensor) -> Tensor: ...
def pad(
    self: Tensor, pad: Sequence[_Int], mode: str = "constant", value: _float | None = None
) -> Tensor: ...
def pairwise_distance(
    x1: Tensor, x2: Tensor, p: _float = 2.0, eps: _float = 1e-06, keepdim: _bool = False
) -> Tensor: ...
def pdist(self: Tensor, p: _float = 2) -> Tensor: ...
@overload
def permute(self: Tensor, dims: Sequence[_Int]) -> Tensor: ...
@overload
def permute(self: Tensor, *dims: _Int) -> Tensor: ...
def pinverse(self: Tensor, rcond: _float = 1e-15) -> Tensor: ...
def pixel_shuffle(self: Tensor, upscale_factor: _Int) -> Tensor: ...
def pixel_unshuffle(self: Tensor, downscale_factor: _Int) -> Tensor: ...
def poisson(self: Tensor, generator: _Generator | None = None) -> Tensor: ...
def poisson_nll_loss(
    input: Tensor, target: Tensor, log_input: _bool, full: _bool, eps: _float, reduction: _Int
) -> Tensor: ...
def polar(abs: Tensor, angle: Tensor) -> Tensor: ...
def polygamma(n: _Int, self: Tensor) -> Tensor: ...
def polygamma_(self: Tensor, n: _Int) -> Tensor: ...
def positive(self: Tensor) -> Tensor: ...
@overload
def pow(self: Tensor, exponent: Tensor) -> Tensor: ...
@overload
def pow(self: Tensor, exponent: _Number) -> Tensor: ...
@overload
def pow(self: _Number, exponent: Tensor) -> Tensor: ...
def prelu(self: Tensor, weight: Tensor) -> Tensor: ...
@overload
def prod(self: Tensor, *, dtype: _dtype | None = None) -> Tensor: ...
@overload
def prod(
    self: Tensor, dim: _Int, keepdim: _bool = False, *, dtype: _dtype | None = None
) -> Tensor: ...
def promote_types(type1: _dtype, type2: _dtype) -> _dtype: ...
def put(self: Tensor, index: Tensor, source: Tensor, accumulate: _bool = False) -> Tensor: ...
def qr(self: Tensor, some: _bool = True) -> _return_types.qr: ...
@overload
def quantile(
    self: Tensor,
    q: Tensor,
    dim: _Int | None = None,
    keepdim: _bool = False,
    *,
    interpolation: str = "linear",
) -> Tensor: ...
@overload
def quantile(
    self: Tensor,
    q: _float,
    dim: _Int | None = None,
    keepdim: _bool = False,
    *,
    interpolation: str = "linear",
) -> Tensor: ...
def rad2deg(self: Tensor) -> Tensor: ...
def rad2deg_(self: Tensor) -> Tensor: ...
@overload
def rand(
    size: Sequence[_Int],
    *,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _DeviceLike | None = None,
    pin_memory: _bool | None = None,
    requires_grad: _bool = False,
) -> Tensor: ...
@overload
def rand(
    *size: _Int,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _DeviceLike | None = None,
    pin_memory: _bool | None = None,
    requires_grad: _bool = False,
) -> Tensor: ...
@overload
def rand(
    size: Sequence[_Int],
    *,
    generator: _Generator | None,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _DeviceLike | None = None,
    pin_memory: _bool | None = None,
    requires_grad: _bool = False,
) -> Tensor: ...
@overload
def rand(
    *size: _Int,
    generator: _Generator | None,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _DeviceLike | None = None,
    pin_memory: _bool | None = None,
    requires_grad: _bool = False,
) -> Tensor: ...
@overload
def rand_like(
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
def rand_like(
    self: Tensor,
    *,
    generator: _Generator | None,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _DeviceLike | None = None,
    pin_memory: _bool | None = None,
    memory_format: _memory_format | None = None,
    requires_grad: _bool = False,
) -> Tensor: ...
@overload
def randint(
    high: _Int,
    size: Sequence[_Int],
    *,
    dtype: _dtype | None = long,
    layout: _layout | None = None,
    device: _DeviceLike | None = None,
    pin_memory: _bool | None = None,
    requires_grad: _bool = False,
) -> Tensor: ...
@overload
def randint(
    high: _Int,
    size: Sequence[_Int],
    *,
    generator: _Generator | None,
    dtype: _dtype | None = long,
    layout: _layout | None = None,
    device: _DeviceLike | None = None,
    pin_memory: _bool | None = None,
    requires_grad: _bool = False,
) -> Tensor: ...
@overload
def randint(
    low: _Int,
    high: _Int,
    size: Sequence[_Int],
    *,
    dtype: _dtype | None = long,
    layout: _layout | None = None,
    device: _DeviceLike | None = None,
    pin_memory: _bool | None = None,
    requires_grad: _bool = False,
) -> Tensor: ...
@overload
def randint(
    low: _Int,
    high: _Int,
    size: Sequence[_Int],
    *,
    generator: _Generator | None,
    dtype: _dtype | None = long,
    layout: _layout | None = None,
    device: _DeviceLike | None = None,
    pin_memory: _bool | None = None,
    requires_grad: _bool = False,
) -> Tensor: ...
@overload
def randint_like(
    self: Tensor,
    high: _Int,
    *,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _DeviceLike | None = None,
    pin_memory: _bool | None = None,
    memory_format: _memory_format | None = None,
    requires_grad: _bool = False,
) -> Tensor: ...
@overload
def randint_like(
    self: Tensor,
    high: _Int,
    *,
    generator: _Generator | None,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _DeviceLike | None = None,
    pin_memory: _bool | None = None,
    memory_format: _memory_format | None = None,
    requires_grad: _bool = False,
) -> Tensor: ...
@overload
def randint_like(
    self: Tensor,
    high: Tensor,
    *,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _DeviceLike | None = None,
    pin_memory: _bool | None = None,
    memory_format: _memory_format | None = None,
    requires_grad: _bool = False,
) -> Tensor: ...
@overload
def randint_like(
    self: Tensor,
    high: Tensor,
    *,
    generator: _Generator | None,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _DeviceLike | None = None,
    pin_memory: _bool | None = None,
    memory_format: _memory_format | None = None,
    requires_grad: _bool = False,
) -> Tensor: ...
@overload
def randint_like(
    self: Tensor,
    low: _Int,
    high: _Int,
    *,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _DeviceLike | None = None,
    pin_memory: _bool | None = None,
    memory_format: _memory_format | None = None,
    requires_grad: _bool = False,
) -> Tensor: ...
@overload
def randint_like(
    self: Tensor,
    low: _Int,
    high: _Int,
    *,
    generator: _Generator | None,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _DeviceLike | None = None,
    pin_memory: _bool | None = None,
    memory_format: _memory_format | None = None,
    requires_grad: _bool = False,
) -> Tensor: ...
@overload
def randn(
    size: Sequence[_Int],
    *,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _DeviceLike | None = None,
    pin_memory: _bool | None = None,
    requires_grad: _bool = False,
) -> Tensor: ...
@overload
def randn(
    *size: _Int,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _DeviceLike | None = None,
    pin_memory: _bool | None = None,
    requires_grad: _bool = False,
) -> Tensor: ...
@overload
def randn(
    size: Sequence[_Int],
    *,
    generator: _Generator | None,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _DeviceLike | None = None,
    pin_memory: _bool | None = None,
    requires_grad: _bool = False,
) -> Tensor: ...
@overload
def randn(
    *size: _Int,
    generator: _Generator | None,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _DeviceLike | None = None,
    pin_memory: _bool | None = None,
    requires_grad: _bool = False,
) -> Tensor: ...
@overload
def randn_like(
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
def randn_like(
    self: Tensor,
    *,
    generator: _Generator | None,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _DeviceLike | None = None,
    pin_memory: _bool | None = None,
    memory_format: _memory_format | None = None,
    requires_grad: _bool = False,
) -> Tensor: ...
@overload
def randperm(
    n: _Int,
    *,
    dtype: _dtype | None = long,
    layout: _layout | None = None,
    device: _DeviceLike | None = None,
    pin_memory: _bool | None = None,
    requires_grad: _bool = False,
) -> Tensor: ...
@overload
def randperm(
    n: _Int,
    *,
    generator: _Generator | None,
    dtype: _dtype | None = long,
    layout: _layout | None = None,
    device: _DeviceLike | None = None,
    pin_memory: _bool | None = None,
    requires_grad: _bool = False,
) -> Tensor: ...
@overload
def range(
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
def range(
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
def ravel(self: Tensor) -> Tensor: ...
def real(self: Tensor) -> Tensor: ...
def reciprocal(self: Tensor) -> Tensor: ...
def reciprocal_(self: Tensor) -> Tensor: ...
@overload
def reflection_pad1d(self: Tensor, padding: _Int | Sequence[_Int]) -> Tensor: ...
@overload
def reflection_pad1d(self: Tensor, *padding: _Int) -> Tensor: ...
def reflection_pad1d_backward(
    grad_output: Tensor, self: Tensor, padding: _Int | Sequence[_Int]
) -> Tensor: ...
@overload
def reflection_pad2d(self: Tensor, padding: _Int | Sequence[_Int]) -> Tensor: ...
@overload
def reflection_pad2d(self: Tensor, *padding: _Int) -> Tensor: ...
def reflection_pad2d_backward(
    grad_output: Tensor, self: Tensor, padding: _Int | Sequence[_Int]
) -> Tensor: ...
@overload
def reflection_pad3d(self: Tensor, padding: _Int | Sequence[_Int]) -> Tensor: ...
@overload
def reflection_pad3d(self: Tensor, *padding: _Int) -> Tensor: ...
def reflection_pad3d_backward(
    grad_output: Tensor, self: Tensor, padding: _Int | Sequence[_Int]
) -> Tensor: ...
def relu(self: Tensor) -> Tensor: ...
def relu6(self: Tensor) -> Tensor: ...
def relu6_(self: Tensor) -> Tensor: ...
def relu_(self: Tensor) -> Tensor: ...
@overload
def remainder(self: Tensor, other: Tensor) -> Tensor: ...
@overload
def remainder(self: Tensor, other: _Number) -> Tensor: ...
@overload
def remainder(self: _Number, other: Tensor) -> Tensor: ...
def renorm(self: Tensor, p: _Number, dim: _Int, maxnorm: _Number) -> Tensor: ...
@overload
def repeat_interleave(
    self: Tensor, repeats: _Int, dim: _Int | None = None, *, output_size: _Int | None = None
) -> Tensor: ...
@overload
def repeat_interleave(
    self: Tensor, repeats: Tensor, dim: _Int | None = None, *, output_size: _Int | None = None
) -> Tensor: ...
@overload
def repeat_interleave(repeats: Tensor, *, output_size: _Int | None = None) -> Tensor: ...
@overload
def replication_pad1d(self: Tensor, padding: _Int | Sequence[_Int]) -> Tensor: ...
@overload
def replication_pad1d(self: Tensor, *padding: _Int) -> Tensor: ...
def replication_pad1d_backward(
    grad_output: Tensor, self: Tensor, padding: _Int | Sequence[_Int]
) -> Tensor: ...
@overload
def replication_pad2d(self: Tensor, padding: _Int | Sequence[_Int]) -> Tensor: ...
@overload
def replication_pad2d(self: Tensor, *padding: _Int) -> Tensor: ...
def replication_pad2d_backward(
    grad_output: Tensor, self: Tensor, padding: _Int | Sequence[_Int]
) -> Tensor: ...
@overload
def replication_pad3d(self: Tensor, padding: _Int | Sequence[_Int]) -> Tensor: ...
@overload
def replication_pad3d(self: Tensor, *padding: _Int) -> Tensor: ...
def replication_pad3d_backward(
    grad_output: Tensor, self: Tensor, padding: _Int | Sequence[_Int]
) -> Tensor: ...
@overload
def reshape(self: Tensor, shape: Sequence[_Int]) -> Tensor: ...
@overload
def reshape(self: Tensor, *shape: _Int) -> Tensor: ...
def resize_as_(
    self: Tensor, the_template: Tensor, *, memory_format: _memory_format | None = None
) -> Tensor: ...
@overload
def result_type(tensor: Tensor, other: Tensor) -> _dtype: ...
@overload
def result_type(tensor: Tensor, other: _Number) -> _dtype: ...
@overload
def result_type(scalar: _Number, tensor: Tensor) -> _dtype: ...
@overload
def result_type(scalar1: _Number, scalar2: _Number) -> _dtype: ...
def rms_norm(
    input: Tensor,
    normalized_shape: Sequence[_Int],
    weight: Tensor | None = None,
    eps: _float | None = None,
) -> Tensor: ...
def rnn_relu(
    input: Tensor,
    hx: Tensor,
    params: Sequence[Tensor],
    has_biases: _bool,
    num_layers: _Int,
    dropout: _float,
    train: _bool,
    bidirectional: _bool,
    batch_first: _bool,
) -> tuple[Tensor, Tensor]: ...
def rnn_relu_cell(
    input: Tensor,
    hx: Tensor,
    w_ih: Tensor,
    w_hh: Tensor,
    b_ih: Tensor | None = None,
    b_hh: Tensor | None = None,
) -> Tensor: ...
def rnn_tanh(
    input: Tensor,
    hx: Tensor,
    params: Sequence[Tensor],
    has_biases: _bool,
    num_layers: _Int,
    dropout: _float,
    train: _bool,
    bidirectional: _bool,
    batch_first: _bool,
) -> tuple[Tensor, Tensor]: ...
def rnn_tanh_cell(
    input: Tensor,
    hx: Tensor,
    w_ih: Tensor,
    w_hh: Tensor,
    b_ih: Tensor | None = None,
    b_hh: Tensor | None = None,
) -> Tensor: ...
def roll(
    self: Tensor, shifts: _Int | Sequence[_Int], dims: _Int | Sequence[_Int] = []
) -> Tensor: ...
def rot90(self: Tensor, k: _Int = 1, dims: Sequence[_Int] = [0, 1]) -> Tensor: ...
@overload
def round(self: Tensor) -> Tensor: ...
@overload
def round(self: Tensor, *, decimals: _Int) -> Tensor: ...
def round_(self: Tensor) -> Tensor: ...
def row_stack(tensors: Sequence[Tensor]) -> Tensor: ...
def rrelu(
    self: Tensor,
    lower: _Number = 0.125,
    upper: _Number = 0.3333333333333333,
    training: _bool = False,
    generator: _Generator | None = None,
) -> Tensor: ...
def rrelu_(
    self: Tensor,
    lower: _Number = 0.125,
    upper: _Number = 0.3333333333333333,
    training: _bool = False,
    generator: _Generator | None = None,
) -> Tensor: ...
def rrelu_with_noise(
    self: Tensor,
    noise: Tensor,
    lower: _Number = 0.125,
    upper: _Number = 0.3333333333333333,
    training: _bool = False,
    generator: _Generator | None = None,
) -> Tensor: ...
def rrelu_with_noise_backward(
    grad_output: Tensor,
    self: Tensor,
    noise: Tensor,
    lower: _Number,
    upper: _Number,
    training: _bool,
    self_is_result: _bool,
) -> Tensor: ...
def rsqrt(self: Tensor) -> Tensor: ...
def rsqrt_(self: Tensor) -> Tensor: ...
@overload
def rsub(self: Tensor, other: Tensor, *, alpha: _Number = 1) -> Tensor: ...
@overload
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
def scaled_dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: _float = 0.0,
    is_causal: _bool = False,
    *,
    scale: _float | None = None,
    enable_gqa: _bool = False,
) -> Tensor: ...
@overload
def scatter(self: Tensor, dim: _Int, index: Tensor, src: Tensor) -> Tensor: ...
@overload
def scatter(self: Tensor, dim: _Int, index: Tensor, value: _Number) -> Tensor: ...
def scatter_add(self: Tensor, dim: _Int, index: Tensor, src: Tensor) -> Tensor: ...
def scatter_reduce(
    self: Tensor, dim: _Int, index: Tensor, src: Tensor, reduce: str, *, include_self: _bool = True
) -> Tensor: ...
@overload
def searchsorted(
    sorted_sequence: Tensor,
    self: Tensor,
    *,
    out_int32: _bool = False,
    right: _bool = False,
    side: str | None = None,
    sorter: Tensor | None = None,
) -> Tensor: ...
@overload
def searchsorted(
    sorted_sequence: Tensor,
    self: _Number,
    *,
    out_int32: _bool = False,
    right: _bool = False,
    side: str | None = None,
    sorter: Tensor | None = None,
) -> Tensor: ...
def select(self: Tensor, dim: _Int, index: _Int) -> Tensor: ...
def select_scatter(self: Tensor, src: Tensor, dim: _Int, index: _Int) -> Tensor: ...
def selu(self: Tensor) -> Tensor: ...
def selu_(self: Tensor) -> Tensor: ...
def sgn(self: Tensor) -> Tensor: ...
def sigmoid(self: Tensor) -> Tensor: ...
def sigmoid_(self: Tensor) -> Tensor: ...
def sigmoid_backward(grad_output: Tensor, output: Tensor) -> Tensor: ...
def sign(self: Tensor) -> Tensor: ...
def signbit(self: Tensor) -> Tensor: ...
def silu(self: Tensor) -> Tensor: ...
def silu_(self: Tensor) -> Tensor: ...
def silu_backward(grad_output: Tensor, self: Tensor) -> Tensor: ...
def sin(self: Tensor) -> Tensor: ...
def sin_(self: Tensor) -> Tensor: ...
def sinc(self: Tensor) -> Tensor: ...
def sinc_(self: Tensor) -> Tensor: ...
def sinh(self: Tensor) -> Tensor: ...
def sinh_(self: Tensor) -> Tensor: ...
def slice(
    self: Tensor, dim: _Int = 0, start: _Int | None = None, end: _Int | None = None, step: _Int = 1
) -> Tensor: ...
def slice_scatter(
    self: Tensor,
    src: Tensor,
    dim: _Int = 0,
    start: _Int | None = None,
    end: _Int | None = None,
    step: _Int = 1,
) -> Tensor: ...
def slogdet(self: Tensor) -> _return_types.slogdet: ...
def smooth_l1_loss(
    self: Tensor, target: Tensor, reduction: _Int = 1, beta: _float = 1.0
) -> Tensor: ...
def smooth_l1_loss_backward(
    grad_output: Tensor, self: Tensor, target: Tensor, reduction: _Int, beta: _float
) -> Tensor: ...
def soft_margin_loss(self: Tensor, target: Tensor, reduction: _Int = 1) -> Tensor: ...
def softmax(self: Tensor, dim: _Int, dtype: _dtype | None = None) -> Tensor: ...
def softplus(self: Tensor, beta: _Number = 1, threshold: _Number = 20) -> Tensor: ...
def softplus_backward(
    grad_output: Tensor, self: Tensor, beta: _Number, threshold: _Number
) -> Tensor: ...
def softshrink(self: Tensor, lambd: _Number = 0.5) -> Tensor: ...
def softshrink_backward(grad_output: Tensor, self: Tensor, lambd: _Number) -> Tensor: ...
@overload
def sort(self: Tensor, dim: _Int = -1, descending: _bool = False) -> _return_types.sort: ...
@overload
def sort(
    self: Tensor, *, stable: _bool | None, dim: _Int = -1, descending: _bool = False
) -> _return_types.sort: ...
def special_airy_ai(x: Tensor) -> Tensor: ...
def special_bessel_j0(self: Tensor) -> Tensor: ...
def special_bessel_j1(self: Tensor) -> Tensor: ...
def special_bessel_y0(self: Tensor) -> Tensor: ...
def special_bessel_y1(self: Tensor) -> Tensor: ...
@overload
def special_chebyshev_polynomial_t(x: Tensor, n: Tensor) -> Tensor: ...
@overload
def special_chebyshev_polynomial_t(x: _Number, n: Tensor) -> Tensor: ...
@overload
def special_chebyshev_polynomial_t(x: Tensor, n: _Number) -> Tensor: ...
@overload
def special_chebyshev_polynomial_u(x: Tensor, n: Tensor) -> Tensor: ...
@overload
def special_chebyshev_polynomial_u(x: _Number, n: Tensor) -> Tensor: ...
@overload
def special_chebyshev_polynomial_u(x: Tensor, n: _Number) -> Tensor: ...
@overload
def special_chebyshev_polynomial_v(x: Tensor, n: Tensor) -> Tensor: ...
@overload
def special_chebyshev_polynomial_v(x: _Number, n: Tensor) -> Tensor: ...
@overload
def special_chebyshev_polynomial_v(x: Tensor, n: _Number) -> Tensor: ...
@overload
def special_chebyshev_polynomial_w(x: Tensor, n: Tensor) -> Tensor: ...
@overload
def special_chebyshev_polynomial_w(x: _Number, n: Tensor) -> Tensor: ...
@overload
def special_chebyshev_polynomial_w(x: Tensor, n: _Number) -> Tensor: ...
@overload
def special_digamma(self: Tensor) -> Tensor: ...
@overload
def special_digamma(self: Tensor, *, out: Tensor) -> Tensor: ...
def special_entr(self: Tensor) -> Tensor: ...
@overload
def special_erf(self: Tensor) -> Tensor: ...
@overload
def special_erf(self: Tensor, *, out: Tensor) -> Tensor: ...
@overload
def special_erfc(self: Tensor) -> Tensor: ...
@overload
def special_erfc(self: Tensor, *, out: Tensor) -> Tensor: ...
def special_erfcx(self: Tensor) -> Tensor: ...
@overload
def special_erfinv(self: Tensor) -> Tensor: ...
@overload
def special_erfinv(self: Tensor, *, out: Tensor) -> Tensor: ...
@overload
def special_exp2(self: Tensor) -> Tensor: ...
@overload
def special_exp2(self: Tensor, *, out: Tensor) -> Tensor: ...
@overload
def special_expit(self: Tensor) -> Tensor: ...
@overload
def special_expit(self: Tensor, *, out: Tensor) -> Tensor: ...
@overload
def special_expm1(self: Tensor) -> Tensor: ...
@overload
def special_expm1(self: Tensor, *, out: Tensor) -> Tensor: ...
@overload
def special_gammainc(self: Tensor, other: Tensor) -> Tensor: ...
@overload
def special_gammainc(self: Tensor, other: Tensor, *, out: Tensor) -> Tensor: ...
@overload
def special_gammaincc(self: Tensor, other: Tensor) -> Tensor: ...
@overload
def special_gammaincc(self: Tensor, other: Tensor, *, out: Tensor) -> Tensor: ...
@overload
def special_gammaln(self: Tensor) -> Tensor: ...
@overload
def special_gammaln(self: Tensor, *, out: Tensor) -> Tensor: ...
@overload
def special_hermite_polynomial_h(x: Tensor, n: Tensor) -> Tensor: ...
@overload
def special_hermite_polynomial_h(x: _Number, n: Tensor) -> Tensor: ...
@overload
def special_hermite_polynomial_h(x: Tensor, n: _Number) -> Tensor: ...
@overload
def special_hermite_polynomial_he(x: Tensor, n: Tensor) -> Tensor: ...
@overload
def special_hermite_polynomial_he(x: _Number, n: Tensor) -> Tensor: ...
@overload
def special_hermite_polynomial_he(x: Tensor, n: _Number) -> Tensor: ...
@overload
def special_i0(self: Tensor) -> Tensor: ...
@overload
def special_i0(self: Tensor, *, out: Tensor) -> Tensor: ...
def special_i0e(self: Tensor) -> Tensor: ...
def special_i1(self: Tensor) -> Tensor: ...
def special_i1e(self: Tensor) -> Tensor: ...
@overload
def special_laguerre_polynomial_l(x: Tensor, n: Tensor) -> Tensor: ...
@overload
def special_laguerre_polynomial_l(x: _Number, n: Tensor) -> Tensor: ...
@overload
def special_laguerre_polynomial_l(x: Tensor, n: _Number) -> Tensor: ...
@overload
def special_legendre_polynomial_p(x: Tensor, n: Tensor) -> Tensor: ...
@overload
def special_legendre_polynomial_p(x: _Number, n: Tensor) -> Tensor: ...
@overload
def special_legendre_polynomial_p(x: Tensor, n: _Number) -> Tensor: ...
@overload
def special_log1p(self: Tensor) -> Tensor: ...
@overload
def special_log1p(self: Tensor, *, out: Tensor) -> Tensor: ...
def special_log_ndtr(self: Tensor) -> Tensor: ...
def special_log_softmax(self: Tensor, dim: _Int, *, dtype: _dtype | None = None) -> Tensor: ...
@overload
def special_logit(self: Tensor, eps: _float | None = None) -> Tensor: ...
@overload
def special_logit(self: Tensor, eps: _float | None = None, *, out: Tensor) -> Tensor: ...
def special_logsumexp(
    self: Tensor, dim: _Int | Sequence[_Int], keepdim: _bool = False
) -> Tensor: ...
def special_modified_bessel_i0(self: Tensor) -> Tensor: ...
def special_modified_bessel_i1(self: Tensor) -> Tensor: ...
def special_modified_bessel_k0(self: Tensor) -> Tensor: ...
def special_modified_bessel_k1(self: Tensor) -> Tensor: ...
def special_multigammaln(self: Tensor, p: _Int) -> Tensor: ...
def special_ndtr(self: Tensor) -> Tensor: ...
def special_ndtri(self: Tensor) -> Tensor: ...
@overload
def special_polygamma(n: _Int, self: Tensor) -> Tensor: ...
@overload
def special_polygamma(n: _Int, self: Tensor, *, out: Tensor) -> Tensor: ...
@overload
def special_psi(self: Tensor) -> Tensor: ...
@overload
def special_psi(self: Tensor, *, out: Tensor) -> Tensor: ...
@overload
def special_round(self: Tensor, *, decimals: _Int = 0) -> Tensor: ...
@overload
def special_round(self: Tensor, *, decimals: _Int = 0, out: Tensor) -> Tensor: ...
def special_scaled_modified_bessel_k0(x: Tensor) -> Tensor: ...
def special_scaled_modified_bessel_k1(x: Tensor) -> Tensor: ...
@overload
def special_shifted_chebyshev_polynomial_t(x: Tensor, n: Tensor) -> Tensor: ...
@overload
def special_shifted_chebyshev_polynomial_t(x: _Number, n: Tensor) -> Tensor: ...
@overload
def special_shifted_chebyshev_polynomial_t(x: Tensor, n: _Number) -> Tensor: ...
@overload
def special_shifted_chebyshev_polynomial_u(x: Tensor, n: Tensor) -> Tensor: ...
@overload
def special_shifted_chebyshev_polynomial_u(x: _Number, n: Tensor) -> Tensor: ...
@overload
def special_shifted_chebyshev_polynomial_u(x: Tensor, n: _Number) -> Tensor: ...
@overload
def special_shifted_chebyshev_polynomial_v(x: Tensor, n: Tensor) -> Tensor: ...
@overload
def special_shifted_chebyshev_polynomial_v(x: _Number, n: Tensor) -> Tensor: ...
@overload
def special_shifted_chebyshev_polynomial_v(x: Tensor, n: _Number) -> Tensor: ...
@overload
def special_shifted_chebyshev_polynomial_w(x: Tensor, n: Tensor) -> Tensor: ...
@overload
def special_shifted_chebyshev_polynomial_w(x: _Number, n: Tensor) -> Tensor: ...
@overload
def special_shifted_chebyshev_polynomial_w(x: Tensor, n: _Number) -> Tensor: ...
@overload
def special_sinc(self: Tensor) -> Tensor: ...
@overload
def special_sinc(self: Tensor, *, out: Tensor) -> Tensor: ...
def special_softmax(self: Tensor, dim: _Int, dtype: _dtype | None = None) -> Tensor: ...
def special_spherical_bessel_j0(x: Tensor) -> Tensor: ...
@overload
def special_xlog1py(self: Tensor, other: Tensor) -> Tensor: ...
@overload
def special_xlog1py(self: _Number, other: Tensor) -> Tensor: ...
@overload
def special_xlog1py(self: Tensor, other: _Number) -> Tensor: ...
@overload
def special_xlogy(self: Tensor, other: Tensor) -> Tensor: ...
@overload
def special_xlogy(self: Tensor, other: Tensor, *, out: Tensor) -> Tensor: ...
@overload
def special_xlogy(self: _Number, other: Tensor) -> Tensor: ...
@overload
def special_xlogy(self: _Number, other: Tensor, *, out: Tensor) -> Tensor: ...
@overload
def special_xlogy(self: Tensor, other: _Number) -> Tensor: ...
@overload
def special_xlogy(self: Tensor, other: _Number, *, out: Tensor) -> Tensor: ...
@overload
def special_zeta(self: Tensor, other: Tensor) -> Tensor: ...
@overload
def special_zeta(self: _Number, other: Tensor) -> Tensor: ...
@overload
def special_zeta(self: Tensor, other: _Number) -> Tensor: ...
@overload
def split(self: Tensor, split_size: _Int, dim: _Int = 0) -> tuple[Tensor, ...]: ...
@overload
def split(self: Tensor, split_size: Sequence[_Int], dim: _Int = 0) -> tuple[Tensor, ...]: ...
def split_with_sizes(
    self: Tensor, split_sizes: Sequence[_Int], dim: _Int = 0
) -> tuple[Tensor, ...]: ...
def sqrt(self: Tensor) -> Tensor: ...
def sqrt_(self: Tensor) -> Tensor: ...
def square(self: Tensor) -> Tensor: ...
def square_(self: Tensor) -> Tensor: ...
@overload
def squeeze(self: Tensor) -> Tensor: ...
@overload
def squeeze(self: Tensor, dim: _Int) -> Tensor: ...
@overload
def squeeze(self: Tensor, dim: Sequence[_Int]) -> Tensor: ...
@overload
def squeeze(self: Tensor, *dim: _Int) -> Tensor: ...
def stack(tensors: Sequence[Tensor], dim: _Int = 0) -> Tensor: ...
@overload
def std(
    self: Tensor,
    dim: _Int | Sequence[_Int] | None = None,
    *,
    correction: _Number | None = None,
    keepdim: _bool = False,
) -> Tensor: ...
@overload
def std(
    self: Tensor, dim: _Int | Sequence[_Int] | None, unbiased: _bool = True, keepdim: _bool = False
) -> Tensor: ...
@overload
def std(self: Tensor, unbiased: _bool = True) -> Tensor: ...
@overload
def std_mean(
    self: Tensor,
    dim: _Int | Sequence[_Int] | None = None,
    *,
    correction: _Number | None = None,
    keepdim: _bool = False,
) -> tuple[Tensor, Tensor]: ...
@overload
def std_mean(
    self: Tensor, dim: _Int | Sequence[_Int] | None, unbiased: _bool = True, keepdim: _bool = False
) -> tuple[Tensor, Tensor]: ...
@overload
def std_mean(self: Tensor, unbiased: _bool = True) -> tuple[Tensor, Tensor]: ...
@overload
def stft(
    self: Tensor,
    n_fft: _Int,
    hop_length: _Int | None = None,
    win_length: _Int | None = None,
    window: Tensor | None = None,
    normalized: _bool = False,
    onesided: _bool | None = None,
    return_complex: _bool | None = None,
    align_to_window: _bool | None = None,
) -> Tensor: ...
@overload
def stft(
    self: Tensor,
    n_fft: _Int,
    hop_length: _Int | None = None,
    win_length: _Int | None = None,
    window: Tensor | None = None,
    center: _bool = True,
    pad_mode: str = "reflect",
    normalized: _bool = False,
    onesided: _bool | None = None,
    return_complex: _bool | None = None,
    align_to_window: _bool | None = None,
) -> Tensor: ...
@overload
def sub(self: Tensor, other: Tensor, *, alpha: _Number = 1) -> Tensor: ...
@overload
def sub(self: Tensor, other: _Number, alpha: _Number = 1) -> Tensor: ...
@overload
def subtract(self: Tensor, other: _Number, alpha: _Number = 1) -> Tensor: ...
@overload
def subtract(self: Tensor, other: Tensor, *, alpha: _Number = 1) -> Tensor: ...
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
def svd(self: Tensor, some: _bool = True, compute_uv: _bool = True) -> _return_types.svd: ...
def swapaxes(self: Tensor, axis0: _Int, axis1: _Int) -> Tensor: ...
def swapdims(self: Tensor, dim0: _Int, dim1: _Int) -> Tensor: ...
def sym_size(self: Tensor, dim: _Int) -> _int: ...
def t(self: Tensor) -> Tensor: ...
def take(self: Tensor, index: Tensor) -> Tensor: ...
def take_along_dim(self: Tensor, indices: Tensor, dim: _Int | None = None) -> Tensor: ...
def tan(self: Tensor) -> Tensor: ...
def tan_(self: Tensor) -> Tensor: ...
def tanh(self: Tensor) -> Tensor: ...
def tanh_(self: Tensor) -> Tensor: ...
def tanh_backward(grad_output: Tensor, output: Tensor) -> Tensor: ...
@overload
def tensor_split(self: Tensor, sections: _Int, dim: _Int = 0) -> tuple[Tensor, ...]: ...
@overload
def tensor_split(self: Tensor, indices: Sequence[_Int], dim: _Int = 0) -> tuple[Tensor, ...]: ...
@overload
def tensor_split(
    self: Tensor, tensor_indices_or_sections: Tensor, dim: _Int = 0
) -> tuple[Tensor, ...]: ...
def tensordot(
    self: Tensor, other: Tensor, dims_self: Sequence[_Int], dims_other: Sequence[_Int]
) -> Tensor: ...
def threshold(self: Tensor, threshold: _Number, value: _Number) -> Tensor: ...
def threshold_(self: Tensor, threshold: _Number, value: _Number) -> Tensor: ...
def threshold_backward(grad_output: Tensor, self: Tensor, threshold: _Number) -> Tensor: ...
@overload
def tile(self: Tensor, dims: Sequence[_Int]) -> Tensor: ...
@overload
def tile(self: Tensor, *dims: _Int) -> Tensor: ...
def topk(
    self: Tensor, k: _Int, dim: _Int = -1, largest: _bool = True, sorted: _bool = True
) -> _return_types.topk: ...
def trace(self: Tensor) -> Tensor: ...
def transpose(self: Tensor, dim0: _Int, dim1: _Int) -> Tensor: ...
@overload
def trapezoid(y: Tensor, x: Tensor, *, dim: _Int = -1) -> Tensor: ...
@overload
def trapezoid(y: Tensor, *, dx: _Number = 1, dim: _Int = -1) -> Tensor: ...
@overload
def trapz(y: Tensor, x: Tensor, *, dim: _Int = -1) -> Tensor: ...
@overload
def trapz(y: Tensor, *, dx: _float = 1, dim: _Int = -1) -> Tensor: ...
def triangular_solve(
    self: Tensor,
    A: Tensor,
    upper: _bool = True,
    transpose: _bool = False,
    unitriangular: _bool = False,
) -> _return_types.triangular_solve: ...
def tril(self: Tensor, diagonal: _Int = 0) -> Tensor: ...
def tril_indices(
    row: _Int,
    col: _Int,
    offset: _Int = 0,
    *,
    dtype: _dtype | None = long,
    layout: _layout | None = None,
    device: _DeviceLike | None = None,
    pin_memory: _bool | None = None,
    requires_grad: _bool = False,
) -> Tensor: ...
def triplet_margin_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    margin: _float = 1.0,
    p: _float = 2.0,
    eps: _float = 1e-06,
    swap: _bool = False,
    reduction: _Int = 1,
) -> Tensor: ...
def triu(self: Tensor, diagonal: _Int = 0) -> Tensor: ...
def triu_indices(
    row: _Int,
    col: _Int,
    offset: _Int = 0,
    *,
    dtype: _dtype | None = long,
    layout: _layout | None = None,
    device: _DeviceLike | None = None,
    pin_memory: _bool | None = None,
    requires_grad: _bool = False,
) -> Tensor: ...
@overload
def true_divide(self: Tensor, other: Tensor) -> Tensor: ...
@overload
def true_divide(self: Tensor, other: _Number) -> Tensor: ...
def trunc(self: Tensor) -> Tensor: ...
def trunc_(self: Tensor) -> Tensor: ...
def unbind(self: Tensor, dim: _Int = 0) -> tuple[Tensor, ...]: ...
def unflatten(self: Tensor, dim: _Int, sizes: Sequence[_Int]) -> Tensor: ...
def unique_dim(
    self: Tensor,
    dim: _Int,
    sorted: _bool = True,
    return_inverse: _bool = False,
    return_counts: _bool = False,
) -> tuple[Tensor, Tensor, Tensor]: ...
def unique_dim_consecutive(
    self: Tensor, dim: _Int, return_inverse: _bool = False, return_counts: _bool = False
) -> tuple[Tensor, Tensor, Tensor]: ...
def unsafe_chunk(self: Tensor, chunks: _Int, dim: _Int = 0) -> tuple[Tensor, ...]: ...
def unsafe_split(self: Tensor, split_size: _Int, dim: _Int = 0) -> tuple[Tensor, ...]: ...
def unsafe_split_with_sizes(
    self: Tensor, split_sizes: Sequence[_Int], dim: _Int = 0
) -> tuple[Tensor, ...]: ...
def unsqueeze(self: Tensor, dim: _Int) -> Tensor: ...
@overload
def upsample_bicubic2d(
    self: Tensor,
    output_size: _Int | Sequence[_Int],
    align_corners: _bool,
    scales_h: _float | None = None,
    scales_w: _float | None = None,
) -> Tensor: ...
@overload
def upsample_bicubic2d(
    input: Tensor,
    output_size: Sequence[_Int] | None,
    align_corners: _bool,
    scale_factors: Sequence[_float] | None,
) -> Tensor: ...
def upsample_bicubic2d_backward(
    grad_output: Tensor,
    output_size: _Int | Sequence[_Int],
    input_size: _Int | Sequence[_Int],
    align_corners: _bool,
    scales_h: _float | None = None,
    scales_w: _float | None = None,
) -> Tensor: ...
@overload
def upsample_bilinear2d(
    self: Tensor,
    output_size: _Int | Sequence[_Int],
    align_corners: _bool,
    scales_h: _float | None = None,
    scales_w: _float | None = None,
) -> Tensor: ...
@overload
def upsample_bilinear2d(
    input: Tensor,
    output_size: Sequence[_Int] | None,
    align_corners: _bool,
    scale_factors: Sequence[_float] | None,
) -> Tensor: ...
def upsample_bilinear2d_backward(
    grad_output: Tensor,
    output_size: _Int | Sequence[_Int],
    input_size: _Int | Sequence[_Int],
    align_corners: _bool,
    scales_h: _float | None = None,
    scales_w: _float | None = None,
) -> Tensor: ...
@overload
def upsample_linear1d(
    self: Tensor,
    output_size: _Int | Sequence[_Int],
    align_corners: _bool,
    scales: _float | None = None,
) -> Tensor: ...
@overload
def upsample_linear1d(
    input: Tensor,
    output_size: Sequence[_Int] | None,
    align_corners: _bool,
    scale_factors: Sequence[_float] | None,
) -> Tensor: ...
def upsample_linear1d_backward(
    grad_output: Tensor,
    output_size: _Int | Sequence[_Int],
    input_size: _Int | Sequence[_Int],
    align_corners: _bool,
    scales: _float | None = None,
) -> Tensor: ...
@overload
def upsample_nearest1d(
    self: Tensor, output_size: _Int | Sequence[_Int], scales: _float | None = None
) -> Tensor: ...
@overload
def upsample_nearest1d(
    input: Tensor, output_size: Sequence[_Int] | None, scale_factors: Sequence[_float] | None
) -> Tensor: ...
def upsample_nearest1d_backward(
    grad_output: Tensor,
    output_size: _Int | Sequence[_Int],
    input_size: _Int | Sequence[_Int],
    scales: _float | None = None,
) -> Tensor: ...
@overload
def upsample_nearest2d(
    self: Tensor,
    output_size: _Int | Sequence[_Int],
    scales_h: _float | None = None,
    scales_w: _float | None = None,
) -> Tensor: ...
@overload
def upsample_nearest2d(
    input: Tensor, output_size: Sequence[_Int] | None, scale_factors: Sequence[_float] | None
) -> Tensor: ...
def upsample_nearest2d_backward(
    grad_output: Tensor,
    output_size: _Int | Sequence[_Int],
    input_size: _Int | Sequence[_Int],
    scales_h: _float | None = None,
    scales_w: _float | None = None,
) -> Tensor: ...
@overload
def upsample_nearest3d(
    self: Tensor,
    output_size: _Int | Sequence[_Int],
    scales_d: _float | None = None,
    scales_h: _float | None = None,
    scales_w: _float | None = None,
) -> Tensor: ...
@overload
def upsample_nearest3d(
    input: Tensor, output_size: Sequence[_Int] | None, scale_factors: Sequence[_float] | None
) -> Tensor: ...
def upsample_nearest3d_backward(
    grad_output: Tensor,
    output_size: _Int | Sequence[_Int],
    input_size: _Int | Sequence[_Int],
    scales_d: _float | None = None,
    scales_h: _float | None = None,
    scales_w: _float | None = None,
) -> Tensor: ...
@overload
def upsample_trilinear3d(
    self: Tensor,
    output_size: _Int | Sequence[_Int],
    align_corners: _bool,
    scales_d: _float | None = None,
    scales_h: _float | None = None,
    scales_w: _float | None = None,
) -> Tensor: ...
@overload
def upsample_trilinear3d(
    input: Tensor,
    output_size: Sequence[_Int] | None,
    align_corners: _bool,
    scale_factors: Sequence[_float] | None,
) -> Tensor: ...
def upsample_trilinear3d_backward(
    grad_output: Tensor,
    output_size: _Int | Sequence[_Int],
    input_size: _Int | Sequence[_Int],
    align_corners: _bool,
    scales_d: _float | None = None,
    scales_h: _float | None = None,
    scales_w: _float | None = None,
) -> Tensor: ...
def vander(x: Tensor, N: _Int | None = None, increasing: _bool = False) -> Tensor: ...
@overload
def var(
    self: Tensor, dim: _Int | Sequence[_Int] | None, unbiased: _bool = True, keepdim: _bool = False
) -> Tensor: ...
@overload
def var(
    self: Tensor,
    dim: _Int | Sequence[_Int] | None = None,
    *,
    correction: _Number | None = None,
    keepdim: _bool = False,
) -> Tensor: ...
@overload
def var(self: Tensor, unbiased: _bool = True) -> Tensor: ...
@overload
def var_mean(
    self: Tensor,
    dim: _Int | Sequence[_Int] | None = None,
    *,
    correction: _Number | None = None,
    keepdim: _bool = False,
) -> tuple[Tensor, Tensor]: ...
@overload
def var_mean(
    self: Tensor, dim: _Int | Sequence[_Int] | None, unbiased: _bool = True, keepdim: _bool = False
) -> tuple[Tensor, Tensor]: ...
@overload
def var_mean(self: Tensor, unbiased: _bool = True) -> tuple[Tensor, Tensor]: ...
@overload
def vdot(self: Tensor, other: Tensor) -> Tensor: ...
@overload
def vdot(self: Tensor, other: Tensor, *, out: Tensor) -> Tensor: ...
def view_as_complex(self: Tensor) -> Tensor: ...
def view_as_real(self: Tensor) -> Tensor: ...
@overload
def vsplit(self: Tensor, sections: _Int) -> tuple[Tensor, ...]: ...
@overload
def vsplit(self: Tensor, indices: Sequence[_Int]) -> tuple[Tensor, ...]: ...
@overload
def vsplit(self: Tensor, *indices: _Int) -> tuple[Tensor, ...]: ...
def vstack(tensors: Sequence[Tensor]) -> Tensor: ...
@overload
def where(condition: Tensor) -> tuple[Tensor, ...]: ...
@overload
def where(condition: Tensor, self: Tensor, other: Tensor) -> Tensor: ...
@overload
def where(condition: Tensor, self: Tensor, other: _Number) -> Tensor: ...
@overload
def where(condition: Tensor, self: _Number, other: Tensor) -> Tensor: ...
@overload
def where(condition: Tensor, self: _Number, other: _Number) -> Tensor: ...
@overload
def xlogy(self: Tensor, other: Tensor) -> Tensor: ...
@overload
def xlogy(self: _Number, other: Tensor) -> Tensor: ...
@overload
def xlogy(self: Tensor, other: _Number) -> Tensor: ...
@overload
def xlogy_(self: Tensor, other: Tensor) -> Tensor: ...
@overload
def xlogy_(self: Tensor, other: _Number) -> Tensor: ...
def zero(self: Tensor) -> Tensor: ...
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

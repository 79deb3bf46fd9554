"""Drives the table of the OpenCL plug-in by ctypes, without the core: memory as numpy sees it."""

import ctypes
import os
from ctypes import (
    CFUNCTYPE,
    POINTER,
    Structure,
    Union,
    byref,
    c_char_p,
    c_double,
    c_int,
    c_int32,
    c_int64,
    c_size_t,
    c_uint8,
    c_uint16,
    c_uint32,
    c_uint64,
    c_void_p,
)
from pathlib import Path

import numpy

ROOT = Path(__file__).resolve().parents[3]
BUILD = Path(os.environ.get("OPWRIGHT_BUILD", ROOT / "build" / "release")).resolve()

BOOL, INT, FLOAT, COMPLEX = 4, 2, 3, 6  # tags of OpwValue
CPU, OPENCL = 1, 4  # device types


class Dtype(Structure):
    _fields_ = [("code", c_uint8), ("bits", c_uint8), ("lanes", c_uint16)]


class DeviceOf(Structure):
    _fields_ = [("type", c_int32), ("index", c_int32)]


class _Number(Union):
    _fields_ = [("as_int", c_int64), ("as_double", c_double), ("as_pointer", c_void_p)]


class Value(Structure):
    _anonymous_ = ("number",)
    _fields_ = [("tag", c_uint32), ("length", c_uint32), ("number", _Number)]


class Operand(Structure):
    _fields_ = [
        ("data", c_void_p),
        ("strides", POINTER(c_int64)),
        ("dtype", Dtype),
        ("through", Dtype),
        ("number", Value),
    ]


class Loop(Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("rank", c_uint32),
        ("sizes", POINTER(c_int64)),
        ("formula", c_char_p),
        ("compute", Dtype),
        ("num_operands", c_uint32),
        ("num_numbers", c_uint32),
        ("operands", POINTER(Operand)),
        ("numbers", POINTER(Value)),
        ("result", Operand),
    ]


class Fold(Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("num_kept", c_uint32),
        ("num_folded", c_uint32),
        ("sizes", POINTER(c_int64)),
        ("fold", c_char_p),
        ("compute", Dtype),
        ("number", c_double),
        ("operand", Operand),
        ("result", Operand),
        ("indices", Operand),
    ]


class Matrix(Structure):
    _fields_ = [("data", c_void_p), ("batch", c_int64), ("row", c_int64), ("column", c_int64)]


class Product(Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("dtype", Dtype),
        ("batch", c_int64),
        ("rows", c_int64),
        ("depth", c_int64),
        ("columns", c_int64),
        ("left", Matrix),
        ("right", Matrix),
        ("result", Matrix),
        ("alpha", c_double),
        ("beta", c_double),
    ]


class Index(Structure):
    _fields_ = [("value", Operand), ("size", c_int64), ("step", c_int64)]


class Move(Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("rank", c_uint32),
        ("sizes", POINTER(c_int64)),
        ("kind", c_uint32),
        ("num_indices", c_uint32),
        ("indices", POINTER(Index)),
        ("source", Operand),
        ("result", Operand),
    ]


class Random(Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("num_numbers", c_uint32),
        ("distribution", c_char_p),
        ("numbers", POINTER(Value)),
        ("seed", c_uint64),
        ("first", c_uint64),
        ("count", c_int64),
        ("dtype", Dtype),
        ("result", c_void_p),
    ]


class KernelArgument(Structure):
    _fields_ = [("value", c_void_p), ("size", c_size_t)]


class Launch(Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("num_arguments", c_uint32),
        ("arguments", POINTER(KernelArgument)),
        ("groups", c_uint64 * 3),
        ("group_size", c_uint64 * 3),
        ("shared_bytes", c_uint64),
    ]


class ErrorObject(Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("count", c_uint32),
        ("release", c_void_p),
        ("kind", c_char_p),
        ("text", c_char_p),
    ]


class Host(Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("abi_major", c_uint16),
        ("abi_minor", c_uint16),
        ("name", c_char_p),
        ("instance", c_void_p),
        ("give_error", CFUNCTYPE(None, c_void_p, POINTER(ErrorObject))),
        ("take_error", c_void_p),
        ("parallel_for", c_void_p),
        ("call", c_void_p),
    ]


_FUNCTIONS = {  # of OpwDeviceTable, in its order: result, then arguments
    "count": (c_int32,),
    "current": (c_int32,),
    "set_current": (c_int, c_void_p, c_int32),
    "allocate": (c_int, c_void_p, c_int32, c_size_t, c_void_p, POINTER(c_void_p)),
    "free": (None, c_int32, c_void_p, c_size_t, c_void_p),
    "copy": (c_int, c_void_p, c_void_p, DeviceOf, c_void_p, DeviceOf, c_size_t, c_void_p),
    "synchronize": (c_int, c_void_p, c_int32),
    "current_stream": (c_void_p, c_int32),
    "set_current_stream": (c_void_p, c_int32, c_void_p),
    "new_stream": (c_int, c_void_p, c_int32, c_int32, POINTER(c_void_p)),
    "free_stream": (None, c_int32, c_void_p),
    "synchronize_stream": (c_int, c_void_p, c_int32, c_void_p),
    "record_event": (c_int, c_void_p, c_int32, c_void_p, POINTER(c_void_p)),
    "wait_event": (c_int, c_void_p, c_int32, c_void_p, c_void_p),
    "synchronize_event": (c_int, c_void_p, c_void_p),
    "free_event": (None, c_void_p),
    "property": (c_size_t, c_int32, c_char_p, c_char_p, c_size_t),
    "compute_loop": (c_int, c_void_p, c_int32, POINTER(Loop), c_void_p),
    "compute_fold": (c_int, c_void_p, c_int32, POINTER(Fold), c_void_p),
    "compute_product": (c_int, c_void_p, c_int32, POINTER(Product), c_void_p),
    "move_elements": (c_int, c_void_p, c_int32, POINTER(Move), c_void_p),
    "draw_random": (c_int, c_void_p, c_int32, POINTER(Random), c_void_p),
    "build_kernel": (c_int, c_void_p, c_int32, *[c_char_p] * 3, POINTER(c_void_p)),
    "launch_kernel": (c_int, c_void_p, c_int32, c_void_p, POINTER(Launch), c_void_p),
    "allocate_pinned": (c_int, c_void_p, c_size_t, POINTER(c_void_p)),
    "free_pinned": (None, c_void_p, c_size_t),
    "empty_cache": (None, c_int32),
    "statistic": (c_int64, c_int32, c_char_p),
    "reset_peaks": (None, c_int32),
    "query_event": (c_int, c_void_p, c_void_p, POINTER(c_int32)),
    "event_time": (c_int, c_void_p, c_void_p, c_void_p, POINTER(c_double)),
}


class Table(Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("name", c_char_p),
        ("type", c_int32),
        *[(name, CFUNCTYPE(*signature)) for name, signature in _FUNCTIONS.items()],
    ]


class Plugin(Structure):
    _fields_ = [("struct_size", c_uint32), ("table", POINTER(Table)), ("next", c_void_p)]


class Binary(Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("abi_major", c_uint16),
        ("abi_minor", c_uint16),
        ("libraries", c_void_p),
        ("imports", c_void_p),
        ("num_imports", c_uint32),
        ("devices", POINTER(Plugin)),
    ]


_CODES = {"int": 0, "uint": 1, "float": 2, "complex": 5}


def dtype_of(name):
    """The OpwDtype of a name such as "bfloat16"."""
    if name in ("bool", "bfloat16"):
        return Dtype(6, 8, 1) if name == "bool" else Dtype(4, 16, 1)
    kind = name.rstrip("0123456789")
    return Dtype(_CODES[kind], int(name[len(kind) :]), 1)


def value_of(number):
    """A number as an OpwValue."""
    if isinstance(number, bool):
        return Value(BOOL, 0, _Number(as_int=number))
    if isinstance(number, int):
        return Value(INT, 0, _Number(as_int=number))
    return Value(FLOAT, 0, _Number(as_double=number))


def to_bfloat16(values):
    """Float32 values as the bits of bfloat16, rounded to nearest even."""
    words = numpy.asarray(values, numpy.float32).view(numpy.uint32).astype(numpy.uint64)
    return ((words + 0x7FFF + (words >> 16 & 1)) >> 16).astype(numpy.uint16)


def from_bfloat16(bits):
    """The bits of bfloat16 as float32."""
    return (bits.astype(numpy.uint32) << 16).view(numpy.float32)


class Array:
    """Elements on the device, with strides."""

    def __init__(self, driver, values, dtype=None):
        base = numpy.asarray(values)
        while isinstance(base.base, numpy.ndarray):
            base = base.base
        self.driver = driver
        self.view = numpy.asarray(values)
        self.base = base
        self.dtype = dtype or str(self.view.dtype)
        self.memory = driver.allocate(max(base.nbytes, 1))
        driver.write(self.memory, base)

    @property
    def offset(self):
        ours = self.view.__array_interface__["data"][0]
        return ours - self.base.__array_interface__["data"][0]

    def operand(self, through=None):
        item = self.view.itemsize
        strides = (c_int64 * max(self.view.ndim, 1))(*[s // item for s in self.view.strides])
        return Operand(
            self.memory + self.offset,
            strides,
            dtype_of(self.dtype),
            dtype_of(through or self.dtype),
        )

    def read(self):
        """The view's elements as they are on the device now."""
        self.driver.read(self.base, self.memory)
        return self.view.copy()

    def __del__(self):
        self.driver.free(self.memory, max(self.base.nbytes, 1))


def number_operand(number, dtype, through=None):
    """A number instead of elements."""
    result = Operand(None, None, dtype_of(dtype), dtype_of(through or dtype))
    result.number = value_of(number)
    return result


class Driver:
    """The table's functions for device 0, as Python functions that raise what they fail with."""

    def __init__(self):
        self.library = ctypes.CDLL(str(BUILD / "libopwright_opencl.so"))
        self.library.opw_binary.restype = POINTER(Binary)
        binary = self.library.opw_binary().contents
        self.table = binary.devices.contents.table.contents
        self.errors = []

        def give_error(_host, error):
            content = error.contents
            self.errors.append((content.kind.decode(), content.text.decode()))
            if content.count == 1:
                CFUNCTYPE(None, POINTER(ErrorObject))(content.release)(error)
            else:
                content.count -= 1

        self._give_error = Host._fields_[5][1](give_error)
        self.host = Host(ctypes.sizeof(Host), 1, 1, b"test", None, self._give_error)

    def call(self, name, *args):
        """Runs a function that returns a status."""
        if getattr(self.table, name)(byref(self.host), *args) != 0:
            kind, text = self.errors.pop()
            raise getattr(__import__("builtins"), kind)(text)

    def allocate(self, size, stream=None):
        memory = c_void_p()
        self.call("allocate", 0, size, stream, byref(memory))
        return memory.value

    def free(self, memory, size, stream=None):
        self.table.free(0, memory, size, stream)

    def write(self, memory, values, stream=None):
        device, cpu = DeviceOf(OPENCL, 0), DeviceOf(CPU, 0)
        address = values.__array_interface__["data"][0]
        self.call("copy", memory, device, address, cpu, values.nbytes, stream)

    def read(self, values, memory, stream=None):
        device, cpu = DeviceOf(OPENCL, 0), DeviceOf(CPU, 0)
        address = values.__array_interface__["data"][0]
        self.call("copy", address, cpu, memory, device, values.nbytes, stream)

    def array(self, values, dtype=None):
        return Array(self, values, dtype)

    def loop(self, formula, result, operands=(), numbers=(), compute="float32", stream=None):
        """result = formula(operands); operands are OpwOperands."""
        sizes = (c_int64 * max(result.view.ndim, 1))(*result.view.shape)
        loop = Loop(
            ctypes.sizeof(Loop),
            result.view.ndim,
            sizes,
            formula.encode(),
            dtype_of(compute),
            len(operands),
            len(numbers),
            (Operand * max(len(operands), 1))(*operands),
            (Value * max(len(numbers), 1))(*[value_of(number) for number in numbers]),
            result.operand(),
        )
        self.call("compute_loop", 0, byref(loop), stream)

    def fold(self, fold, operand, num_folded, result, indices=None, compute="float32", number=0.0):
        """The last `num_folded` dimensions of operand are reduced."""
        view = operand.view
        sizes = (c_int64 * max(view.ndim, 1))(*view.shape)
        call = Fold(
            ctypes.sizeof(Fold),
            view.ndim - num_folded,
            num_folded,
            sizes,
            fold.encode(),
            dtype_of(compute),
            number,
            operand.operand(),
            result.operand() if result else Operand(),
            indices.operand() if indices else Operand(),
        )
        self.call("compute_fold", 0, byref(call), None)

    def product(self, result, left, right, alpha=1.0, beta=0.0):
        """result = alpha * left @ right + beta * result, of Arrays with a batch dimension."""

        def matrix(array):
            batch, row, column = (stride // array.view.itemsize for stride in array.view.strides)
            return Matrix(array.memory + array.offset, batch, row, column)

        batch, rows, depth = left.view.shape
        call = Product(
            ctypes.sizeof(Product),
            dtype_of(result.dtype),
            batch,
            rows,
            depth,
            right.view.shape[2],
            matrix(left),
            matrix(right),
            matrix(result),
            alpha,
            beta,
        )
        self.call("compute_product", 0, byref(call), None)

    def move(self, kind, sizes, source, result, indices):
        """Operands as OpwMove has them; indices are (operand, size, step)."""
        call = Move(
            ctypes.sizeof(Move),
            len(sizes),
            (c_int64 * max(len(sizes), 1))(*sizes),
            {"gather": 0, "scatter": 1, "add": 2}[kind],
            len(indices),
            (Index * max(len(indices), 1))(*[Index(*index) for index in indices]),
            source,
            result,
        )
        self.call("move_elements", 0, byref(call), None)

    def random(self, distribution, result, numbers, seed, first):
        """Fills a dense Array."""
        call = Random(
            ctypes.sizeof(Random),
            len(numbers),
            distribution.encode(),
            (Value * len(numbers))(*[value_of(number) for number in numbers]),
            seed,
            first,
            result.view.size,
            dtype_of(result.dtype),
            result.memory,
        )
        self.call("draw_random", 0, byref(call), None)

    def build(self, source, name, options=""):
        kernel = c_void_p()
        self.call(
            "build_kernel", 0, source.encode(), name.encode(), options.encode(), byref(kernel)
        )
        return kernel.value

    def launch(self, kernel, arguments, groups, group_size=(0, 0, 0), shared_bytes=0):
        """Arguments are Arrays and ctypes values."""
        listed = [
            KernelArgument(argument.memory, 0)
            if isinstance(argument, Array)
            else KernelArgument(ctypes.addressof(argument), ctypes.sizeof(argument))
            for argument in arguments
        ]
        call = Launch(
            ctypes.sizeof(Launch),
            len(listed),
            (KernelArgument * max(len(listed), 1))(*listed),
            (c_uint64 * 3)(*groups),
            (c_uint64 * 3)(*group_size),
            shared_bytes,
        )
        self.call("launch_kernel", 0, kernel, byref(call), None)

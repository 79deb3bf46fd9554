"""Write an operator once; it works in every mode and in every host.

>>> import opwright as ow
>>> @ow.library.custom_op("docs::gain", mutates_args=())
... def gain(x: ow.Tensor, factor: float = 2.0) -> ow.Tensor:
...     return x * factor
>>> ow.ops.docs.gain(ow.tensor([1.0, 2.0]), 0.5)
tensor([0.5000, 1.0000])

`Tensor` and the functions on it (`opwright.sin`, ...) follow PyTorch. `opwright.library` defines
operators and their rules, `opwright.ops` calls them, `opwright.cpp_extension` compiles C++
operators at run time, and `opwright.declare` reads lists of operators. `opwright.nn` has layers and
models; `opwright.export` turns them into programs that run without Python.
"""

import importlib
import math
import os

from . import _C
from ._C import (
    DataDependentError,
    Generator,
    Graph,
    GraphBreakError,
    Node,
    NodeValue,
    Operator,
    OperatorPacket,
    PerformanceWarning,
    Schema,
    Size,
    SourceKernel,
    Tensor,
    UntypedStorage,
    as_tensor,
    asarray,
    channels_last,
    channels_last_3d,
    contiguous_format,
    default_generator,
    device,
    dtype,
    enable_grad,
    from_dlpack,
    from_numpy,
    frombuffer,
    inference_mode,
    is_grad_enabled,
    is_inference_mode_enabled,
    is_tensor,
    layout,
    memory_format,
    no_grad,
    num_threads,
    ops,
    preserve_format,
    set_grad_enabled,
    set_num_threads,
    strided,
    tensor,
)

__version__ = "0.1.0"

inf, nan, pi, e = math.inf, math.nan, math.pi, math.e
newaxis = None

# The dtypes, under both of PyTorch's names (float32 and float), and operators as functions.
_DTYPES = {name: value for name, value in vars(_C).items() if isinstance(value, dtype)}
globals().update(_DTYPES)
_FUNCTIONS = {name: _C.make_function(name) for name in _C.function_names}
globals().update(_FUNCTIONS)
del globals()["ge"]  # replaced by the package `ge`, which is callable as the comparison

# These need the names above.
from . import random  # noqa: E402
from .random import (  # noqa: E402
    get_rng_state,
    initial_seed,
    manual_seed,
    seed,
    set_rng_state,
)

# Modules that are slow to import and not needed by every program, with the names that each exports
# here.
_LAZY_MODULES: dict[str, tuple[str, ...]] = {
    "_device.module": ("device_module",),
    "_device.devices": ("device_count", "devices", "is_available", "load_device"),
    "_compile.explain": ("explain",),
    "_saved.data_file": ("load", "save"),
    "_settings.default_device": ("get_default_device", "set_default_device"),
    "_device.fallback": ("allow_fallback", "fallback_counts", "reset_fallback_counts"),
    "amp": (),
    "autocast_mode": ("autocast", "get_autocast_dtype", "is_autocast_enabled"),
    "autograd": ("gradcheck", "gradgradcheck"),
    "compat": (),
    "compiler": ("compile", "register_backend"),
    "control_flow": ("cond", "while_loop"),
    "convert": (),
    "cpp_extension": (),
    "cuda": (),
    "debug": (),
    "declare": (),
    "dtype_limits": ("finfo", "iinfo"),
    "export": ("ExportedProgram",),
    "fake": ("FakeTensor", "FakeTensorMode"),
    "fft": (),
    "func": ("vmap",),
    "ge": (),
    "grad_mode": (),
    "graph": (),
    "jax": (),
    "library": (),
    "linalg": (),
    "nn": (),
    "onnx": (),
    "onnxruntime": (),
    "opencl": (),
    "optim": (),
    "pytree": (),
    "return_types": (),
    "safetensors": (),
    "special": (),
    "symbolic": (
        "ShapeEnv",
        "SymBool",
        "SymInt",
        "check",
        "check_size",
        "guard_or_false",
        "guard_or_true",
        "is_symbolic",
        "sym_max",
        "sym_min",
        "sym_not",
    ),
    "testing": ("OpCheckError", "opcheck"),
    "torch": (),
    "tracing": ("GraphModule", "make_fx"),
}
_LAZY_NAMES = {name: module for module, names in _LAZY_MODULES.items() for name in names}


def load_program(path: str | os.PathLike[str]) -> "export.ExportedProgram":  # noqa: F821
    """Load a program that `opwright.export.save` wrote; the same as `opwright.export.load`.

    >>> ow.load_program("nowhere.opw")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    OSError: ...
    """
    return importlib.import_module(".export", __name__).load(path)


def load_library(path: str | os.PathLike[str]) -> None:
    """Load an operator binary; its operators then appear under `opwright.ops`.

    Loading is atomic: on an error, nothing is registered. Loading the same file twice is harmless.

    >>> ow.load_library("libnot_there.so")
    Traceback (most recent call last):
        ...
    OSError: ...
    """
    _C.load_library(os.fspath(path))


ops.load_library = load_library


def _signature_of(operator: Operator) -> object:
    return importlib.import_module("._library.signature", __name__).signature_of(operator)


def _tags_of(operator: Operator) -> list:
    return importlib.import_module("._library.tag", __name__).tags_of(operator)


Operator.__signature__ = property(_signature_of)
Operator.tags = property(_tags_of)


def __getattr__(name: str) -> object:
    if name in _LAZY_MODULES:
        return importlib.import_module(f".{name}", __name__)
    if name in _LAZY_NAMES:
        value = getattr(importlib.import_module(f".{_LAZY_NAMES[name]}", __name__), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'opwright' has no attribute '{name}'")


def __dir__() -> list[str]:
    special = {name for name in globals() if name.startswith("__")}
    modules = {name for name in _LAZY_MODULES if not name.startswith("_")}
    return sorted({*__all__, *special, *modules, *_LAZY_NAMES, *_DTYPES, *_FUNCTIONS})


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

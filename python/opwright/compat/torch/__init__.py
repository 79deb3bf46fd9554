"""torch: Opwright's names under PyTorch's module path.

Submodules, and names that need one, are loaded on first use.
"""

from types import ModuleType as _Module
from typing import TYPE_CHECKING as _TYPE_CHECKING

import opwright as _opwright
from opwright import _DTYPES, _FUNCTIONS, ops
from opwright import random as random
from opwright._dlpack import to_dlpack
from opwright._tensor_functions import (
    get_default_dtype,
    get_device,
    is_complex,
    is_conj,
    is_floating_point,
    is_inference,
    is_neg,
    is_nonzero,
    is_same_size,
    is_signed,
    is_storage,
    numel,
    resolve_conj,
    resolve_neg,
    set_default_dtype,
    typename,
)
from opwright._typed_tensors import TYPED_TENSORS as _TYPED_TENSORS
from opwright.compat._absent import on_first_use as _on_first_use
from opwright.compat._not_wanted import refuse_imports as _refuse_imports
from opwright.compat._python_operators import add_python_operators as _add_python_operators

if _TYPE_CHECKING:
    from opwright import *  # noqa: F403
    from opwright import check as _check
    from opwright import check_size as _check_is_size
    from opwright._compile.torch_names import compile
    from opwright._device.any_kind import Event, Stream, get_device_module
    from opwright._saved.torch_names import load, save
    from opwright._settings.autocast_switches import (
        autocast_decrement_nesting,
        autocast_increment_nesting,
        clear_autocast_cache,
        is_autocast_cache_enabled,
        set_autocast_cache_enabled,
        set_autocast_cpu_dtype,
        set_autocast_cpu_enabled,
        set_autocast_dtype,
        set_autocast_enabled,
    )
    from opwright._settings.determinism import (
        are_deterministic_algorithms_enabled,
        get_deterministic_debug_mode,
        get_float32_matmul_precision,
        is_deterministic_algorithms_warn_only_enabled,
        set_deterministic_debug_mode,
        set_float32_matmul_precision,
        use_deterministic_algorithms,
    )
    from opwright._settings.printing import set_printoptions
    from opwright._settings.queries import (
        get_autocast_cpu_dtype,
        get_autocast_gpu_dtype,
        is_anomaly_check_nan_enabled,
        is_anomaly_enabled,
        is_autocast_cpu_enabled,
        is_warn_always_enabled,
        set_anomaly_enabled,
        set_warn_always,
        thread_safe_generator,
    )
    from opwright._settings.symbolic_numbers import (
        sym_float,
        sym_int,
        sym_ite,
        sym_sqrt,
        sym_sum,
    )
    from opwright._settings.threads import (
        get_num_interop_threads,
        get_num_threads,
        set_num_interop_threads,
    )
    from opwright.library import Tag
    from opwright.symbolic import SymFloat

    from . import (
        __future__,
        _dynamo,
        _higher_order_ops,
        _subclasses,
        _utils,
        accelerator,
        amp,
        autograd,
        compiler,
        cuda,
        distributed,
        export,
        fft,
        func,
        functional,
        fx,
        jit,
        library,
        linalg,
        nn,
        onnx,
        optim,
        overrides,
        profiler,
        return_types,
        special,
        testing,
        types,
        utils,
        version,
    )
    from ._higher_order_ops import cond
    from .amp import GradScaler
    from .functional import broadcast_shapes as broadcast_shapes
    from .functional import cdist as cdist
    from .functional import einsum as einsum
    from .functional import tensordot as tensordot
    from .functional import unravel_index as unravel_index
    from .version import __version__ as __version__

__all__ = [
    "AcceleratorError",
    "Event",
    "GradScaler",
    "OutOfMemoryError",
    "Stream",
    "SymFloat",
    "Tag",
    "__future__",
    "_assert",
    "_check",
    "_check_is_size",
    "_dynamo",
    "_higher_order_ops",
    "_subclasses",
    "_utils",
    "accelerator",
    "amp",
    "are_deterministic_algorithms_enabled",
    "as_strided_",
    "autocast_decrement_nesting",
    "autocast_increment_nesting",
    "autograd",
    "clear_autocast_cache",
    "compile",
    "compiler",
    "cond",
    "cuda",
    "detach_",
    "distributed",
    "export",
    "fft",
    "func",
    "functional",
    "fx",
    "get_autocast_cpu_dtype",
    "get_autocast_gpu_dtype",
    "get_default_dtype",
    "get_deterministic_debug_mode",
    "get_device",
    "get_device_module",
    "get_float32_matmul_precision",
    "get_num_interop_threads",
    "get_num_threads",
    "is_anomaly_check_nan_enabled",
    "is_anomaly_enabled",
    "is_autocast_cache_enabled",
    "is_autocast_cpu_enabled",
    "is_complex",
    "is_conj",
    "is_deterministic_algorithms_warn_only_enabled",
    "is_floating_point",
    "is_inference",
    "is_neg",
    "is_nonzero",
    "is_same_size",
    "is_signed",
    "is_storage",
    "is_warn_always_enabled",
    "jit",
    "library",
    "linalg",
    "load",
    "nn",
    "numel",
    "onnx",
    "ops",
    "optim",
    "overrides",
    "profiler",
    "resolve_conj",
    "resolve_neg",
    "return_types",
    "save",
    "set_anomaly_enabled",
    "set_autocast_cache_enabled",
    "set_autocast_cpu_dtype",
    "set_autocast_cpu_enabled",
    "set_autocast_dtype",
    "set_autocast_enabled",
    "set_default_dtype",
    "set_deterministic_debug_mode",
    "set_float32_matmul_precision",
    "set_num_interop_threads",
    "set_printoptions",
    "set_warn_always",
    "special",
    "sym_float",
    "sym_int",
    "sym_ite",
    "sym_sqrt",
    "sym_sum",
    "testing",
    "thread_safe_generator",
    "to_dlpack",
    "typename",
    "types",
    "use_deterministic_algorithms",
    "utils",
    "version",
]

# Modules by path, with the names that each has here; opwright loads its own ones in the same way.
_MODULES: dict[str, tuple[str, ...]] = {
    "opwright": tuple(name for name in _opwright.__all__ if name in _opwright._LAZY_NAMES),
    "opwright._compile.torch_names": ("compile",),
    "opwright._device.any_kind": ("Event", "Stream", "get_device_module"),
    "opwright._saved.torch_names": ("load", "save"),
    "opwright._settings.symbolic_numbers": (
        "sym_float",
        "sym_int",
        "sym_ite",
        "sym_sqrt",
        "sym_sum",
    ),
    "opwright._settings.autocast_switches": (
        "autocast_decrement_nesting",
        "autocast_increment_nesting",
        "clear_autocast_cache",
        "is_autocast_cache_enabled",
        "set_autocast_cache_enabled",
        "set_autocast_cpu_dtype",
        "set_autocast_cpu_enabled",
        "set_autocast_dtype",
        "set_autocast_enabled",
    ),
    "opwright._settings.printing": ("set_printoptions",),
    "opwright._settings.determinism": (
        "are_deterministic_algorithms_enabled",
        "get_deterministic_debug_mode",
        "get_float32_matmul_precision",
        "is_deterministic_algorithms_warn_only_enabled",
        "set_deterministic_debug_mode",
        "set_float32_matmul_precision",
        "use_deterministic_algorithms",
    ),
    "opwright._settings.queries": (
        "get_autocast_cpu_dtype",
        "get_autocast_gpu_dtype",
        "is_anomaly_check_nan_enabled",
        "is_anomaly_enabled",
        "is_autocast_cpu_enabled",
        "is_warn_always_enabled",
        "set_anomaly_enabled",
        "set_warn_always",
        "thread_safe_generator",
    ),
    "opwright._settings.threads": (
        "get_num_interop_threads",
        "get_num_threads",
        "set_num_interop_threads",
    ),
    "opwright._library.view_copies": (
        "alias_copy",
        "as_strided_copy",
        "detach_copy",
        "diagonal_copy",
        "expand_copy",
        "permute_copy",
        "select_copy",
        "slice_copy",
        "split_copy",
        "split_with_sizes_copy",
        "squeeze_copy",
        "t_copy",
        "transpose_copy",
        "unbind_copy",
        "unfold_copy",
        "unsqueeze_copy",
        "view_copy",
        "view_as_complex_copy",
        "view_as_real_copy",
    ),
    "opwright.library": ("Tag",),
    "opwright.symbolic": ("SymFloat", "check=_check", "check_size=_check_is_size"),
    ".__future__": (),
    "._dynamo": (),
    "._higher_order_ops": ("cond",),
    "._subclasses": (),
    "._utils": (),
    ".accelerator": (),
    ".amp": ("GradScaler",),
    ".autograd": (),
    ".compiler": (),
    ".cuda": (),
    ".distributed": (),
    ".export": (),
    ".fft": (),
    ".func": (),
    ".functional": ("broadcast_shapes", "cdist", "einsum", "tensordot", "unravel_index"),
    ".fx": (),
    ".jit": (),
    ".library": (),
    ".linalg": (),
    ".nn": (),
    ".onnx": (),
    ".optim": (),
    ".overrides": (),
    ".profiler": (),
    ".return_types": (),
    ".special": (),
    ".testing": (),
    ".types": (),
    ".utils": (),
    ".version": ("__version__",),
}

globals().update(
    {
        name: value
        for name, value in vars(_opwright).items()
        if name in _opwright.__all__ and name not in _opwright._LAZY_NAMES
        if not isinstance(value, _Module)
    },
    **_DTYPES,
    **_FUNCTIONS,
    **_TYPED_TENSORS,
)
detach_ = _opwright.Tensor.detach_
as_strided_ = _opwright.Tensor.as_strided_
# Errors of devices are errors of these classes.
OutOfMemoryError = type(_opwright._C.make_error("MemoryError", ()))
AcceleratorError = RuntimeError
for _name in _MODULES[".functional"]:  # their operators accept fewer forms
    globals().pop(_name, None)
_add_python_operators()
_refuse_imports()


def _assert(condition: object, message: str) -> None:
    """Raise AssertionError if the condition does not hold; a trace records the call."""
    if hasattr(type(condition), "__torch_function__"):
        type(condition).__torch_function__(_assert, (type(condition),), (condition, message), {})
    elif not condition:
        raise AssertionError(message)


__getattr__, __dir__ = _on_first_use(__name__, _MODULES)

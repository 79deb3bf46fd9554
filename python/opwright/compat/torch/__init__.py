"""torch: Opwright's names under PyTorch's module path."""

from importlib import import_module as _import_module
from types import ModuleType as _Module
from typing import TYPE_CHECKING as _TYPE_CHECKING

from opwright import *  # noqa: F403
from opwright import _DTYPES, _FUNCTIONS, ops
from opwright import __version__ as _own_version
from opwright import check as _check
from opwright import check_size as _check_is_size
from opwright._compile.torch_names import compile
from opwright._dlpack import to_dlpack
from opwright._tensor_functions import (
    get_default_dtype,
    is_complex,
    is_conj,
    is_floating_point,
    is_inference,
    is_neg,
    is_nonzero,
    is_same_size,
    numel,
    resolve_conj,
    resolve_neg,
    set_default_dtype,
)
from opwright._typed_tensors import TYPED_TENSORS as _TYPED_TENSORS
from opwright.compat._absent import absent
from opwright.library import Tag

# Whatever modules of opwright are loaded came with the star; those of this package replace them.
for _name in [name for name, value in globals().items() if isinstance(value, _Module)]:
    del globals()[_name]

from opwright import random as random  # noqa: E402

from . import (  # noqa: E402
    __future__,
    _dynamo,
    _higher_order_ops,
    _subclasses,
    _utils,
    amp,
    autograd,
    compiler,
    cuda,
    export,
    func,
    library,
    nn,
    onnx,
    optim,
    testing,
    types,
    utils,
)

# The release of PyTorch whose names and meaning these are, and our own.
__version__ = f"2.13.0+opwright.{_own_version}"

__all__ = [
    "Tag",
    "__future__",
    "_assert",
    "_check",
    "_check_is_size",
    "_dynamo",
    "_higher_order_ops",
    "_subclasses",
    "_utils",
    "amp",
    "autograd",
    "compile",
    "compiler",
    "cuda",
    "export",
    "func",
    "fx",
    "get_default_dtype",
    "is_complex",
    "is_conj",
    "is_floating_point",
    "is_inference",
    "is_neg",
    "is_nonzero",
    "is_same_size",
    "library",
    "nn",
    "numel",
    "onnx",
    "ops",
    "optim",
    "resolve_conj",
    "resolve_neg",
    "set_default_dtype",
    "testing",
    "to_dlpack",
    "types",
    "utils",
]

if _TYPE_CHECKING:
    from . import fx

globals().update(_DTYPES, **_FUNCTIONS, **_TYPED_TENSORS)


def _assert(condition: object, message: str) -> None:
    """Raise AssertionError if the condition does not hold; a trace records the call."""
    if hasattr(type(condition), "__torch_function__"):
        type(condition).__torch_function__(_assert, (type(condition),), (condition, message), {})
    elif not condition:
        raise AssertionError(message)


_absent = absent(__name__)


def __getattr__(name: str) -> object:
    if name == "fx":  # not needed by every program
        return _import_module(".fx", __name__)
    return _absent(name)

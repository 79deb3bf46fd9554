"""torch: Opwright's names under PyTorch's module path."""

from types import ModuleType as _Module

from opwright import *  # noqa: F403
from opwright import _DTYPES, _FUNCTIONS, ops
from opwright import check as _check
from opwright import check_size as _check_is_size
from opwright._compile.torch_names import compile
from opwright.compat._absent import absent
from opwright.library import Tag

# Whatever modules of opwright are loaded came with the star; those of this package replace them.
for _name in [name for name, value in globals().items() if isinstance(value, _Module)]:
    del globals()[_name]

from opwright import random as random  # noqa: E402

from . import (  # noqa: E402
    _dynamo,
    _higher_order_ops,
    _subclasses,
    amp,
    autograd,
    compiler,
    cuda,
    export,
    func,
    fx,
    library,
    nn,
    onnx,
    optim,
    types,
    utils,
)

__all__ = [
    "Tag",
    "_check",
    "_check_is_size",
    "_dynamo",
    "_higher_order_ops",
    "_subclasses",
    "amp",
    "autograd",
    "compile",
    "compiler",
    "cuda",
    "export",
    "func",
    "fx",
    "library",
    "nn",
    "onnx",
    "ops",
    "optim",
    "types",
    "utils",
]

globals().update(_DTYPES, **_FUNCTIONS)

__getattr__ = absent(__name__)

"""torch: Opwright's names where code written for PyTorch looks for them."""

from opwright import *  # noqa: F403
from opwright import _DTYPES, _FUNCTIONS, ops
from opwright import check as _check
from opwright import check_size as _check_is_size
from opwright.compat._absent import absent
from opwright.library import Tag

from . import (
    _higher_order_ops,
    _subclasses,
    amp,
    autograd,
    export,
    func,
    fx,
    library,
    nn,
    optim,
    types,
    utils,
)

__all__ = [
    "Tag",
    "_check",
    "_check_is_size",
    "_higher_order_ops",
    "_subclasses",
    "amp",
    "autograd",
    "export",
    "func",
    "fx",
    "library",
    "nn",
    "ops",
    "optim",
    "types",
    "utils",
]

globals().update(_DTYPES, **_FUNCTIONS)

__getattr__ = absent(__name__)

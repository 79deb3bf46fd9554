"""torch.library."""

from opwright.compat._absent import absent
from opwright.library import (
    Library,
    custom_op,
    define,
    get_ctx,
    get_kernel,
    impl,
    infer_schema,
    opcheck,
    register_autocast,
    register_autograd,
    register_fake,
    register_kernel,
    register_opaque_type,
    register_vmap,
)
from opwright.library import _scoped_library as _scoped_library

__all__ = [
    "Library",
    "custom_op",
    "define",
    "get_ctx",
    "get_kernel",
    "impl",
    "infer_schema",
    "opcheck",
    "register_autocast",
    "register_autograd",
    "register_fake",
    "register_kernel",
    "register_opaque_type",
    "register_vmap",
]

__getattr__ = absent(__name__)

"""torch.library."""

from opwright._library.key_set import fallthrough_kernel
from opwright._library.torch_dispatch import register_torch_dispatch
from opwright._library.torch_fake import register_fake_as_torch as register_fake
from opwright._library.triton import triton_op, wrap_triton
from opwright._opcheck.torch_form import opcheck_as_torch as opcheck
from opwright.compat._absent import absent
from opwright.library import (
    Library,
    custom_op,
    define,
    get_ctx,
    get_kernel,
    impl,
    infer_schema,
    register_autocast,
    register_autograd,
    register_kernel,
    register_opaque_type,
    register_vmap,
)
from opwright.library import _scoped_library as _scoped_library

__all__ = [
    "Library",
    "custom_op",
    "define",
    "fallthrough_kernel",
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
    "register_torch_dispatch",
    "register_vmap",
    "triton_op",
    "wrap_triton",
]

__getattr__ = absent(__name__)

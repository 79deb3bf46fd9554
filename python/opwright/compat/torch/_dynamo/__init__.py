"""torch._dynamo."""

from opwright._C import is_tracing as is_compiling
from opwright.compat._absent import absent
from opwright.compiler import register_backend, reset

from . import exc

__all__ = ["exc", "is_compiling", "register_backend", "reset"]

__getattr__ = absent(__name__)

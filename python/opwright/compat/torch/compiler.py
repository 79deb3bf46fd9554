"""torch.compiler."""

from opwright._C import is_tracing as is_compiling
from opwright.compat._absent import absent
from opwright.compiler import compile, reset

__all__ = ["compile", "is_compiling", "reset"]

__getattr__ = absent(__name__)

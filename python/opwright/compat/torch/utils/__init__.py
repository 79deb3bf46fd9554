"""torch.utils."""

from opwright.compat._absent import absent

from . import cpp_extension

__all__ = ["cpp_extension"]

__getattr__ = absent(__name__)

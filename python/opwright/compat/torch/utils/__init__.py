"""torch.utils."""

from opwright.compat._absent import absent

from . import _pytree, checkpoint, cpp_extension

__all__ = ["_pytree", "checkpoint", "cpp_extension"]

__getattr__ = absent(__name__)

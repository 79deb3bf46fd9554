"""torch.utils."""

from opwright.compat._absent import absent

from . import _python_dispatch, _pytree, checkpoint, cpp_extension, dlpack, hooks

__all__ = ["_python_dispatch", "_pytree", "checkpoint", "cpp_extension", "dlpack", "hooks"]

__getattr__ = absent(__name__)

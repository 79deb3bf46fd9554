"""torch.nn.modules.module: Module, and the hooks of all modules."""

from opwright.compat._absent import absent
from opwright.nn import Module
from opwright.nn.global_hooks import *  # noqa: F403

__all__ = ["Module"]

__getattr__ = absent(__name__)

"""torch.nn: the names of opwright.nn."""

from opwright.compat._absent import absent
from opwright.nn import *  # noqa: F403

from . import functional, init, modules, parameter

__all__ = ["functional", "init", "modules", "parameter"]

__getattr__ = absent(__name__)

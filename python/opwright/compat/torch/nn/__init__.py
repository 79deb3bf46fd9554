"""torch.nn: the names of opwright.nn."""

from opwright.compat._absent import absent
from opwright.nn import *  # noqa: F403

del functional, init  # noqa: F821 - those of opwright.nn: this package has its own

from . import functional, init, modules, parameter, utils  # noqa: E402

__all__ = ["functional", "init", "modules", "parameter", "utils"]

__getattr__ = absent(__name__)

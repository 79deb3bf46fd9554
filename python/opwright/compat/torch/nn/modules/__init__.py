"""torch.nn.modules: the layers."""

from opwright.compat._absent import absent
from opwright.nn import *  # noqa: F403

from . import lazy, module, utils

__all__ = ["lazy", "module", "utils"]

__getattr__ = absent(__name__)

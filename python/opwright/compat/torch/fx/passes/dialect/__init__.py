"""torch.fx.passes.dialect."""

from opwright.compat._absent import absent

from . import common

__all__ = ["common"]

__getattr__ = absent(__name__)

"""torch.fx."""

from opwright.compat._absent import absent

from . import experimental

__all__ = ["experimental"]

__getattr__ = absent(__name__)

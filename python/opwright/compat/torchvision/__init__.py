"""torchvision."""

from opwright.compat._absent import absent

from . import transforms

__all__ = ["transforms"]

__getattr__ = absent(__name__)

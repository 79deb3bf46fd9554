"""torch.types."""

from opwright.compat._absent import absent

__all__ = ["Number"]

Number = int | float | bool

__getattr__ = absent(__name__)

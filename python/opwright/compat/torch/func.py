"""torch.func: transforms of functions."""

from opwright.compat._absent import absent
from opwright.func import functionalize

__all__ = ["functionalize"]

__getattr__ = absent(__name__)

"""torch.func: transforms of functions."""

from opwright.compat._absent import absent
from opwright.func import functionalize, vmap

__all__ = ["functionalize", "vmap"]

__getattr__ = absent(__name__)

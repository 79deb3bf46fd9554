"""torch.autograd.variable: Variable."""

from opwright.autograd.variable import (
    Variable,
)
from opwright.compat._absent import absent

__all__ = [
    "Variable",
]

__getattr__ = absent(__name__)

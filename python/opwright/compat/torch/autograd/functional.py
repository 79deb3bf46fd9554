"""torch.autograd.functional: derivatives of functions."""

from opwright.autograd.functional import (
    hessian,
    hvp,
    jacobian,
    jvp,
    vhp,
    vjp,
)
from opwright.compat._absent import absent

__all__ = [
    "hessian",
    "hvp",
    "jacobian",
    "jvp",
    "vhp",
    "vjp",
]

__getattr__ = absent(__name__)

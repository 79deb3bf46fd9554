"""torch.func: transforms of functions."""

from opwright.compat._absent import absent
from opwright.func import (
    functionalize,
    grad,
    hessian,
    jacfwd,
    jacrev,
    jvp,
    linearize,
    value_and_grad,
    vjp,
    vmap,
)

__all__ = [
    "functionalize",
    "grad",
    "hessian",
    "jacfwd",
    "jacrev",
    "jvp",
    "linearize",
    "value_and_grad",
    "vjp",
    "vmap",
]

__getattr__ = absent(__name__)

"""torch.autograd.gradcheck: derivatives against finite differences."""

from opwright.autograd.gradcheck import (
    GradcheckError,
    gradcheck,
    gradgradcheck,
)
from opwright.compat._absent import absent

__all__ = [
    "GradcheckError",
    "gradcheck",
    "gradgradcheck",
]

__getattr__ = absent(__name__)

"""torch.special: special functions of tensors."""

from opwright.compat._absent import absent
from opwright.special import *  # noqa: F403
from opwright.special import __all__ as __all__

__getattr__ = absent(__name__)

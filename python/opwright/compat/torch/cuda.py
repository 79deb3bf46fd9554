"""torch.cuda: the functions of CUDA devices."""

from opwright.compat._absent import absent
from opwright.cuda import *  # noqa: F403
from opwright.cuda import __all__ as __all__

__getattr__ = absent(__name__)

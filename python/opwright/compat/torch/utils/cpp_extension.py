"""torch.utils.cpp_extension."""

from opwright.compat._absent import absent
from opwright.cpp_extension import *  # noqa: F403

__getattr__ = absent(__name__)

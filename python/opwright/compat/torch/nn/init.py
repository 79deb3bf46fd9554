"""torch.nn.init: the names of opwright.nn.init."""

from opwright.compat._absent import absent
from opwright.nn.init import *  # noqa: F403

__getattr__ = absent(__name__)

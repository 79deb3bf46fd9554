"""torch.nn.functional: the names of opwright.nn.functional."""

from opwright.compat._absent import absent
from opwright.nn.functional import *  # noqa: F403

__getattr__ = absent(__name__)

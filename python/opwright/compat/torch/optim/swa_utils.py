"""torch.optim.swa_utils: averages of weights."""

from opwright.compat._absent import absent
from opwright.optim.averaging import *  # noqa: F403

__getattr__ = absent(__name__)

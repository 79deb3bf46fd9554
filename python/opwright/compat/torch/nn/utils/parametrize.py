"""torch.nn.utils.parametrize: parameters that modules compute."""

from opwright.compat._absent import absent
from opwright.nn.weights.parametrize import *  # noqa: F403

__getattr__ = absent(__name__)

"""torch.nn.utils.parametrizations: weights of a given norm."""

from opwright.compat._absent import absent
from opwright.nn.weights.parametrizations import *  # noqa: F403

__getattr__ = absent(__name__)

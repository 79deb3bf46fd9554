"""torch.nn.utils: functions on the weights of modules."""

from opwright.compat._absent import absent
from opwright.nn.weights import *  # noqa: F403

del parametrizations, parametrize  # noqa: F821 - those of opwright: this package has its own

from . import parametrizations, parametrize, rnn, stateless  # noqa: E402

__all__ = ["parametrizations", "parametrize", "rnn", "stateless"]

__getattr__ = absent(__name__)

"""torch.nn.utils.rnn: sequences of different lengths."""

from opwright.compat._absent import absent
from opwright.nn.packed_sequence import *  # noqa: F403

__getattr__ = absent(__name__)

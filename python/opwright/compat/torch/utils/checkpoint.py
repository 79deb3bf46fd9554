"""torch.utils.checkpoint: trading time for memory."""

from opwright.autograd import checkpoint
from opwright.compat._absent import absent

__all__ = ["checkpoint"]

__getattr__ = absent(__name__)

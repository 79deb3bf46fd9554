"""torch.amp: automatic mixed precision."""

from opwright import autocast
from opwright.autograd import custom_bwd, custom_fwd
from opwright.compat._absent import absent

__all__ = ["autocast", "custom_bwd", "custom_fwd"]

__getattr__ = absent(__name__)

"""torch.amp: lower precision where that is safe."""

from opwright import autocast
from opwright.compat._absent import absent

__all__ = ["autocast"]

__getattr__ = absent(__name__)

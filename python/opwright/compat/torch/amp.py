"""torch.amp: automatic mixed precision."""

from opwright.amp import (
    GradScaler,
    autocast,
    custom_bwd,
    custom_fwd,
    is_autocast_available,
)
from opwright.compat._absent import absent

__all__ = ["GradScaler", "autocast", "custom_bwd", "custom_fwd", "is_autocast_available"]

__getattr__ = absent(__name__)

"""torch.autograd.anomaly_mode: errors of a backward."""

from opwright.autograd.anomaly_mode import (
    detect_anomaly,
    set_detect_anomaly,
)
from opwright.compat._absent import absent

__all__ = [
    "detect_anomaly",
    "set_detect_anomaly",
]

__getattr__ = absent(__name__)

"""torch.autograd: gradients."""

from opwright.autograd import (
    Function,
    backward,
    detect_anomaly,
    enable_grad,
    grad,
    gradcheck,
    gradgradcheck,
    inference_mode,
    no_grad,
    set_detect_anomaly,
    set_grad_enabled,
)
from opwright.compat._absent import absent

from . import function, graph

__all__ = [
    "Function",
    "backward",
    "detect_anomaly",
    "enable_grad",
    "function",
    "grad",
    "gradcheck",
    "gradgradcheck",
    "graph",
    "inference_mode",
    "no_grad",
    "set_detect_anomaly",
    "set_grad_enabled",
]

__getattr__ = absent(__name__)

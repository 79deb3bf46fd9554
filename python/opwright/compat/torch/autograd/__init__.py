"""torch.autograd: gradients."""

from opwright.autograd import (
    Function,
    backward,
    detect_anomaly,
    enable_grad,
    grad,
    gradgradcheck,
    inference_mode,
    no_grad,
    set_detect_anomaly,
    set_grad_enabled,
)
from opwright.autograd.gradcheck import GradcheckError
from opwright.autograd.multithreading import is_multithreading_enabled, set_multithreading_enabled
from opwright.autograd.variable import Variable
from opwright.compat._absent import absent

from . import anomaly_mode, forward_ad, function, functional, grad_mode, graph, variable
from .gradcheck import gradcheck

__all__ = [
    "Function",
    "GradcheckError",
    "Variable",
    "anomaly_mode",
    "backward",
    "detect_anomaly",
    "enable_grad",
    "forward_ad",
    "function",
    "functional",
    "grad",
    "grad_mode",
    "gradcheck",
    "gradgradcheck",
    "graph",
    "inference_mode",
    "is_multithreading_enabled",
    "no_grad",
    "set_detect_anomaly",
    "set_grad_enabled",
    "set_multithreading_enabled",
    "variable",
]

__getattr__ = absent(__name__)

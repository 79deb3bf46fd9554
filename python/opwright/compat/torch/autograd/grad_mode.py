"""torch.autograd.grad_mode: whether operators are recorded."""

from opwright.autograd import enable_grad, inference_mode, no_grad, set_grad_enabled
from opwright.autograd.engine_settings import set_multithreading_enabled
from opwright.compat._absent import absent

__all__ = [
    "enable_grad",
    "inference_mode",
    "no_grad",
    "set_grad_enabled",
    "set_multithreading_enabled",
]

__getattr__ = absent(__name__)

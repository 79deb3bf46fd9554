"""torch.autograd.function: functions with their own backward."""

from opwright.autograd.function import (
    Function,
    FunctionCtx,
    InplaceFunction,
    once_differentiable,
)
from opwright.compat._absent import absent

__all__ = ["Function", "FunctionCtx", "InplaceFunction", "once_differentiable"]

__getattr__ = absent(__name__)

"""Parts of cuda.py: the same calls in Opwright and in torch on one GPU."""

from .cases import call_cases, kernel_cases, layer_cases
from .timing import time_side_by_side

__all__ = ["call_cases", "kernel_cases", "layer_cases", "time_side_by_side"]

"""The cases of kernels.py, and how they are timed."""

from .cases import SIZES, pointwise_cases
from .timing import measure

__all__ = ["SIZES", "measure", "pointwise_cases"]

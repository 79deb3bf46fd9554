"""The cases of kernels.py, and how they are timed."""

from .cases import SIZES, pointwise_cases
from .matrix_cases import convolution_cases, product_cases, small_product_cases
from .timing import measure

__all__ = [
    "SIZES",
    "convolution_cases",
    "measure",
    "pointwise_cases",
    "product_cases",
    "small_product_cases",
]

"""Parts of kernels.py: the cases and the timing loop."""

from .cases import SIZES, pointwise_cases
from .matrix_cases import convolution_cases, product_cases, small_product_cases
from .square_cases import fold_cases, movement_cases
from .timing import measure

__all__ = [
    "SIZES",
    "convolution_cases",
    "element_cases",
    "measure",
    "product_cases",
    "small_product_cases",
]


def element_cases(package, size):
    """Return every case with about `size` elements: {name: function without arguments}."""
    families = (pointwise_cases, fold_cases, movement_cases)
    return {name: call for family in families for name, call in family(package, size).items()}

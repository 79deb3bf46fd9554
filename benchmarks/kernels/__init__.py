"""Parts of kernels.py: the cases and the timing loop."""

from .cases import SIZES, pointwise_cases
from .matrix_cases import (
    convolution_cases,
    half_product_cases,
    product_cases,
    small_product_cases,
)
from .order_cases import order_cases
from .special_cases import other_special_cases, special_cases
from .square_cases import fold_cases, movement_cases
from .timing import measure
from .transform_cases import fourier_cases, linalg_cases
from .window_cases import image_cases, loss_cases, other_image_cases, other_product_cases

__all__ = [
    "SIZES",
    "convolution_cases",
    "element_cases",
    "fourier_cases",
    "half_product_cases",
    "image_cases",
    "linalg_cases",
    "loss_cases",
    "measure",
    "other_image_cases",
    "other_product_cases",
    "other_special_cases",
    "product_cases",
    "small_product_cases",
]


def element_cases(package, size):
    """Return every case with about `size` elements: {name: function without arguments}."""
    families = (pointwise_cases, special_cases, fold_cases, movement_cases, order_cases)
    return {name: call for family in families for name, call in family(package, size).items()}

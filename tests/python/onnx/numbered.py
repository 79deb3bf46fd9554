"""Tensors whose elements identify their position."""

import numpy as np
import opwright as ow


def numbers(*shape, dtype="float32"):
    """Different elements, some below 0."""
    count = int(np.prod(shape))
    return ow.from_numpy((np.arange(count).reshape(shape) - count // 3).astype(dtype))

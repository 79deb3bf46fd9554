"""Norms over all dimensions but one, and the weights that are made with them."""

from __future__ import annotations

import opwright as ow

from ... import Tensor
from ..convolution import ConvTranspose1d, ConvTranspose2d, ConvTranspose3d
from ..module import Module


def norm_except_dim(v: Tensor, dim: int) -> Tensor:
    """Return the norm over all dimensions but `dim`, which are kept; -1 means over all."""
    if dim == -1:
        return ow.linalg_vector_norm(v, 2.0)
    place = dim % v.ndim
    others = [each for each in range(v.ndim) if each != place]
    return ow.linalg_vector_norm(v, 2.0, others, True) if others else v.abs()


def normed_weight(v: Tensor, g: Tensor, dim: int) -> Tensor:
    """Return g * v / |v|."""
    return v * (g / norm_except_dim(v, dim))


def as_matrix(weight: Tensor, dim: int) -> Tensor:
    """Return a weight as a matrix whose rows are those of dimension `dim`."""
    if dim != 0:
        weight = weight.movedim(dim, 0)
    return weight.reshape(weight.shape[0], -1)


def output_dim(module: Module) -> int:
    """Return the dimension of a layer's weight that counts its outputs."""
    return int(isinstance(module, ConvTranspose1d | ConvTranspose2d | ConvTranspose3d))

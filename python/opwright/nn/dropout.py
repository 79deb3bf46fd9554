"""Dropout layers; they are active in training only."""

from __future__ import annotations

from .. import Tensor
from . import functional as F
from .module import Module

__all__ = [
    "AlphaDropout",
    "Dropout",
    "Dropout1d",
    "Dropout2d",
    "Dropout3d",
    "FeatureAlphaDropout",
]


class _Dropout(Module):
    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        if not 0.0 <= p <= 1.0:
            raise ValueError(f"{type(self).__name__}: p must be between 0 and 1, got {p}")
        self.p = p
        self.inplace = inplace

    def extra_repr(self) -> str:
        return f"p={self.p}, inplace={self.inplace}"


class Dropout(_Dropout):
    """Sets elements to zero with probability p and scales the others by 1 / (1 - p).

    >>> ow.nn.Dropout(1.0)(ow.ones(2))
    tensor([0., 0.])
    >>> ow.nn.Dropout(1.0).eval()(ow.ones(2))
    tensor([1., 1.])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.dropout(input, self.p, self.training, self.inplace)


class Dropout1d(_Dropout):
    """Sets entire channels of (N, C, L) to zero.

    >>> ow.nn.Dropout1d().eval()(ow.ones(1, 1, 2))
    tensor([[[1., 1.]]])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.dropout1d(input, self.p, self.training, self.inplace)


class Dropout2d(_Dropout):
    """Sets entire channels of (N, C, H, W) to zero.

    >>> ow.nn.Dropout2d().eval()(ow.ones(1, 1, 1, 2))
    tensor([[[[1., 1.]]]])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.dropout2d(input, self.p, self.training, self.inplace)


class Dropout3d(_Dropout):
    """Sets entire channels of (N, C, D, H, W) to zero.

    >>> ow.nn.Dropout3d().eval()(ow.ones(1, 1, 1, 1, 2))
    tensor([[[[[1., 1.]]]]])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.dropout3d(input, self.p, self.training, self.inplace)


class AlphaDropout(_Dropout):
    """Drops elements while keeping mean and variance, for SELU networks.

    >>> ow.nn.AlphaDropout().eval()(ow.ones(2))
    tensor([1., 1.])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.alpha_dropout(input, self.p, self.training, self.inplace)


class FeatureAlphaDropout(_Dropout):
    """Like AlphaDropout, with entire channels.

    >>> ow.nn.FeatureAlphaDropout().eval()(ow.ones(1, 2))
    tensor([[1., 1.]])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.feature_alpha_dropout(input, self.p, self.training, self.inplace)

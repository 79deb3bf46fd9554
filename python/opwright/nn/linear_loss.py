"""A linear layer and the cross entropy of its outputs, as one module."""

from __future__ import annotations

import math

import opwright as ow

from .. import Tensor
from . import functional as F
from .linear import Linear
from .module import Module
from .types import DeviceLike

__all__ = ["LinearCrossEntropyLoss"]


class LinearCrossEntropyLoss(Module):
    """The cross entropy of a linear map of inputs (N, in_features) and targets.

    >>> loss = ow.nn.LinearCrossEntropyLoss(3, num_classes=4)
    >>> loss(ow.ones(2, 3), ow.tensor([0, 1])).shape
    ()

    `out_features` are further dimensions of the outputs. `options` are refused.
    """

    weight: Tensor | None

    def __init__(
        self,
        in_features: int,
        num_classes: int,
        *,
        out_features: tuple[int, ...] = (),
        bias: bool = False,
        device: DeviceLike | None = None,
        dtype: ow.dtype | None = None,
        reduction: str = "mean",
        weight: Tensor | None = None,
        ignore_index: int | None = None,
        label_smoothing: float = 0.0,
        options: None = None,
    ) -> None:
        super().__init__()
        if weight is not None and list(weight.shape) != [num_classes]:
            raise RuntimeError(
                f"LinearCrossEntropyLoss: weight must have sizes {[num_classes]}, got "
                f"{list(weight.shape)}"
            )
        if not 0 <= label_smoothing <= 1:
            raise RuntimeError(
                "LinearCrossEntropyLoss: label_smoothing must be between 0 and 1, got "
                f"{label_smoothing}"
            )
        self.reduction = reduction
        self.register_buffer("weight", weight)
        self.num_classes = num_classes
        self.out_features = out_features
        self.ignore_index = ignore_index
        self.label_smoothing = label_smoothing
        outputs = math.prod(out_features, start=num_classes)
        self.linear = Linear(in_features, outputs, bias, device, dtype)
        self.options = options

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        sizes = [self.num_classes, *self.out_features]
        bias = self.linear.bias
        return F.linear_cross_entropy(
            input,
            self.linear.weight.reshape([*sizes, self.linear.in_features]),
            target,
            linear_bias=None if bias is None else bias.reshape(sizes),
            weight=self.weight,
            reduction=self.reduction,
            ignore_index=self.ignore_index,
            label_smoothing=self.label_smoothing,
            options=self.options,
        )

    def extra_repr(self) -> str:
        return (
            f"in_features={self.linear.in_features}, num_classes={self.num_classes}, "
            f"out_features={self.out_features}, bias={self.linear.bias is not None}, "
            f"reduction={self.reduction}, ignore_index={self.ignore_index}, "
            f"label_smoothing={self.label_smoothing}, options={self.options}"
        )

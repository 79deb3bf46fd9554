"""A linear map together with its loss."""

from ... import Tensor
from .linear import linear
from .loss import cross_entropy

__all__ = ["linear_cross_entropy"]


def linear_cross_entropy(
    input: Tensor,
    linear_weight: Tensor,
    target: Tensor,
    *,
    linear_bias: Tensor | None = None,
    weight: Tensor | None = None,
    reduction: str = "mean",
    ignore_index: int | None = None,
    label_smoothing: float = 0.0,
    options: None = None,
) -> Tensor:
    """Return the cross entropy of a linear map of inputs (N, features) and targets.

    `linear_weight` is (classes, ..., features); the classes are dimension 1 of what is compared.
    `options`, which select a variant that uses less memory in PyTorch, are refused.

    >>> loss = ow.nn.functional.linear_cross_entropy
    >>> loss(ow.ones(2, 3), ow.zeros(4, 3), ow.tensor([0, 1]))
    tensor(1.3863)
    """
    if options is not None:
        raise NotImplementedError(
            "linear_cross_entropy: options are not supported; leave them out, the results are the "
            "same"
        )
    bias = None if linear_bias is None else linear_bias.flatten()
    logits = linear(input, linear_weight.flatten(0, -2), bias)
    logits = logits.unflatten(-1, list(linear_weight.shape[:-1]))
    return cross_entropy(
        logits,
        target,
        weight,
        ignore_index=-100 if ignore_index is None else ignore_index,
        reduction=reduction,
        label_smoothing=label_smoothing,
    )

"""Activations that draw random numbers."""

import warnings

import opwright as ow

from ... import Tensor, ops

__all__ = ["gumbel_softmax", "rrelu", "rrelu_"]


def rrelu(
    input: Tensor,
    lower: float = 1.0 / 8,
    upper: float = 1.0 / 3,
    training: bool = False,
    inplace: bool = False,
) -> Tensor:
    """Return x, or slope * x below zero, with a random slope for each element in training.

    >>> ow.nn.functional.rrelu(ow.tensor([-1.0, 2.0]), 0.25, 0.75)
    tensor([-0.5000,  2.0000])
    """
    run = ops.aten.rrelu_ if inplace else ops.aten.rrelu
    return run(input, lower, upper, training)


def rrelu_(
    input: Tensor, lower: float = 1.0 / 8, upper: float = 1.0 / 3, training: bool = False
) -> Tensor:
    """Write the result of `rrelu` to the input.

    >>> ow.nn.functional.rrelu_(ow.tensor([-1.0, 2.0]), 0.25, 0.75)
    tensor([-0.5000,  2.0000])
    """
    return ops.aten.rrelu_(input, lower, upper, training)


def gumbel_softmax(
    logits: Tensor, tau: float = 1, hard: bool = False, eps: float = 1e-10, dim: int = -1
) -> Tensor:
    """Return a sample of classes with the given log probabilities, relaxed or one-hot.

    >>> float(ow.nn.functional.gumbel_softmax(ow.zeros(1, 4), hard=True).sum())
    1.0

    A one-hot (`hard`) sample has the gradient of the relaxed one.
    """
    if eps != 1e-10:
        warnings.warn("gumbel_softmax: eps has no effect", stacklevel=2)
    noise = ow.empty_like(logits).exponential_().log()
    soft = ((logits - noise) / tau).softmax(dim)
    if not hard:
        return soft
    chosen = soft.argmax(dim, True)
    one_hot = ow.zeros_like(logits).scatter(dim, chosen, 1.0)
    return one_hot - soft.detach() + soft

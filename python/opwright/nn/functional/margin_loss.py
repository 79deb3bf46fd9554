"""Losses of margins between classes or distances, of sequences, and of distributions."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import opwright as ow

from ... import Tensor, ops
from .loss import read_reduction, reduction_number

__all__ = [
    "ctc_loss",
    "gaussian_nll_loss",
    "multi_margin_loss",
    "multilabel_margin_loss",
    "multilabel_soft_margin_loss",
    "pairwise_distance",
    "pdist",
    "poisson_nll_loss",
    "triplet_margin_loss",
    "triplet_margin_with_distance_loss",
]


def _reduced(losses: Tensor, reduction: str) -> Tensor:
    number = reduction_number(reduction)
    return losses.mean() if number == 1 else losses.sum() if number == 2 else losses


def pairwise_distance(
    x1: Tensor, x2: Tensor, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False
) -> Tensor:
    """Return the distances of vectors; eps is added to each difference.

    >>> ow.nn.functional.pairwise_distance(ow.zeros(1, 2), ow.tensor([[3.0, 4.0]]))
    tensor([5.0000])
    """
    return ops.aten.pairwise_distance(x1, x2, p, eps, keepdim)


def pdist(input: Tensor, p: float = 2.0) -> Tensor:
    """Return the distances of all pairs of rows.

    >>> ow.nn.functional.pdist(ow.tensor([[0.0, 0.0], [3.0, 4.0], [0.0, 4.0]]))
    tensor([5., 4., 3.])
    """
    return ops.aten.pdist(input, p)


def multi_margin_loss(
    input: Tensor,
    target: Tensor,
    p: int = 1,
    margin: float = 1.0,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Return the mean over other classes of max(0, margin - score of the target + score) ** p.

    >>> ow.nn.functional.multi_margin_loss(ow.tensor([[0.5, 0.0]]), ow.tensor([0]))
    tensor(0.2500)
    """
    number = reduction_number(read_reduction(size_average, reduce, reduction))
    return ops.aten.multi_margin_loss(input, target, p, margin, weight, number)


def multilabel_margin_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Return the margin loss over pairs of a target class and another; -1 ends the targets.

    >>> ow.nn.functional.multilabel_margin_loss(ow.tensor([0.5, 0.0]), ow.tensor([0, -1]))
    tensor(0.2500)
    """
    number = reduction_number(read_reduction(size_average, reduce, reduction))
    return ops.aten.multilabel_margin_loss(input, target, number)


def multilabel_soft_margin_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Return the cross entropy of sigmoid(input) and 0 or 1 for each class, as a mean of classes.

    >>> ow.nn.functional.multilabel_soft_margin_loss(ow.zeros(1, 2), ow.ones(1, 2))
    tensor(0.6931)
    """
    reduction = read_reduction(size_average, reduce, reduction)
    reduction_number(reduction)
    log_sigmoid = ops.aten.log_sigmoid
    losses = -(target * log_sigmoid(input) + (1 - target) * log_sigmoid(-input))
    if weight is not None:
        losses = losses * weight
    return _reduced(losses.sum(-1) / input.shape[-1], reduction)


def triplet_margin_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    margin: float = 1.0,
    p: float = 2,
    eps: float = 1e-6,
    swap: bool = False,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Return max(0, distance to positive - distance to negative + margin).

    >>> x = ow.zeros(1, 2)
    >>> ow.nn.functional.triplet_margin_loss(x, x, ow.tensor([[0.0, 0.5]]))
    tensor(0.5000)
    """
    number = reduction_number(read_reduction(size_average, reduce, reduction))
    if margin <= 0:
        raise ValueError(f"triplet_margin_loss: margin must be positive, got {margin}")
    return ops.aten.triplet_margin_loss(anchor, positive, negative, margin, p, eps, swap, number)


def triplet_margin_with_distance_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    *,
    distance_function: Callable[[Tensor, Tensor], Tensor] | None = None,
    margin: float = 1.0,
    swap: bool = False,
    reduction: str = "mean",
) -> Tensor:
    """Return max(0, distance to positive - distance to negative + margin) for any distance.

    >>> F = ow.nn.functional
    >>> far = lambda x, y: (x - y).abs().sum(-1)
    >>> x = ow.zeros(1, 2)
    >>> F.triplet_margin_with_distance_loss(x, x, x + 0.25, distance_function=far)
    tensor(0.5000)
    """
    reduction_number(reduction)
    if margin <= 0:
        raise ValueError(
            f"triplet_margin_with_distance_loss: margin must be positive, got {margin}"
        )
    if not anchor.ndim == positive.ndim == negative.ndim:
        raise RuntimeError(
            "triplet_margin_with_distance_loss: anchor, positive and negative must have the same "
            f"number of dimensions, got {anchor.ndim}, {positive.ndim} and {negative.ndim}"
        )
    distance = pairwise_distance if distance_function is None else distance_function
    far = distance(anchor, negative)
    if swap:
        far = ops.aten.minimum(far, distance(positive, negative))
    losses = (margin + distance(anchor, positive) - far).clamp(min=0)
    return _reduced(losses, reduction)


def poisson_nll_loss(
    input: Tensor,
    target: Tensor,
    log_input: bool = True,
    full: bool = False,
    size_average: bool | None = None,
    eps: float = 1e-8,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Return minus the log-likelihood of counts, given (the logs of) their rates.

    >>> ow.nn.functional.poisson_nll_loss(ow.zeros(1), ow.tensor([2.0]))
    tensor(1.)
    """
    number = reduction_number(read_reduction(size_average, reduce, reduction))
    return ops.aten.poisson_nll_loss(input, target, log_input, full, eps, number)


def gaussian_nll_loss(
    input: Tensor,
    target: Tensor,
    var: Tensor | float,
    full: bool = False,
    eps: float = 1e-6,
    reduction: str = "mean",
) -> Tensor:
    """Return minus the log-likelihood of targets, given means and variances.

    >>> ow.nn.functional.gaussian_nll_loss(ow.zeros(1), ow.tensor([2.0]), ow.ones(1))
    tensor(2.)
    """
    reduction_number(reduction)
    variance = var * ow.ones_like(input) if isinstance(var, float) else var
    if bool((variance < 0).any()):
        raise ValueError("gaussian_nll_loss: var must not be negative")
    variance = _variance_of(input, variance)
    # The gradient ignores the lower bound.
    bounded = variance.detach().clamp(min=eps)
    variance = variance + (bounded - variance.detach())
    losses = 0.5 * (variance.log() + (input - target) ** 2 / variance)
    if full:
        losses = losses + 0.5 * math.log(2 * math.pi)
    return _reduced(losses, reduction)


def _variance_of(input: Tensor, variance: Tensor) -> Tensor:
    """Return a variance that broadcasts to the input: for each element, or for each row."""
    sizes, given = list(input.shape), list(variance.shape)
    if given == sizes:
        return variance
    if given == sizes[:-1]:
        return variance.unsqueeze(-1)
    others = [other for own, other in zip(sizes, given, strict=False) if own != other]
    if len(sizes) == len(given) and others == [1]:
        return variance
    raise ValueError(
        f"gaussian_nll_loss: var must have the sizes of input {sizes}, or one size less or of 1, "
        f"got {given}"
    )


def ctc_loss(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: Tensor | Sequence[int],
    target_lengths: Tensor | Sequence[int],
    blank: int = 0,
    reduction: str = "mean",
    zero_infinity: bool = False,
) -> Tensor:
    """Return minus the log-likelihood of targets over all alignments with the frames.

    >>> log_probs = ow.full((2, 1, 3), 1 / 3).log()
    >>> ow.nn.functional.ctc_loss(log_probs, ow.tensor([[1]]), (2,), (1,))
    tensor(1.0986)

    `log_probs` is (frames, N, labels), `targets` is (N, length) or all targets in one row.
    """
    number = reduction_number(reduction)

    def plain(lengths: Tensor | Sequence[int]) -> Any:
        return lengths if isinstance(lengths, Tensor) else tuple(map(int, lengths))

    inputs, labels = plain(input_lengths), plain(target_lengths)
    if isinstance(inputs, Tensor) != isinstance(labels, Tensor):
        inputs, labels = (
            each if isinstance(each, Tensor) else ow.tensor(each) for each in (inputs, labels)
        )
    return ops.aten.ctc_loss(log_probs, targets, inputs, labels, blank, number, zero_infinity)

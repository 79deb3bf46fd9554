"""Losses: how far a prediction is from its target, by element or as a mean or sum."""

from ... import Tensor, ops

__all__ = [
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "cosine_embedding_loss",
    "cosine_similarity",
    "cross_entropy",
    "hinge_embedding_loss",
    "huber_loss",
    "kl_div",
    "l1_loss",
    "margin_ranking_loss",
    "mse_loss",
    "nll_loss",
    "smooth_l1_loss",
    "soft_margin_loss",
]

_REDUCTIONS = ("none", "mean", "sum")  # by the number that operators use


def reduction_number(reduction: str) -> int:
    """Return the number that operators use for the name of a reduction."""
    if reduction not in _REDUCTIONS:
        raise ValueError(f"reduction must be 'none', 'mean' or 'sum', got {reduction!r}")
    return _REDUCTIONS.index(reduction)


def read_reduction(size_average: bool | None, reduce: bool | None, reduction: str) -> str:
    """Return the reduction, also from the two flags that it replaced."""
    if size_average is None and reduce is None:
        return reduction
    is_reduced = reduce is None or reduce
    if not is_reduced:
        return "none"
    is_mean = size_average is None or size_average
    return "mean" if is_mean else "sum"


def _number(size_average: bool | None, reduce: bool | None, reduction: str) -> int:
    return reduction_number(read_reduction(size_average, reduce, reduction))


def _weighed(loss: Tensor, weight: Tensor | None, number: int) -> Tensor:
    if weight is not None:
        loss = loss * weight
    return (loss, loss.mean(), loss.sum())[number]


def mse_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    weight: Tensor | None = None,
) -> Tensor:
    """Return the squared difference.

    >>> ow.nn.functional.mse_loss(ow.tensor([1.0, 3.0]), ow.tensor([1.0, 1.0]))
    tensor(2.)
    """
    number = _number(size_average, reduce, reduction)
    if weight is not None:
        return _weighed(ops.aten.mse_loss(input, target, 0), weight, number)
    return ops.aten.mse_loss(input, target, number)


def l1_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    weight: Tensor | None = None,
) -> Tensor:
    """Return the absolute difference.

    >>> ow.nn.functional.l1_loss(ow.tensor([1.0, 3.0]), ow.tensor([1.0, 1.0]))
    tensor(1.)
    """
    number = _number(size_average, reduce, reduction)
    if weight is not None:
        return _weighed(ops.aten.l1_loss(input, target, 0), weight, number)
    return ops.aten.l1_loss(input, target, number)


def smooth_l1_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    beta: float = 1.0,
) -> Tensor:
    """Return the absolute difference, quadratic within beta of zero.

    >>> ow.nn.functional.smooth_l1_loss(ow.tensor([1.0, 3.0]), ow.tensor([1.0, 1.0]))
    tensor(0.7500)
    """
    number = _number(size_average, reduce, reduction)
    if beta == 0:
        return ops.aten.l1_loss(input, target, number)
    return ops.aten.smooth_l1_loss(input, target, number, beta)


def huber_loss(
    input: Tensor,
    target: Tensor,
    reduction: str = "mean",
    delta: float = 1.0,
    weight: Tensor | None = None,
) -> Tensor:
    """Return half the squared difference, linear beyond delta.

    >>> ow.nn.functional.huber_loss(ow.tensor([1.0, 3.0]), ow.tensor([1.0, 1.0]))
    tensor(0.7500)
    """
    number = reduction_number(reduction)
    if weight is not None:
        return _weighed(ops.aten.huber_loss(input, target, 0, delta), weight, number)
    return ops.aten.huber_loss(input, target, number, delta)


def binary_cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Return the cross entropy of probabilities and targets between 0 and 1.

    >>> ow.nn.functional.binary_cross_entropy(ow.tensor([0.5]), ow.tensor([1.0]))
    tensor(0.6931)
    """
    if input.shape != target.shape:
        raise ValueError(
            f"binary_cross_entropy: input and target must have the same sizes, got "
            f"{list(input.shape)} and {list(target.shape)}"
        )
    number = _number(size_average, reduce, reduction)
    return ops.aten.binary_cross_entropy(input, target, weight, number)


def binary_cross_entropy_with_logits(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    pos_weight: Tensor | None = None,
) -> Tensor:
    """Return the cross entropy of sigmoid(input) and targets between 0 and 1.

    >>> ow.nn.functional.binary_cross_entropy_with_logits(ow.tensor([0.0]), ow.tensor([1.0]))
    tensor(0.6931)
    """
    if input.shape != target.shape:
        raise ValueError(
            f"binary_cross_entropy_with_logits: input and target must have the same sizes, got "
            f"{list(input.shape)} and {list(target.shape)}"
        )
    number = _number(size_average, reduce, reduction)
    return ops.aten.binary_cross_entropy_with_logits(input, target, weight, pos_weight, number)


def nll_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Return the negative log probability of each target class.

    >>> ow.nn.functional.nll_loss(ow.tensor([[-0.5, -1.0]]), ow.tensor([1]))
    tensor(1.)
    """
    number = _number(size_average, reduce, reduction)
    return ops.aten.nll_loss_nd(input, target, weight, number, ignore_index)


def cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:
    """Return the cross entropy of softmax(input) and targets, as classes or probabilities.

    >>> ow.nn.functional.cross_entropy(ow.zeros(1, 2), ow.tensor([1]))
    tensor(0.6931)
    """
    number = _number(size_average, reduce, reduction)
    return ops.aten.cross_entropy_loss(input, target, weight, number, ignore_index, label_smoothing)


def kl_div(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    log_target: bool = False,
) -> Tensor:
    """Return the divergence of log probabilities from targets; 'batchmean' divides by the batch.

    >>> ow.nn.functional.kl_div(ow.zeros(1, 1), ow.ones(1, 1), reduction="batchmean")
    tensor(0.)
    """
    reduction = read_reduction(size_average, reduce, reduction)
    is_by_batch = reduction == "batchmean"
    number = reduction_number("sum" if is_by_batch else reduction)
    loss = ops.aten.kl_div(input, target, number, log_target=log_target)
    return loss / input.shape[0] if is_by_batch and input.ndim > 0 else loss


def cosine_similarity(x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-8) -> Tensor:
    """Return the cosine of the angle between vectors.

    >>> ow.nn.functional.cosine_similarity(ow.ones(1, 2), ow.ones(1, 2))
    tensor([1.0000])
    """
    return ops.aten.cosine_similarity(x1, x2, dim, eps)


def soft_margin_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Return log(1 + exp(-target * input)), where targets are 1 or -1.

    >>> ow.nn.functional.soft_margin_loss(ow.zeros(1), ow.ones(1))
    tensor(0.6931)
    """
    number = _number(size_average, reduce, reduction)
    return ops.aten.soft_margin_loss(input, target, number)


def hinge_embedding_loss(
    input: Tensor,
    target: Tensor,
    margin: float = 1.0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Return the input where the target is 1, and max(0, margin - input) where it is -1.

    >>> ow.nn.functional.hinge_embedding_loss(ow.tensor([0.25]), ow.tensor([-1.0]))
    tensor(0.7500)
    """
    number = _number(size_average, reduce, reduction)
    return ops.aten.hinge_embedding_loss(input, target, margin, number)


def margin_ranking_loss(
    input1: Tensor,
    input2: Tensor,
    target: Tensor,
    margin: float = 0.0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Return max(0, -target * (input1 - input2) + margin), where targets are 1 or -1.

    >>> ow.nn.functional.margin_ranking_loss(ow.zeros(1), ow.ones(1), ow.ones(1))
    tensor(1.)
    """
    number = _number(size_average, reduce, reduction)
    return ops.aten.margin_ranking_loss(input1, input2, target, margin, number)


def cosine_embedding_loss(
    input1: Tensor,
    input2: Tensor,
    target: Tensor,
    margin: float = 0.0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Return 1 - cosine where the target is 1, and max(0, cosine - margin) where it is -1.

    >>> F = ow.nn.functional
    >>> F.cosine_embedding_loss(ow.ones(1, 2), -ow.ones(1, 2), ow.tensor([-1.0]))
    tensor(0.)
    """
    number = _number(size_average, reduce, reduction)
    return ops.aten.cosine_embedding_loss(input1, input2, target, margin, number)

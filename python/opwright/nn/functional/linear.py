"""Linear maps, embeddings and attention."""

from ... import Tensor, ops

__all__ = [
    "bilinear",
    "embedding",
    "embedding_bag",
    "linear",
    "one_hot",
    "scaled_dot_product_attention",
]


def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """Return input @ weight.T + bias.

    >>> ow.nn.functional.linear(ow.ones(1, 2), ow.tensor([[1.0, 2.0]]), ow.tensor([0.5]))
    tensor([[3.5000]])
    """
    return ops.aten.linear(input, weight, bias)


def embedding(
    input: Tensor,
    weight: Tensor,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Tensor:
    """Return the rows of `weight` indexed by `input`.

    >>> ow.nn.functional.embedding(ow.tensor([1, 0]), ow.tensor([[1.0], [2.0]]))
    tensor([[2.],
            [1.]])

    The row `padding_idx` gets no gradient. With `max_norm`, used rows with a larger norm are first
    scaled down, in `weight` itself.
    """
    count = weight.shape[0]
    if padding_idx is None:
        padding_idx = -1
    elif not -count <= padding_idx < count:
        raise ValueError(
            f"embedding: padding_idx must be within the {count} rows of weight, got {padding_idx}"
        )
    elif padding_idx < 0:
        padding_idx += count
    if max_norm is not None:
        _shorten_rows(weight, input, max_norm, norm_type)
    return ops.aten.embedding(weight, input, padding_idx, scale_grad_by_freq, sparse)


def _shorten_rows(weight: Tensor, used: Tensor, max_norm: float, norm_type: float) -> None:
    ops.aten.embedding_renorm_(weight.detach(), used.detach(), max_norm, norm_type)


_BAG_MODES = ("sum", "mean", "max")  # by the number that operators use


def embedding_bag(
    input: Tensor,
    weight: Tensor,
    offsets: Tensor | None = None,
    max_norm: float | None = None,
    norm_type: float = 2,
    scale_grad_by_freq: bool = False,
    mode: str = "mean",
    sparse: bool = False,
    per_sample_weights: Tensor | None = None,
    include_last_offset: bool = False,
    padding_idx: int | None = None,
) -> Tensor:
    """Return the sum, mean or maximum of the rows of `weight` in each bag of indices.

    >>> table = ow.tensor([[1.0], [2.0], [4.0]])
    >>> ow.nn.functional.embedding_bag(ow.tensor([[0, 1], [2, 2]]), table, mode="sum")
    tensor([[3.],
            [8.]])

    A matrix has a bag in each row; in a vector the bags begin at `offsets`.
    """
    if mode not in _BAG_MODES:
        raise ValueError(f"embedding_bag: mode must be one of {_BAG_MODES}, got {mode!r}")
    if per_sample_weights is not None and per_sample_weights.shape != input.shape:
        raise ValueError(
            f"embedding_bag: per_sample_weights must have the sizes of input {list(input.shape)}, "
            f"got {list(per_sample_weights.shape)}"
        )
    if per_sample_weights is not None and mode != "sum":
        raise NotImplementedError(
            f"embedding_bag: per_sample_weights are for mode 'sum' alone, got {mode!r}"
        )
    if mode == "max" and (scale_grad_by_freq or sparse):
        raise ValueError("embedding_bag: mode 'max' has no scale_grad_by_freq and no sparse")
    input, offsets, per_sample_weights = _bags_of(input, offsets, per_sample_weights)
    if max_norm is not None:
        _shorten_rows(weight, input, max_norm, norm_type)
    results = ops.aten.embedding_bag.padding_idx(
        weight,
        input,
        offsets,
        scale_grad_by_freq,
        _BAG_MODES.index(mode),
        sparse,
        per_sample_weights,
        include_last_offset,
        padding_idx,
    )
    return results[0]


def _bags_of(
    input: Tensor, offsets: Tensor | None, per_sample_weights: Tensor | None
) -> tuple[Tensor, Tensor, Tensor | None]:
    """Return the indices as a vector, where its bags begin, and the weights as a vector."""
    if input.ndim == 1:
        if offsets is None or offsets.ndim != 1:
            raise ValueError("embedding_bag: offsets must be a vector if input is one")
        return input, offsets, per_sample_weights
    if input.ndim != 2:
        raise ValueError(
            f"embedding_bag: input must have 1 or 2 dimensions, got {list(input.shape)}"
        )
    if offsets is not None:
        raise ValueError("embedding_bag: offsets are not for a matrix, whose rows are the bags")
    width = input.shape[1]
    begins = ops.aten.arange(input.shape[0], dtype=input.dtype, device=input.device) * width
    weights = None if per_sample_weights is None else per_sample_weights.reshape(-1)
    return input.reshape(-1), begins, weights


def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """Return input1 @ weight[k] @ input2 + bias[k] for each output k.

    >>> x = ow.ones(1, 2)
    >>> ow.nn.functional.bilinear(x, x, ow.ones(1, 2, 2), ow.tensor([0.5]))
    tensor([[4.5000]])
    """
    return ops.aten.bilinear(input1, input2, weight, bias)


def one_hot(tensor: Tensor, num_classes: int = -1) -> Tensor:
    """Return 1 at the index given by each int, 0 elsewhere.

    >>> ow.nn.functional.one_hot(ow.tensor([1, 0]), 3)
    tensor([[0, 1, 0],
            [1, 0, 0]])
    """
    return ops.aten.one_hot(tensor, num_classes)


def scaled_dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Tensor:
    """Return softmax(query @ key.T * scale + mask) @ value.

    >>> x = ow.ones(1, 2, 4)
    >>> ow.nn.functional.scaled_dot_product_attention(x, x, x).shape
    (1, 2, 4)
    """
    return ops.aten.scaled_dot_product_attention(
        query, key, value, attn_mask, dropout_p, is_causal, scale=scale, enable_gqa=enable_gqa
    )

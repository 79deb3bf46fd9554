"""Linear maps, embeddings and attention."""

from __future__ import annotations

from ... import Tensor, ops

__all__ = ["embedding", "linear", "one_hot", "scaled_dot_product_attention"]


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
    table = weight.detach()
    indices = used.detach().reshape(-1)
    rows = table.index_select(0, indices)
    norms = rows.abs().pow(norm_type).sum(1, True).pow(1 / norm_type)
    scale = ops.aten.where(norms > max_norm, max_norm / (norms + 1e-7), norms.new_ones(()))
    table[indices] = rows * scale


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

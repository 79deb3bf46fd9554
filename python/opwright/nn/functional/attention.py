"""Multi-head attention, as one function of tensors and weights."""

import math
from collections.abc import Sequence

import opwright as ow

from ... import Tensor
from .activation import softmax
from .linear import linear, scaled_dot_product_attention
from .normalization import dropout
from .shape import pad

__all__ = ["multi_head_attention_forward"]


def multi_head_attention_forward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    embed_dim_to_check: int,
    num_heads: int,
    in_proj_weight: Tensor | None,
    in_proj_bias: Tensor | None,
    bias_k: Tensor | None,
    bias_v: Tensor | None,
    add_zero_attn: bool,
    dropout_p: float,
    out_proj_weight: Tensor,
    out_proj_bias: Tensor | None,
    training: bool = True,
    key_padding_mask: Tensor | None = None,
    need_weights: bool = True,
    attn_mask: Tensor | None = None,
    use_separate_proj_weight: bool = False,
    q_proj_weight: Tensor | None = None,
    k_proj_weight: Tensor | None = None,
    v_proj_weight: Tensor | None = None,
    static_k: Tensor | None = None,
    static_v: Tensor | None = None,
    average_attn_weights: bool = True,
    is_causal: bool = False,
) -> tuple[Tensor, Tensor | None]:
    """Return the output of multi-head attention and, with `need_weights`, the weights.

    Inputs are (L, N, E), or (L, E) without a batch; the other arguments are those of
    `nn.MultiheadAttention`. `static_k` and `static_v`, (N * heads, S, head size), replace the
    projected keys and values.

    >>> x = ow.ones(3, 1, 4)
    >>> given = (ow.ones(12, 4), ow.zeros(12), None, None, False, 0.0, ow.eye(4), ow.zeros(4))
    >>> output, weights = ow.nn.functional.multi_head_attention_forward(x, x, x, 4, 2, *given)
    >>> output.shape, weights.shape
    ((3, 1, 4), (1, 3, 3))
    """
    name = "multi_head_attention_forward"
    if is_causal and attn_mask is None:
        raise RuntimeError(f"{name}: is_causal needs attn_mask too")
    kdim, vdim = key.shape[-1], value.shape[-1]
    sizes = (embed_dim_to_check, kdim, vdim)
    if not use_separate_proj_weight:
        sizes = (embed_dim_to_check,) * 3
    is_batched = check_attention_inputs(name, query, key, value, sizes)
    if embed_dim_to_check % num_heads:
        raise AssertionError(
            f"{name}: the last size of query must be divisible by num_heads, got "
            f"{embed_dim_to_check} and {num_heads}"
        )
    if use_separate_proj_weight:
        apart = [q_proj_weight, k_proj_weight, v_proj_weight]
        projections = [each for each in apart if each is not None]
    else:
        projections = [] if in_proj_weight is None else list(in_proj_weight.chunk(3))
    if len(projections) != 3:
        wanted = "q_proj_weight, k_proj_weight and v_proj_weight"
        raise AssertionError(
            f"{name}: {wanted if use_separate_proj_weight else 'in_proj_weight'} must be given"
        )
    inputs = [each if is_batched else each.unsqueeze(1) for each in (query, key, value)]
    if key_padding_mask is not None and not is_batched:
        key_padding_mask = key_padding_mask.unsqueeze(0)
    heads, weights = attend(
        name,
        [each.transpose(0, 1) for each in inputs],
        projections,
        in_proj_bias,
        num_heads,
        (bias_k, bias_v),
        add_zero_attn,
        dropout_p if training else 0.0,
        key_padding_mask,
        attn_mask,
        need_weights,
        (static_k, static_v),
    )
    output = linear(heads, out_proj_weight, out_proj_bias).transpose(0, 1)
    if weights is not None and average_attn_weights:
        weights = weights.mean(1)
    if is_batched:
        return output, weights
    return output.squeeze(1), None if weights is None else weights.squeeze(0)


def attend(
    name: str,
    inputs: Sequence[Tensor],
    projections: Sequence[Tensor],
    projection_bias: Tensor | None,
    num_heads: int,
    extra_key_value: tuple[Tensor | None, Tensor | None],
    add_zero_attn: bool,
    dropout_p: float,
    key_padding_mask: Tensor | None,
    attn_mask: Tensor | None,
    need_weights: bool,
    static_key_value: tuple[Tensor | None, Tensor | None] = (None, None),
) -> tuple[Tensor, Tensor | None]:
    """Return the joined heads (N, L, E) and the weights (N, heads, L, S) of inputs (N, L, E)."""
    if static_key_value[0] is None:  # else the length of the keys is that of static_k
        _check_masks(name, num_heads, inputs, key_padding_mask, attn_mask)
    q, k, v = _project(inputs, projections, projection_bias)
    mask = _merged_mask(q, num_heads, key_padding_mask, attn_mask)
    bias_k, bias_v = extra_key_value
    if bias_k is not None and bias_v is not None:
        k = ow.cat([k, bias_k.expand(k.shape[0], 1, -1)], 1)
        v = ow.cat([v, bias_v.expand(v.shape[0], 1, -1)], 1)
    if add_zero_attn:
        k, v = (pad(each, (0, 0, 0, 1)) for each in (k, v))
    extra = int(bias_k is not None) + int(add_zero_attn)
    if mask is not None and extra:
        mask = pad(mask, (0, extra))
    q, k, v = (_split_heads(each, num_heads) for each in (q, k, v))
    static_k, static_v = static_key_value
    k = k if static_k is None else static_k.unflatten(0, (q.shape[0], num_heads))
    v = v if static_v is None else static_v.unflatten(0, (q.shape[0], num_heads))
    weights = None
    if need_weights:
        scores = (q * (1 / math.sqrt(q.shape[-1]))) @ k.transpose(-2, -1)
        weights = softmax(scores if mask is None else scores + mask, -1)
        weights = dropout(weights, dropout_p, dropout_p > 0)
        heads = weights @ v
    else:
        heads = scaled_dot_product_attention(q, k, v, mask, dropout_p)
    return heads.transpose(1, 2).flatten(2), weights


def _project(
    inputs: Sequence[Tensor], projections: Sequence[Tensor], bias: Tensor | None
) -> list[Tensor]:
    biases = [None] * 3 if bias is None else list(bias.chunk(3))
    return [
        linear(each, weight, own)
        for each, weight, own in zip(inputs, projections, biases, strict=True)
    ]


def _merged_mask(
    q: Tensor, num_heads: int, key_padding_mask: Tensor | None, attn_mask: Tensor | None
) -> Tensor | None:
    """Return both masks as numbers to add to scores (N, heads, L, S)."""
    mask = None
    if attn_mask is not None:
        mask = as_numbers(attn_mask, q)
        if mask.ndim == 3:
            mask = mask.unflatten(0, (q.shape[0], num_heads))
    if key_padding_mask is not None:
        padding = as_numbers(key_padding_mask, q)[:, None, None, :]
        mask = padding if mask is None else mask + padding
    return mask


def _split_heads(x: Tensor, num_heads: int) -> Tensor:
    """Reshape (N, L, E) to (N, heads, L, head size)."""
    return x.unflatten(-1, (num_heads, x.shape[-1] // num_heads)).transpose(1, 2)


def as_numbers(mask: Tensor, like: Tensor) -> Tensor:
    """Return the values to add to scores: for bools, minus infinity where they are True."""
    if mask.dtype == ow.bool:
        zeros = ow.zeros(mask.shape, dtype=like.dtype, device=like.device)
        return zeros.masked_fill(mask, -math.inf)
    if not mask.is_floating_point():
        raise AssertionError(
            f"attention: a mask must be of bools or floating numbers, got {mask.dtype}"
        )
    return mask


def check_attention_inputs(
    name: str, query: Tensor, key: Tensor, value: Tensor, sizes: tuple[int, int, int]
) -> bool:
    """Check dimensions and last sizes; return whether there is a batch."""
    shown = ", ".join(str(list(each.shape)) for each in (query, key, value))
    if query.ndim not in (2, 3) or key.ndim != query.ndim or value.ndim != query.ndim:
        raise AssertionError(
            f"{name}: query, key and value must all have 2 or all 3 dimensions, got sizes {shown}"
        )
    if (query.shape[-1], key.shape[-1], value.shape[-1]) != sizes:
        raise AssertionError(
            f"{name}: the last sizes of query, key and value must be "
            f"{sizes[0]}, {sizes[1]} and {sizes[2]}, got sizes {shown}"
        )
    return query.ndim == 3


def _check_masks(
    name: str,
    num_heads: int,
    inputs: Sequence[Tensor],
    key_padding_mask: Tensor | None,
    attn_mask: Tensor | None,
) -> None:
    query, key, _ = inputs
    batch, length, keys = query.shape[0], query.shape[1], key.shape[1]
    if key_padding_mask is not None and list(key_padding_mask.shape) != [batch, keys]:
        raise AssertionError(
            f"{name}: key_padding_mask must have sizes {[batch, keys]}, "
            f"got {list(key_padding_mask.shape)}"
        )
    allowed = [[length, keys], [batch * num_heads, length, keys]]
    if attn_mask is not None and list(attn_mask.shape) not in allowed:
        raise RuntimeError(
            f"{name}: attn_mask must have sizes {allowed[0]} or {allowed[1]}, "
            f"got {list(attn_mask.shape)}"
        )

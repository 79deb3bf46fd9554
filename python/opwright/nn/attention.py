"""Multi-head attention."""

from __future__ import annotations

import math

import opwright as ow

from .. import Tensor
from . import functional as F
from . import init
from .linear import NonDynamicallyQuantizableLinear
from .module import Module
from .parameter import Parameter
from .types import DeviceLike

__all__ = ["MultiheadAttention"]


class MultiheadAttention(Module):
    """Multi-head attention with input and output projections.

    >>> layer = ow.nn.MultiheadAttention(4, num_heads=2, batch_first=True)
    >>> x = ow.ones(1, 3, 4)
    >>> output, weights = layer(x, x, x)
    >>> output.shape, weights.shape
    ((1, 3, 4), (1, 3, 3))

    Masks are bools, where True hides a position, or numbers that are added to the scores.
    """

    in_proj_weight: Parameter | None
    q_proj_weight: Parameter | None
    k_proj_weight: Parameter | None
    v_proj_weight: Parameter | None
    in_proj_bias: Parameter | None
    bias_k: Parameter | None
    bias_v: Parameter | None
    out_proj: NonDynamicallyQuantizableLinear

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        dropout: float = 0.0,
        bias: bool = True,
        add_bias_kv: bool = False,
        add_zero_attn: bool = False,
        kdim: int | None = None,
        vdim: int | None = None,
        batch_first: bool = False,
        device: DeviceLike | None = None,
        dtype: ow.dtype | None = None,
    ) -> None:
        super().__init__()
        if embed_dim <= 0 or num_heads <= 0:
            raise ValueError(
                "MultiheadAttention: embed_dim and num_heads must be positive, got "
                f"{embed_dim} and {num_heads}"
            )
        if embed_dim % num_heads:
            raise ValueError(
                "MultiheadAttention: embed_dim must be divisible by num_heads, got "
                f"{embed_dim} and {num_heads}"
            )
        self.embed_dim = embed_dim
        self.kdim = embed_dim if kdim is None else kdim
        self.vdim = embed_dim if vdim is None else vdim
        self.num_heads = num_heads
        self.head_dim = embed_dim // num_heads
        self.dropout = dropout
        self.batch_first = batch_first
        self.add_zero_attn = add_zero_attn

        def make(*sizes: int) -> Parameter:
            return Parameter(ow.empty(sizes, device=device, dtype=dtype))

        is_joined = self.kdim == embed_dim and self.vdim == embed_dim
        self.register_parameter("in_proj_weight", None)
        self.register_parameter("q_proj_weight", None)
        self.register_parameter("k_proj_weight", None)
        self.register_parameter("v_proj_weight", None)
        if is_joined:
            self.in_proj_weight = make(3 * embed_dim, embed_dim)
        else:
            self.q_proj_weight = make(embed_dim, embed_dim)
            self.k_proj_weight = make(embed_dim, self.kdim)
            self.v_proj_weight = make(embed_dim, self.vdim)
        self.register_parameter("in_proj_bias", make(3 * embed_dim) if bias else None)
        self.out_proj = NonDynamicallyQuantizableLinear(
            embed_dim, embed_dim, bias=bias, device=device, dtype=dtype
        )
        self.register_parameter("bias_k", make(1, 1, embed_dim) if add_bias_kv else None)
        self.register_parameter("bias_v", make(1, 1, embed_dim) if add_bias_kv else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        joined = [self.in_proj_weight]
        for weight in [*joined, self.q_proj_weight, self.k_proj_weight, self.v_proj_weight]:
            if weight is not None:
                init.xavier_uniform_(weight)
        for bias in (self.in_proj_bias, self.out_proj.bias):
            if bias is not None:
                init.zeros_(bias)
        for extra in (self.bias_k, self.bias_v):
            if extra is not None:
                init.xavier_normal_(extra)

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        key_padding_mask: Tensor | None = None,
        need_weights: bool = True,
        attn_mask: Tensor | None = None,
        average_attn_weights: bool = True,
        is_causal: bool = False,
    ) -> tuple[Tensor, Tensor | None]:
        """Return the output and, with `need_weights`, the weights, per head unless averaged.

        Inputs are (L, N, E), (N, L, E) with `batch_first`, or (L, E) without a batch.
        `key_padding_mask` is (N, S); `attn_mask` is (L, S) or (N * heads, L, S). `is_causal` states
        that the given `attn_mask` is causal, and requires it.
        """
        if is_causal and attn_mask is None:
            raise RuntimeError("MultiheadAttention: is_causal needs attn_mask too")
        is_batched = self._check_inputs(query, key, value)
        if not is_batched:
            query, key, value = (each.unsqueeze(0) for each in (query, key, value))
            if key_padding_mask is not None:
                key_padding_mask = key_padding_mask.unsqueeze(0)
        elif not self.batch_first:
            query, key, value = (each.transpose(0, 1) for each in (query, key, value))
        self._check_masks(query, key, key_padding_mask, attn_mask)

        q, k, v = self._project(query, key, value)
        mask = self._merged_mask(q, key_padding_mask, attn_mask)
        k, v, mask = self._with_extra_keys(k, v, mask)
        q, k, v = (self._split_heads(each) for each in (q, k, v))
        weights = None
        if need_weights:
            weights = F.dropout(self._weights(q, k, mask), self.dropout, self.training)
            heads = weights @ v
            weights = weights.mean(1) if average_attn_weights else weights
        else:
            dropout = self.dropout if self.training else 0.0
            heads = F.scaled_dot_product_attention(q, k, v, mask, dropout)
        output = self.out_proj(heads.transpose(1, 2).flatten(2))
        if not is_batched:
            return output.squeeze(0), None if weights is None else weights.squeeze(0)
        return output if self.batch_first else output.transpose(0, 1), weights

    # ---- Parts; everything is (N, L, E) ----

    def _project(self, query: Tensor, key: Tensor, value: Tensor) -> list[Tensor]:
        if self.in_proj_weight is not None:
            weights = list(self.in_proj_weight.chunk(3))
        else:
            apart = (self.q_proj_weight, self.k_proj_weight, self.v_proj_weight)
            weights = [each for each in apart if each is not None]
        biases: list[Tensor | None] = [None] * 3
        if self.in_proj_bias is not None:
            biases = list(self.in_proj_bias.chunk(3))
        inputs = (query, key, value)
        return [
            F.linear(each, weight, bias)
            for each, weight, bias in zip(inputs, weights, biases, strict=True)
        ]

    def _merged_mask(
        self, q: Tensor, key_padding_mask: Tensor | None, attn_mask: Tensor | None
    ) -> Tensor | None:
        """Return both masks as numbers to add to scores (N, heads, L, S)."""
        mask = None
        if attn_mask is not None:
            mask = _as_numbers(attn_mask, q)
            if mask.ndim == 3:
                mask = mask.unflatten(0, (q.shape[0], self.num_heads))
        if key_padding_mask is not None:
            padding = _as_numbers(key_padding_mask, q)[:, None, None, :]
            mask = padding if mask is None else mask + padding
        return mask

    def _with_extra_keys(
        self, k: Tensor, v: Tensor, mask: Tensor | None
    ) -> tuple[Tensor, Tensor, Tensor | None]:
        """Add the learned key and the zero key, which no mask hides."""
        extra = 0
        if self.bias_k is not None and self.bias_v is not None:
            batch = k.shape[0]
            k = ow.cat([k, self.bias_k.expand(batch, 1, -1)], 1)
            v = ow.cat([v, self.bias_v.expand(batch, 1, -1)], 1)
            extra += 1
        if self.add_zero_attn:
            k, v = (F.pad(each, (0, 0, 0, 1)) for each in (k, v))
            extra += 1
        return k, v, F.pad(mask, (0, extra)) if mask is not None and extra else mask

    def _split_heads(self, x: Tensor) -> Tensor:
        """Reshape (N, L, E) to (N, heads, L, head_dim)."""
        return x.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)

    def _weights(self, q: Tensor, k: Tensor, mask: Tensor | None) -> Tensor:
        scores = (q * (1 / math.sqrt(self.head_dim))) @ k.transpose(-2, -1)
        return F.softmax(scores if mask is None else scores + mask, -1)

    # ---- Checks ----

    def _check_inputs(self, query: Tensor, key: Tensor, value: Tensor) -> bool:
        shown = ", ".join(str(list(each.shape)) for each in (query, key, value))
        if query.ndim not in (2, 3) or key.ndim != query.ndim or value.ndim != query.ndim:
            raise AssertionError(
                "MultiheadAttention: query, key and value must all have 2 or all 3 dimensions, "
                f"got sizes {shown}"
            )
        sizes = (query.shape[-1], key.shape[-1], value.shape[-1])
        if sizes != (self.embed_dim, self.kdim, self.vdim):
            raise AssertionError(
                "MultiheadAttention: the last sizes of query, key and value must be "
                f"{self.embed_dim}, {self.kdim} and {self.vdim}, got sizes {shown}"
            )
        return query.ndim == 3

    def _check_masks(
        self,
        query: Tensor,
        key: Tensor,
        key_padding_mask: Tensor | None,
        attn_mask: Tensor | None,
    ) -> None:
        batch, length, keys = query.shape[0], query.shape[1], key.shape[1]
        if key_padding_mask is not None and list(key_padding_mask.shape) != [batch, keys]:
            raise AssertionError(
                f"MultiheadAttention: key_padding_mask must have sizes {[batch, keys]}, "
                f"got {list(key_padding_mask.shape)}"
            )
        allowed = [[length, keys], [batch * self.num_heads, length, keys]]
        if attn_mask is not None and list(attn_mask.shape) not in allowed:
            raise RuntimeError(
                f"MultiheadAttention: attn_mask must have sizes {allowed[0]} or {allowed[1]}, "
                f"got {list(attn_mask.shape)}"
            )


def _as_numbers(mask: Tensor, like: Tensor) -> Tensor:
    """Return the values to add to scores: for bools, minus infinity where they are True."""
    if mask.dtype == ow.bool:
        zeros = ow.zeros(mask.shape, dtype=like.dtype, device=like.device)
        return zeros.masked_fill(mask, -math.inf)
    if not mask.is_floating_point():
        raise AssertionError(
            f"MultiheadAttention: a mask must be of bools or floating numbers, got {mask.dtype}"
        )
    return mask

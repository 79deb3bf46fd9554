"""Multi-head attention."""

from __future__ import annotations

import opwright as ow

from .. import Tensor
from . import init
from .functional.attention import attend, check_attention_inputs
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
        is_batched = check_attention_inputs(
            "MultiheadAttention", query, key, value, (self.embed_dim, self.kdim, self.vdim)
        )
        if not is_batched:
            query, key, value = (each.unsqueeze(0) for each in (query, key, value))
            if key_padding_mask is not None:
                key_padding_mask = key_padding_mask.unsqueeze(0)
        elif not self.batch_first:
            query, key, value = (each.transpose(0, 1) for each in (query, key, value))
        heads, weights = attend(
            "MultiheadAttention",
            (query, key, value),
            self._projections(),
            self.in_proj_bias,
            self.num_heads,
            (self.bias_k, self.bias_v),
            self.add_zero_attn,
            self.dropout if self.training else 0.0,
            key_padding_mask,
            attn_mask,
            need_weights,
        )
        if weights is not None and average_attn_weights:
            weights = weights.mean(1)
        output = self.out_proj(heads)
        if not is_batched:
            return output.squeeze(0), None if weights is None else weights.squeeze(0)
        return output if self.batch_first else output.transpose(0, 1), weights

    def _projections(self) -> list[Tensor]:
        if self.in_proj_weight is not None:
            return list(self.in_proj_weight.chunk(3))
        apart = (self.q_proj_weight, self.k_proj_weight, self.v_proj_weight)
        return [each for each in apart if each is not None]

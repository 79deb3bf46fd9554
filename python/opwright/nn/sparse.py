"""Embedding and EmbeddingBag: tables of vectors."""

from __future__ import annotations

from typing import Self

import opwright as ow

from .. import Tensor
from . import functional as F
from . import init
from .module import Module
from .parameter import Parameter
from .types import DeviceLike

__all__ = ["Embedding", "EmbeddingBag"]


class Embedding(Module):
    """A table of vectors; the input selects rows.

    >>> layer = ow.nn.Embedding.from_pretrained(ow.tensor([[1.0, 2.0], [3.0, 4.0]]))
    >>> layer(ow.tensor([1]))
    tensor([[3., 4.]])
    >>> layer
    Embedding(2, 2)

    The row `padding_idx` is initialized to zero and gets no gradient.
    """

    weight: Parameter

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
        _weight: Tensor | None = None,
        _freeze: bool = False,
        device: DeviceLike | None = None,
        dtype: ow.dtype | None = None,
    ) -> None:
        super().__init__()
        if padding_idx is not None:
            if not -num_embeddings <= padding_idx < num_embeddings:
                raise ValueError(
                    f"Embedding: padding_idx must be within the {num_embeddings} rows, "
                    f"got {padding_idx}"
                )
            padding_idx %= num_embeddings
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        self.padding_idx = padding_idx
        self.max_norm = max_norm
        self.norm_type = norm_type
        self.scale_grad_by_freq = scale_grad_by_freq
        self.sparse = sparse
        if _weight is None:
            values = ow.empty(num_embeddings, embedding_dim, device=device, dtype=dtype)
            self.weight = Parameter(values, requires_grad=not _freeze)
            self.reset_parameters()
        else:
            if list(_weight.shape) != [num_embeddings, embedding_dim]:
                raise ValueError(
                    f"Embedding: the weight must have sizes [{num_embeddings}, {embedding_dim}], "
                    f"got {list(_weight.shape)}"
                )
            self.weight = Parameter(_weight, requires_grad=not _freeze)

    @classmethod
    def from_pretrained(
        cls,
        embeddings: Tensor,
        freeze: bool = True,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
    ) -> Self:
        """Create an Embedding that shares the memory of a table."""
        if embeddings.ndim != 2:
            raise ValueError(
                f"from_pretrained: the table must have 2 dimensions, got {list(embeddings.shape)}"
            )
        rows, columns = embeddings.shape
        return cls(
            rows,
            columns,
            padding_idx,
            max_norm,
            norm_type,
            scale_grad_by_freq,
            sparse,
            _weight=embeddings,
            _freeze=freeze,
        )

    def reset_parameters(self) -> None:
        init.normal_(self.weight)
        if self.padding_idx is not None:
            self.weight.detach()[self.padding_idx].fill_(0)

    def forward(self, input: Tensor) -> Tensor:
        return F.embedding(
            input,
            self.weight,
            self.padding_idx,
            self.max_norm,
            self.norm_type,
            self.scale_grad_by_freq,
            self.sparse,
        )

    def extra_repr(self) -> str:
        shown = {
            "padding_idx": (self.padding_idx, None),
            "max_norm": (self.max_norm, None),
            "norm_type": (self.norm_type, 2),
            "scale_grad_by_freq": (self.scale_grad_by_freq, False),
        }
        parts = [str(self.num_embeddings), str(self.embedding_dim)]
        parts += [f"{name}={value}" for name, (value, usual) in shown.items() if value != usual]
        return ", ".join(parts + (["sparse=True"] if self.sparse else []))


class EmbeddingBag(Module):
    """A table of vectors; the input selects bags of rows, which are averaged or summed.

    >>> table = ow.tensor([[1.0], [2.0], [4.0]])
    >>> layer = ow.nn.EmbeddingBag.from_pretrained(table, mode="sum")
    >>> layer(ow.tensor([0, 1, 2]), ow.tensor([0, 2]))
    tensor([[3.],
            [4.]])
    >>> layer
    EmbeddingBag(3, 1, mode='sum')

    `mode` is mean, sum or max. The row `padding_idx` does not count.
    """

    weight: Parameter

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        mode: str = "mean",
        sparse: bool = False,
        _weight: Tensor | None = None,
        include_last_offset: bool = False,
        padding_idx: int | None = None,
        device: DeviceLike | None = None,
        dtype: ow.dtype | None = None,
    ) -> None:
        super().__init__()
        if padding_idx is not None:
            if not -num_embeddings <= padding_idx < num_embeddings:
                raise ValueError(
                    f"EmbeddingBag: padding_idx must be within the {num_embeddings} rows, "
                    f"got {padding_idx}"
                )
            padding_idx %= num_embeddings
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        self.max_norm = max_norm
        self.norm_type = norm_type
        self.scale_grad_by_freq = scale_grad_by_freq
        self.padding_idx = padding_idx
        if _weight is None:
            self.weight = Parameter(
                ow.empty(num_embeddings, embedding_dim, device=device, dtype=dtype)
            )
            self.reset_parameters()
        else:
            if list(_weight.shape) != [num_embeddings, embedding_dim]:
                raise ValueError(
                    f"EmbeddingBag: the weight must have sizes [{num_embeddings}, {embedding_dim}],"
                    f" got {list(_weight.shape)}"
                )
            self.weight = Parameter(_weight)
        self.mode = mode
        self.sparse = sparse
        self.include_last_offset = include_last_offset

    @classmethod
    def from_pretrained(
        cls,
        embeddings: Tensor,
        freeze: bool = True,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        mode: str = "mean",
        sparse: bool = False,
        include_last_offset: bool = False,
        padding_idx: int | None = None,
    ) -> Self:
        """Create an EmbeddingBag that shares the memory of a table."""
        if embeddings.ndim != 2:
            raise ValueError(
                f"from_pretrained: the table must have 2 dimensions, got {list(embeddings.shape)}"
            )
        rows, columns = embeddings.shape
        layer = cls(
            rows,
            columns,
            max_norm,
            norm_type,
            scale_grad_by_freq,
            mode,
            sparse,
            embeddings,
            include_last_offset,
            padding_idx,
        )
        layer.weight.requires_grad = not freeze
        return layer

    def reset_parameters(self) -> None:
        init.normal_(self.weight)
        if self.padding_idx is not None:
            self.weight.detach()[self.padding_idx].fill_(0)

    def forward(
        self,
        input: Tensor,
        offsets: Tensor | None = None,
        per_sample_weights: Tensor | None = None,
    ) -> Tensor:
        return F.embedding_bag(
            input,
            self.weight,
            offsets,
            self.max_norm,
            self.norm_type,
            self.scale_grad_by_freq,
            self.mode,
            self.sparse,
            per_sample_weights,
            self.include_last_offset,
            self.padding_idx,
        )

    def extra_repr(self) -> str:
        shown = {
            "max_norm": (self.max_norm, None),
            "norm_type": (self.norm_type, 2),
            "scale_grad_by_freq": (self.scale_grad_by_freq, False),
            "mode": (self.mode, None),
            "padding_idx": (self.padding_idx, None),
        }
        parts = [str(self.num_embeddings), str(self.embedding_dim)]
        parts += [f"{name}={value!r}" for name, (value, usual) in shown.items() if value != usual]
        return ", ".join(parts)

"""Adaptive softmax: log probabilities of many classes, with rare classes in clusters."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import opwright as ow

from .. import Tensor
from . import functional as F
from .container import ModuleList, Sequential
from .linear import Linear
from .module import Module
from .types import DeviceLike

__all__ = ["AdaptiveLogSoftmaxWithLoss"]


class _Result(NamedTuple):
    output: Tensor
    loss: Tensor


class AdaptiveLogSoftmaxWithLoss(Module):
    """The log probabilities of targets among classes that are sorted by frequency.

    >>> layer = ow.nn.AdaptiveLogSoftmaxWithLoss(8, 20, [5, 10])
    >>> layer(ow.ones(3, 8), ow.tensor([0, 7, 19])).output.shape
    (3,)
    >>> layer.log_prob(ow.ones(3, 8)).shape
    (3, 20)

    Classes below the first of `cutoffs` are in the head; each later range is a cluster with a
    smaller projection.
    """

    def __init__(
        self,
        in_features: int,
        n_classes: int,
        cutoffs: Sequence[int],
        div_value: float = 4.0,
        head_bias: bool = False,
        device: DeviceLike | None = None,
        dtype: ow.dtype | None = None,
    ) -> None:
        super().__init__()
        given = [int(each) for each in cutoffs]
        bounds = [0, *given, n_classes]
        if not given or any(low >= high for low, high in pairwise(bounds)):
            raise ValueError(
                "AdaptiveLogSoftmaxWithLoss: cutoffs must be unique, ascending and between 1 and "
                f"{n_classes - 1}, got {list(cutoffs)}"
            )
        self.in_features = in_features
        self.n_classes = n_classes
        self.cutoffs = [*given, n_classes]
        self.div_value = div_value
        self.head_bias = head_bias
        self.shortlist_size = given[0]
        self.n_clusters = len(given)
        self.head_size = self.shortlist_size + self.n_clusters
        self.head = Linear(in_features, self.head_size, head_bias, device, dtype)
        self.tail = ModuleList()
        for i, (low, high) in enumerate(pairwise(self.cutoffs)):
            width = int(in_features // (div_value ** (i + 1)))
            self.tail.append(
                Sequential(
                    Linear(in_features, width, False, device, dtype),
                    Linear(width, high - low, False, device, dtype),
                )
            )

    def reset_parameters(self) -> None:
        self.head.reset_parameters()
        for inner, outer in self.tail:
            inner.reset_parameters()
            outer.reset_parameters()

    def forward(self, input_: Tensor, target_: Tensor) -> _Result:
        if target_.ndim > 1 or input_.ndim != target_.ndim + 1:
            raise RuntimeError(
                "AdaptiveLogSoftmaxWithLoss: input must be [batch, features] and target [batch], "
                f"or both without the batch, got {list(input_.shape)} and {list(target_.shape)}"
            )
        is_batch = target_.ndim == 1
        if is_batch and input_.shape[0] != target_.shape[0]:
            raise RuntimeError(
                "AdaptiveLogSoftmaxWithLoss: input and target must have the same batch, got "
                f"{list(input_.shape)} and {list(target_.shape)}"
            )
        input = input_ if is_batch else input_.unsqueeze(0)
        target = target_ if is_batch else target_.unsqueeze(0)
        output = self._log_prob_of(input, target)
        loss = (-output).mean()
        return _Result(output if is_batch else output.squeeze(0), loss)

    def _log_prob_of(self, input: Tensor, target: Tensor) -> Tensor:
        if bool(((target < 0) | (target >= self.n_classes)).any()):
            raise RuntimeError(
                f"AdaptiveLogSoftmaxWithLoss: targets must be from 0 to {self.n_classes - 1}, got "
                f"some from {int(target.min())} to {int(target.max())}"
            )
        within = input.new_zeros(target.shape)  # the log probability within the cluster
        places = target  # in the head
        for i, (low, high) in enumerate(pairwise(self.cutoffs)):
            is_here = (target >= low) & (target < high)
            rows = is_here.nonzero().squeeze(1)
            if rows.numel() == 0:
                continue
            places = places.masked_fill(is_here, self.shortlist_size + i)
            scores = F.log_softmax(self.tail[i](input.index_select(0, rows)), dim=1)
            chosen = (target.index_select(0, rows) - low).unsqueeze(1)
            within = within.index_copy(0, rows, scores.gather(1, chosen).squeeze(1))
        head = F.log_softmax(self.head(input), dim=1)
        return within + head.gather(1, places.unsqueeze(1)).squeeze(1)

    def log_prob(self, input: Tensor) -> Tensor:
        """Return the log probabilities of all classes."""
        head = F.log_softmax(self.head(input), dim=1)
        parts = [head[:, : self.shortlist_size]]
        for i in range(self.n_clusters):
            scores = F.log_softmax(self.tail[i](input), dim=1)
            parts.append(scores + head[:, self.shortlist_size + i].unsqueeze(1))
        return ow.cat(parts, dim=1)

    def predict(self, input: Tensor) -> Tensor:
        """Return the most probable class of each row."""
        head = self.head(input)
        best = head.argmax(1)
        is_elsewhere = best >= self.shortlist_size
        if not bool(is_elsewhere.any()):
            return best
        rows = is_elsewhere.nonzero().squeeze(1)
        return best.index_copy(0, rows, self.log_prob(input.index_select(0, rows)).argmax(1))

"""One step of a recurrent layer, of ordinary operators, so that a trace sees through it.

Each takes what the input gives to the gates, computed before for all steps at once.
"""

from __future__ import annotations

from typing import NamedTuple

from .. import Tensor
from . import functional as F


class StepWeights(NamedTuple):
    hidden: Tensor
    bias: Tensor | None
    projection: Tensor | None = None


def tanh_step(gates: Tensor, h: Tensor, weights: StepWeights) -> Tensor:
    return (gates + F.linear(h, weights.hidden, weights.bias)).tanh()


def relu_step(gates: Tensor, h: Tensor, weights: StepWeights) -> Tensor:
    return (gates + F.linear(h, weights.hidden, weights.bias)).relu()


def gru_step(gates: Tensor, h: Tensor, weights: StepWeights) -> Tensor:
    """Gates stand in the order reset, update, new."""
    reset_in, update_in, new_in = gates.chunk(3, -1)
    reset_h, update_h, new_h = F.linear(h, weights.hidden, weights.bias).chunk(3, -1)
    reset = (reset_in + reset_h).sigmoid()
    update = (update_in + update_h).sigmoid()
    new = (new_in + reset * new_h).tanh()
    return new + update * (h - new)


def lstm_step(gates: Tensor, h: Tensor, c: Tensor, weights: StepWeights) -> tuple[Tensor, Tensor]:
    """Gates stand in the order input, forget, cell, output."""
    gates = gates + F.linear(h, weights.hidden, weights.bias)
    take, keep, cell, show = gates.chunk(4, -1)
    c = keep.sigmoid() * c + take.sigmoid() * cell.tanh()
    h = show.sigmoid() * c.tanh()
    if weights.projection is not None:
        h = F.linear(h, weights.projection)
    return h, c

"""A model with random weights, the calls that are compared, and the list of all of them."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import nn

Call = tuple[tuple, dict[str, Any]]


@dataclass
class Specimen:
    """What is exported: the model, and the calls to compare.

    The first call is exported. The second has other values of the same sizes, so that the spread
    between samples is known; the later ones have other sizes. `chain` makes the arguments of the
    next call from the results of the last, for models that decode.
    """

    model: nn.Module
    calls: list[Call]
    dynamic_shapes: Any = None
    tolerance: float = 1e-5
    chain: Callable[[Call, Any, int], Call] | None = None
    steps: int = 0
    facts: dict[str, Any] = field(default_factory=dict)


SPECIMENS: dict[str, Callable[[], Specimen]] = {}


def specimen(make: Callable[[], Specimen]) -> Callable[[], Specimen]:
    """Add a function to the list, under its name."""
    SPECIMENS[make.__name__] = make
    return make


def prepare(name: str) -> Specimen:
    """Make a specimen: always the same one."""
    torch.manual_seed(sum(map(ord, name)))
    made = SPECIMENS[name]()
    made.model.eval().requires_grad_(False)
    return made

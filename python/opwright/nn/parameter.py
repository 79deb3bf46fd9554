"""Parameter: a tensor that is a weight of a module."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import opwright as ow

from .. import Tensor

__all__ = ["Parameter"]


class Parameter(Tensor):
    """A tensor that a module lists among its parameters when it is assigned to an attribute.

    >>> from opwright import nn
    >>> weight = nn.Parameter(ow.zeros(2))
    >>> weight
    Parameter containing:
    tensor([0., 0.], requires_grad=True)
    >>> isinstance(weight, ow.Tensor), type(weight * 2) is ow.Tensor
    (True, True)

    Shares the memory of `data`. Operations on a parameter return plain tensors.
    """

    def __new__(
        cls, data: Tensor | Sequence[Any] | float | None = None, requires_grad: bool = True
    ) -> Parameter:
        self = super().__new__(cls, ow.empty(0) if data is None else data)  # type: ignore[call-arg]
        self.requires_grad = requires_grad
        return self

    def __init__(
        self, data: Tensor | Sequence[Any] | float | None = None, requires_grad: bool = True
    ) -> None:
        pass

    def __repr__(self) -> str:
        shown = self.detach().requires_grad_(self.requires_grad)
        return f"Parameter containing:\n{shown!r}"

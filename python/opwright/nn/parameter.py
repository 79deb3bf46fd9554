"""Parameter and Buffer: tensors that are the weights and the other state of a module."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import opwright as ow

from .. import Tensor

__all__ = ["Buffer", "Parameter"]


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


class _BufferClass(type(Tensor)):  # type: ignore[misc]
    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, Tensor) and getattr(instance, "_is_buffer", False)


class Buffer(Tensor, metaclass=_BufferClass):
    """A tensor that a module lists among its buffers when it is assigned to an attribute.

    >>> from opwright import nn
    >>> layer = nn.Module()
    >>> layer.mean = nn.Buffer(ow.zeros(2))
    >>> [name for name, _ in layer.named_buffers()]
    ['mean']

    Shares the memory of `data`. The state_dict has the buffer only if it is `persistent`.
    """

    def __new__(cls, data: Tensor | None = None, *, persistent: bool = True) -> Tensor:
        data = ow.empty(0) if data is None else data
        self = data.detach().requires_grad_(data.requires_grad)
        self.persistent = persistent  # type: ignore[attr-defined]
        self._is_buffer = True  # type: ignore[attr-defined]
        return self

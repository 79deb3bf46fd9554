"""The tape: nodes, gradient edges, and hooks for saved tensors."""

from collections.abc import Callable
from types import TracebackType
from typing import Any, NamedTuple

from .. import _C
from .._C import TapeNode as Node

__all__ = ["GradientEdge", "Node", "get_gradient_edge", "saved_tensors_hooks"]


class GradientEdge(NamedTuple):
    """Where a gradient goes: an input of a node.

    >>> import opwright as ow
    >>> get_gradient_edge(ow.ones(2, requires_grad=True).sin()).output_nr
    0
    """

    node: Node
    output_nr: int


def get_gradient_edge(tensor: _C.Tensor) -> GradientEdge:
    """Return where the gradient of a tensor goes.

    >>> import opwright as ow
    >>> get_gradient_edge(ow.ones(2, requires_grad=True)).node
    <backward of accumulate>
    """
    return GradientEdge(*_C.gradient_edge(tensor))


class saved_tensors_hooks:  # noqa: N801 (torch's name, used as `with saved_tensors_hooks(...)`)
    """Pass tensors saved for a backward through `pack_hook` in a `with` block.

    `pack_hook(tensor)` returns the object to keep instead of the tensor; `unpack_hook` turns it
    back into the tensor when a formula uses it.

    >>> import opwright as ow
    >>> x = ow.tensor([1.0, 2.0], requires_grad=True)
    >>> with saved_tensors_hooks(lambda tensor: tensor.numpy().copy(), ow.from_numpy):
    ...     y = (x * x).sum()
    >>> y.backward()
    >>> x.grad
    tensor([2., 4.])
    """

    def __init__(
        self, pack_hook: Callable[[_C.Tensor], Any], unpack_hook: Callable[[Any], _C.Tensor]
    ):
        self._hooks = (pack_hook, unpack_hook)

    def __enter__(self) -> None:
        _C.push_saved_tensor_hooks(*self._hooks)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        _C.pop_saved_tensor_hooks()

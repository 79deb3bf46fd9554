"""as_custom_op: exports an entire module or function as one node."""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable
from typing import Any

from .. import _C, nn
from .node_operator import Node

__all__ = ["as_custom_op"]

_NODE = re.compile(r"[a-zA-Z_][\w.-]*::[a-zA-Z_]\w*", re.ASCII)


def as_custom_op(
    target: nn.Module | Callable[..., Any], name: str, *, parameters: bool = True
) -> Any:
    """Wrap a module or function so that traces, and therefore models, have it as one node.

    >>> from opwright import onnx
    >>> block = ow.nn.Sequential(ow.nn.Linear(3, 3), ow.nn.Tanh())
    >>> net = ow.nn.Sequential(onnx.as_custom_op(block, "vendor::Block"), ow.nn.Flatten())
    >>> print(onnx.export(net[0], (ow.ones(1, 3),)).text().splitlines()[4].strip())
    output_0 = vendor::Block(module.0.weight, module.0.bias, input)

    Outside a trace it runs as before, with gradients. In a trace it is one call of an operator
    created for it, with the target as its body. Tensors are inputs of the node; numbers, strings
    and lists of them are attributes named after the arguments. The parameters and buffers of a
    module are inputs before the others, or are omitted with `parameters=False`: then the node's
    implementation must know them. Results are tensors in any nesting.
    """
    if not isinstance(name, str) or not _NODE.fullmatch(name):
        raise ValueError(f"as_custom_op: a node is named 'domain::Name', got {name!r}")
    if not callable(target):
        raise TypeError(
            f"as_custom_op: expected a module or a function, got {type(target).__name__}"
        )
    node = Node(target, name, parameters)
    if isinstance(target, nn.Module):
        return _ModuleAsNode(target, node)

    @functools.wraps(target)
    def call(*args: Any, **kwargs: Any) -> Any:
        return node.call(args, kwargs) if _C.is_tracing() else target(*args, **kwargs)

    return call


class _ModuleAsNode(nn.Module):
    """Holds the module under the name `module`, and its node."""

    def __init__(self, module: nn.Module, node: Node):
        super().__init__()
        self.module = module
        self._node = node
        self.__dict__["__signature__"] = inspect.signature(module.forward)
        self.train(module.training)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        if _C.is_tracing():
            return self._node.call(args, kwargs)
        return self.module(*args, **kwargs)

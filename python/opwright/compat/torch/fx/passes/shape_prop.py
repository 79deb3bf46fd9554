"""torch.fx.passes.shape_prop: runs a graph and notes the shape of every result."""

from typing import Any, NamedTuple

import opwright as ow
from opwright.compat._absent import absent

from ..graph_module import GraphModule
from ..interpreter import Interpreter
from ..node import Node, map_aggregate

__all__ = ["ShapeProp", "TensorMetadata"]


class TensorMetadata(NamedTuple):
    """What is known of a tensor without its elements."""

    shape: Any
    dtype: ow.dtype
    requires_grad: bool
    stride: tuple[int, ...]
    memory_format: ow.memory_format | None
    is_quantized: bool
    qparams: dict[str, Any]


def _extract_tensor_metadata(result: ow.Tensor, include_contiguity: bool = True) -> TensorMetadata:
    memory_format = None
    if include_contiguity:
        for each in (ow.contiguous_format, ow.channels_last, ow.channels_last_3d):
            if result.is_contiguous(memory_format=each):
                memory_format = each
                break
    return TensorMetadata(
        result.shape,
        result.dtype,
        result.requires_grad,
        result.stride(),
        memory_format,
        False,
        {},
    )


class ShapeProp(Interpreter):
    """Runs a module and sets `meta["tensor_meta"]` and `meta["type"]` of its nodes.

    >>> from opwright.compat.torch import fx
    >>> import opwright.compat.torch as torch
    >>> from opwright.compat.torch.fx.passes.shape_prop import ShapeProp
    >>> traced = fx.symbolic_trace(lambda x: x.sum(0))
    >>> _ = ShapeProp(traced).propagate(torch.ones(2, 3))
    >>> [tuple(node.meta["tensor_meta"].shape) for node in traced.graph.nodes]
    [(2, 3), (3,), (3,)]
    """

    def __init__(self, gm: GraphModule, fake_mode: Any | None = None) -> None:
        super().__init__(gm)
        self.fake_mode = fake_mode
        self.real_module = self.module

    def run_node(self, n: Node) -> Any:
        """Run a node and note what it gives."""
        if self.fake_mode is not None:
            with self.fake_mode:
                result = super().run_node(n)
        else:
            result = super().run_node(n)
        found = False

        def describe(leaf: Any) -> Any:
            nonlocal found
            if isinstance(leaf, ow.Tensor):
                found = True
                return _extract_tensor_metadata(leaf)
            return leaf

        meta = map_aggregate(result, describe)
        if found:
            n.meta["tensor_meta"] = meta
        n.meta["type"] = type(result)
        return result

    def propagate(self, *args: Any) -> Any:
        """Run the module on these arguments and return its result."""
        if self.fake_mode is not None:
            args = tuple(
                self.fake_mode.from_tensor(each)
                if isinstance(each, ow.Tensor) and not each.is_fake
                else each
                for each in args
            )
        return super().run(*args)


__getattr__ = absent(__name__)

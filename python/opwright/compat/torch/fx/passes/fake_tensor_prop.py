"""torch.fx.passes.fake_tensor_prop: runs a graph on fake tensors and notes every result."""

from typing import Any

import opwright as ow
from opwright.compat._absent import absent

from ..graph_module import GraphModule
from ..interpreter import Interpreter
from ..node import Node, map_aggregate

__all__ = ["FakeTensorProp"]


class FakeTensorProp(Interpreter):
    """Runs a module on fake tensors and sets `meta["val"]` of its nodes.

    >>> from opwright.compat.torch import fx
    >>> import opwright.compat.torch as torch
    >>> from opwright.compat.torch.fx.passes.fake_tensor_prop import FakeTensorProp
    >>> traced = fx.symbolic_trace(lambda x: x.sum(0))
    >>> FakeTensorProp(traced).propagate(torch.ones(2, 3)).is_fake
    True
    """

    def __init__(self, module: GraphModule, mode: Any | None = None) -> None:
        super().__init__(module)
        self._mode = mode if mode is not None else ow.FakeTensorMode()
        self._fakes: dict[int, Any] = {}

    def run_node(self, n: Node) -> Any:
        """Run a node and note what it gives."""
        result = super().run_node(n)
        if isinstance(result, (ow.Tensor, tuple, list, ow.SymInt, int, float, bool)):
            n.meta["val"] = map_aggregate(result, lambda leaf: leaf)
        return result

    def fetch_attr(self, target: str) -> Any:
        """Return the fake of a parameter or buffer, or a module with fake parameters."""
        value = super().fetch_attr(target)
        return self._mode.from_tensor(value) if isinstance(value, ow.Tensor) else value

    def call_module(self, target: Any, args: tuple, kwargs: dict) -> Any:
        """Call a submodule with its parameters as fakes."""
        module = super().fetch_attr(str(target))
        state = {**dict(module.named_parameters()), **dict(module.named_buffers())}
        fakes = {name: self._mode.from_tensor(tensor) for name, tensor in state.items()}
        return ow.func.functional_call(module, fakes, args, kwargs)

    def propagate(self, *args: Any) -> Any:
        """Run on the fakes of these arguments."""
        return self.propagate_dont_convert_inputs(
            *(
                self._mode.from_tensor(each)
                if isinstance(each, ow.Tensor) and not each.is_fake
                else each
                for each in args
            )
        )

    def propagate_dont_convert_inputs(self, *args: Any) -> Any:
        """Run on fake arguments as they are."""
        with self._mode:
            return super().run(*args)


__getattr__ = absent(__name__)

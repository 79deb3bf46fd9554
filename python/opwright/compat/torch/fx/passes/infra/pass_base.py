"""torch.fx.passes.infra.pass_base: the base class of passes."""

from typing import Any, NamedTuple

from opwright.compat._absent import absent

from ...graph_module import GraphModule

__all__ = ["PassBase", "PassResult"]


class PassResult(NamedTuple):
    """What a pass returns: the module, and whether it changed it."""

    graph_module: GraphModule
    modified: bool


class PassBase:
    """A pass: `call` transforms a module; `requires` and `ensures` check before and after."""

    def __call__(self, graph_module: GraphModule) -> PassResult | None:
        """Run the checks and the pass."""
        self.requires(graph_module)
        result = self.call(graph_module)
        self.ensures(graph_module)
        return result

    def call(self, graph_module: GraphModule) -> PassResult | None:
        """Transform the module; a subclass defines it."""
        raise NotImplementedError(f"{type(self).__name__} has no call(self, graph_module)")

    def requires(self, graph_module: GraphModule) -> Any:
        """Raise if the module is not one that the pass takes."""

    def ensures(self, graph_module: GraphModule) -> Any:
        """Raise if the module is not what the pass promises."""


__getattr__ = absent(__name__)

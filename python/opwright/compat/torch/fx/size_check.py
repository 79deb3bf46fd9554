"""Checks that the arguments of a module from a symbolic trace have sizes that the trace allows."""

from typing import Any

from opwright import tracing

__all__ = ["SizeCheck"]


class SizeCheck:
    """The inputs and guards of a traced graph, without its calls."""

    def __init__(self, traced: tracing.GraphModule) -> None:
        graph = traced.graph.copy()
        graph.set_outputs()
        for node in reversed(graph.nodes):
            if node.op == "call_function":
                graph.erase_node(node)
        self._graph = graph
        self._inputs = traced._inputs

    def __call__(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Raise ValueError that names the input, the size and the line that required it."""
        self._graph(*self._inputs.read(args, kwargs))

    def __deepcopy__(self, memo: dict[int, Any]) -> "SizeCheck":
        return self

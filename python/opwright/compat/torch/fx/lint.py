"""Checks that a graph is valid."""

from typing import TYPE_CHECKING, Any

import opwright as ow

from .node import Node, map_arg

if TYPE_CHECKING:
    from .graph import Graph

__all__ = ["lint"]


def lint(graph: "Graph") -> None:
    """Raise RuntimeError for a use before a definition, a name used twice, a missing target."""
    names: set[str] = set()
    defined: set[Node] = set()

    def check_use(used: Node, user: Node) -> Node:
        if used.graph is not graph:
            raise RuntimeError(
                f"Argument '{used}' of Node '{user}' does not belong to this Graph, but was used "
                "as an argument! If you are copying nodes from another graph, make sure to use "
                "``arg_transform`` on node_copy() to remap values"
            )
        if used not in defined:
            raise RuntimeError(
                f"Argument '{used}' of Node '{user}' was used before it has been defined! Please "
                f"check that Nodes in the graph are topologically ordered\n{graph}"
            )
        return used

    for node in graph.nodes:
        if node.graph is not graph:
            raise RuntimeError(f"Node '{node}' does not belong to this Graph!")
        map_arg((node.args, node.kwargs), lambda each, user=node: check_use(each, user))
        defined.add(node)
        if node.name in names:
            raise RuntimeError(f"Node redefined name {node.name}!")
        names.add(node.name)
        if node.op in ("get_attr", "call_module") and graph.owning_module is not None:
            _check_target(graph.owning_module, node)


def _check_target(module: Any, node: Node) -> None:
    value = module
    for index, part in enumerate(str(node.target).split(".")):
        if not hasattr(value, part):
            owner = ".".join(str(node.target).split(".")[:index]) or "the root module"
            raise RuntimeError(
                f"Node {node} target {node.target} references nonexistent attribute {part} of "
                f"{owner}"
            )
        value = getattr(value, part)
    if node.op == "call_module" and not isinstance(value, ow.nn.Module):
        raise RuntimeError(
            f"Node {node} target {node.target} {type(value).__name__} does not reference an "
            "nn.Module"
        )

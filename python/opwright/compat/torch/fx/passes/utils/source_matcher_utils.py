"""torch.fx.passes.utils.source_matcher_utils: parts of a graph by the function they came from."""

import dataclasses
from collections.abc import Callable
from typing import Any

from opwright.compat._absent import absent

from ...graph import Graph
from ...node import Node

__all__ = ["SourcePartition", "check_subgraphs_connected", "get_source_partitions"]


@dataclasses.dataclass
class SourcePartition:
    """The nodes that one call of a function or module became."""

    nodes: list[Node]
    source: Any
    input_nodes: list[Node] = dataclasses.field(default_factory=list)
    output_nodes: list[Node] = dataclasses.field(default_factory=list)
    params: list[Node] = dataclasses.field(default_factory=list)


def get_source_partitions(
    graph: Graph,
    wanted_sources: list[Any],
    filter_fn: Callable[[Node], bool] | None = None,
) -> dict[Any, list[SourcePartition]]:
    """Return the parts of a graph that came from these functions and classes of modules."""
    groups: dict[Any, dict[str, list[Node]]] = {}
    for node in graph.nodes:
        stack = node.meta.get("source_fn_stack") or _module_source(node)
        if not stack:
            continue
        name, source = stack[-1]
        if source not in wanted_sources:
            continue
        groups.setdefault(source, {}).setdefault(name, []).append(node)
    found = {
        source: [_partition(nodes, source) for nodes in parts.values()]
        for source, parts in groups.items()
    }
    if filter_fn is None:
        return found
    kept = {
        source: [each for each in parts if all(map(filter_fn, each.output_nodes))]
        for source, parts in found.items()
    }
    return {source: parts for source, parts in kept.items() if parts}


def _module_source(node: Node) -> list[tuple[str, Any]]:
    return [(name, kind) for name, kind in (node.meta.get("nn_module_stack") or {}).values()]


def _partition(nodes: list[Node], source: Any) -> SourcePartition:
    inputs: dict[Node, None] = {}
    outputs: dict[Node, None] = {}
    params: dict[Node, None] = {}
    for node in nodes:
        for used in node.all_input_nodes:
            if used not in nodes and used.op != "get_attr":
                inputs[used] = None
            elif used not in nodes:
                params[used] = None
        if node.op == "get_attr":
            params[node] = None
        if any(user not in nodes for user in node.users):
            outputs[node] = None
    return SourcePartition(nodes, source, list(inputs), list(outputs), list(params))


def check_subgraphs_connected(subgraph1: SourcePartition, subgraph2: SourcePartition) -> bool:
    """Return whether the second part uses a result of the first."""
    return any(node in subgraph1.nodes for node in subgraph2.input_nodes)


__getattr__ = absent(__name__)

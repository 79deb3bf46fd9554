"""torch.fx.passes.utils.source_matcher_utils: parts of a graph by the function they came from."""

import dataclasses
from collections.abc import Callable
from typing import Any

from opwright import _C
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
    """Return the parts of a graph that came from these functions and classes of modules.

    A function of torch may be given by its name, such as "linear": each call of it is a part.

    >>> from opwright.compat.torch import fx
    >>> import opwright.compat.torch as torch
    >>> traced = fx.experimental.proxy_tensor.make_fx(lambda x: x.relu().relu())(torch.ones(2))
    >>> len(get_source_partitions(traced.graph, ["relu"])["relu"])
    2
    """
    groups: dict[Any, dict[str, list[Node]]] = {}
    for node in graph.nodes:
        match = _find_source(node, wanted_sources)
        if match is not None:
            name, source = match
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


def _find_source(node: Node, wanted_sources: list[Any]) -> tuple[str, Any] | None:
    """Return the name of the part that a node is of, and the wanted source; None if it is of none.

    A node came from the innermost function or module that its metadata tells, and a call of an
    operator also from the function of its name.
    """
    modules = (node.meta.get("nn_module_stack") or {}).values() if _is_call(node) else ()
    stack = list(node.meta.get("source_fn_stack") or modules)
    given = [(name, source) for name, source in stack[-1:]]
    if isinstance(node.target, _C.Operator):
        given.append((node.name, node.target.base))
    for name, source in given:
        for wanted in wanted_sources:
            if _is_same_source(source, wanted):
                return name, wanted
    return None


def _is_call(node: Node) -> bool:
    return node.op in ("call_function", "call_module")


def _is_same_source(source: Any, wanted: Any) -> bool:
    if isinstance(source, type) and isinstance(wanted, type):
        return issubclass(source, wanted)
    if isinstance(source, str) and isinstance(wanted, type):
        return source == f"{wanted.__module__}.{wanted.__qualname__}"
    return source == wanted


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

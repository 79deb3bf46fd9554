"""torch.fx.subgraph_rewriter: replaces the places where a pattern matches."""

import copy
import dataclasses
from collections.abc import Callable
from typing import Any, NamedTuple

from opwright import nn
from opwright.compat._absent import absent

from ._symbolic_trace import symbolic_trace
from .graph import Graph
from .graph_module import GraphModule
from .node import Node
from .passes.utils.matcher_utils import InternalMatch, SubgraphMatcher

__all__ = ["Match", "ReplacedPatterns", "replace_pattern", "replace_pattern_with_filters"]

Pattern = Callable[..., Any] | Graph | GraphModule


class Match(NamedTuple):
    """A place that was replaced: the node where it was found, and all its nodes."""

    anchor: Node
    nodes_map: dict[Node, Node]


@dataclasses.dataclass
class ReplacedPatterns:
    """A place that was replaced, and the new nodes."""

    anchor: Node
    nodes_map: dict[Node, Node]
    replacements: list[Node]


def replace_pattern(gm: GraphModule, pattern: Pattern, replacement: Pattern) -> list[Match]:
    """Replace every place where `gm` computes `pattern`; return the places.

    >>> from opwright.compat.torch import fx
    >>> import opwright.compat.torch as torch
    >>> traced = fx.symbolic_trace(lambda x: torch.sin(x) + 1)
    >>> len(fx.replace_pattern(traced, lambda x: torch.sin(x), lambda x: torch.cos(x)))
    1
    >>> traced(torch.zeros(1))
    tensor([2.])
    """
    replaced = replace_pattern_with_filters(gm, pattern, replacement)
    return [Match(anchor=each.anchor, nodes_map=each.nodes_map) for each in replaced]


def replace_pattern_with_filters(
    gm: GraphModule,
    pattern: Pattern,
    replacement: Pattern | None = None,
    match_filters: list[Callable[[InternalMatch, Graph, Graph], bool]] | None = None,
    ignore_literals: bool = False,
    replacement_callback: Callable[[InternalMatch, Graph, Graph], Graph] | None = None,
    node_name_match: str = "",
) -> list[ReplacedPatterns]:
    """Replace the places for which every filter returns True.

    `replacement_callback` returns the graph for each place, instead of one for all.
    """
    graph = gm.graph
    pattern_graph = _graph_of(pattern)
    matcher = SubgraphMatcher(pattern_graph, ignore_literals=ignore_literals)
    matches = [
        match
        for match in matcher.match(graph, node_name_match)
        if all(accepts(match, graph, pattern_graph) for accepts in match_filters or ())
    ]
    if replacement is None and replacement_callback is None:
        raise AssertionError(
            "Must provide either a replacement GraphModule or a replacement callback"
        )
    common = None if replacement is None else _graph_of(replacement)
    moved: dict[Node, Node] = {}
    replaced = []
    for match in matches:
        new = common
        if replacement_callback is not None:
            new = replacement_callback(match, graph, pattern_graph)
        replaced.append(_replace(graph, match, new, moved))
    gm.recompile()
    if isinstance(replacement, nn.Module):
        _add_submodules(gm, replacement)
    return replaced


def _graph_of(given: Pattern) -> Graph:
    if isinstance(given, GraphModule):
        return given.graph
    return given if isinstance(given, Graph) else symbolic_trace(given).graph


def _replace(
    graph: Graph, match: InternalMatch, new: Graph, moved: dict[Node, Node]
) -> ReplacedPatterns:
    """Replace one match; `moved` has the nodes that earlier replacements put elsewhere."""
    inputs = new.find_nodes(op="placeholder")
    if len(match.placeholder_nodes) != len(inputs):
        raise AssertionError(
            f"replace_pattern: the pattern has {len(match.placeholder_nodes)} parameters and the "
            f"replacement {len(inputs)}; they must be the same"
        )
    for wanted, node in match.nodes_map.items():
        if isinstance(node, Node) and wanted.op == "placeholder":
            match.nodes_map[wanted] = moved.get(node, node)
    match.placeholder_nodes = [
        moved.get(node, node) if isinstance(node, Node) else node
        for node in match.placeholder_nodes
    ]
    values: dict[Node, Any] = dict(zip(inputs, match.placeholder_nodes, strict=True))
    with graph.inserting_before(_insertion_point(graph, match)):
        returned = graph.graph_copy(new, values)
    returned = (returned,) if isinstance(returned, Node) else tuple(returned)
    if len(match.returning_nodes) != len(returned):
        raise AssertionError(
            f"replace_pattern: the pattern returns {len(match.returning_nodes)} values and the "
            f"replacement {len(returned)}; they must be the same"
        )
    for old, made in zip(match.returning_nodes, returned, strict=True):
        old.replace_all_uses_with(made)
        moved[old] = made
    for wanted in reversed(match.anchors[0].graph.nodes):
        if wanted.op not in ("placeholder", "output") and wanted in match.nodes_map:
            graph.erase_node(match.nodes_map[wanted])
    given = [id(node) for node in match.placeholder_nodes]
    made_nodes = [node for node in values.values() if id(node) not in given]
    return ReplacedPatterns(match.anchors[0], match.nodes_map, made_nodes)


def _insertion_point(graph: Graph, match: InternalMatch) -> Node:
    """Return the first user of what the match returns, or the node after it if none uses it."""
    users = {user for node in match.returning_nodes for user in node.users}
    inner = {node for node in match.nodes_map.values() if isinstance(node, Node)}
    outside = users - inner
    for node in graph.nodes:
        if node in (outside or users):
            return node
    last = max(match.returning_nodes, key=graph._position)
    return last.next


def _add_submodules(gm: GraphModule, replacement: nn.Module) -> None:
    """Give the module what the new nodes call and read."""
    gm.delete_all_unused_submodules()
    for node in gm.graph.nodes:
        if node.op not in ("call_module", "get_attr"):
            continue
        if _find(gm, node.target) is not None:
            continue
        value = _find(replacement, node.target)
        if value is None:
            raise RuntimeError(
                f'Attempted to create a "{node.op}" node during subgraph rewriting with target '
                f"{node.target}, but the referenced attribute does not exist in the replacement "
                "GraphModule"
            )
        if isinstance(value, nn.Module):
            gm.add_submodule(node.target, copy.deepcopy(value))
        else:
            _set(gm, node.target, value)
    gm.graph.lint()


def _find(module: Any, path: str) -> Any:
    for part in path.split("."):
        module = getattr(module, part, None)
        if module is None:
            return None
    return module


def _set(module: Any, path: str, value: Any) -> None:
    *prefix, name = path.split(".")
    for part in prefix:
        if not hasattr(module, part):
            module.add_module(part, nn.Module())
        module = getattr(module, part)
    setattr(module, name, value)


__getattr__ = absent(__name__)

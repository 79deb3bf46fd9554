"""torch.fx.passes.utils.matcher_with_name_node_map_utils: matches with names for their nodes."""

from typing import Any

from opwright.compat._absent import absent

from ...graph import Graph
from ...graph_module import GraphModule
from ...node import Node
from .matcher_utils import InternalMatch, SubgraphMatcher

__all__ = ["SubgraphMatcherWithNameNodeMap"]


class SubgraphMatcherWithNameNodeMap(SubgraphMatcher):
    """Finds a pattern whose last result is a dict of names and nodes; a match has that dict too."""

    def __init__(self, pattern_gm: GraphModule, **options: Any) -> None:
        graph, self.name_node_map = _split_names(pattern_gm.graph)
        self.pattern_gm = GraphModule(pattern_gm, graph)
        super().__init__(graph, **options)

    def match(self, graph: Graph, node_name_match: str = "") -> list[InternalMatch]:
        """Return the matches, with `name_node_map` from each name to the node of the graph."""
        found = super().match(graph, node_name_match)
        for each in found:
            each.name_node_map = {
                name: each.nodes_map[node] for name, node in self.name_node_map.items()
            }
        return found


def _split_names(graph: Graph) -> tuple[Graph, dict[str, Node]]:
    """Return a copy of the graph without its last result, and that dict."""
    made = Graph()
    values: dict[Node, Node] = {}
    result = graph.process_outputs(made.graph_copy(graph, values))
    if not isinstance(result, (tuple, list)) or not isinstance(result[-1], dict):
        raise AssertionError(
            "SubgraphMatcherWithNameNodeMap: the pattern must return its results and then a dict "
            "from names to nodes"
        )
    *results, names = result
    made.output(tuple(results))
    return made, dict(names)


__getattr__ = absent(__name__)

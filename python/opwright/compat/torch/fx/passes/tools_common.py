"""torch.fx.passes.tools_common: puts the nodes of a graph in an order that can run."""

from opwright.compat._absent import absent

from ..graph import Graph
from ..graph_module import GraphModule
from ..node import Node

__all__ = ["legalize_graph"]


def legalize_graph(gm: GraphModule) -> GraphModule:
    """Sort the nodes of a module so that each comes after those it uses; return the module.

    Placeholders and attributes come first, the output last.

    >>> from opwright.compat.torch import fx
    >>> gm = fx.symbolic_trace(lambda x: x.sin().cos())
    >>> x, sin, cos, output = gm.graph.nodes
    >>> cos.append(sin)
    >>> [node.name for node in gm.graph.nodes]
    ['x', 'cos', 'sin', 'output']
    >>> [node.name for node in legalize_graph(gm).graph.nodes]
    ['x', 'sin', 'cos', 'output']
    """
    made = Graph()
    made._codegen = gm.graph._codegen
    copies: dict[Node, Node] = {}
    for node in _sorted(list(gm.graph.nodes)):
        copies[node] = made.node_copy(node, lambda each: copies[each])
    gm.graph = made
    return gm


def _sorted(nodes: list[Node]) -> list[Node]:
    first = [node for node in nodes if node.op in ("placeholder", "get_attr")]
    missing = {node: len(node.all_input_nodes) for node in nodes}
    ready = [*first, *(node for node in nodes if not missing[node] and node not in first)]
    output = [node for node in nodes if node.op == "output"]
    done: list[Node] = []
    for node in ready:  # grows while it is read
        done.append(node)
        for user in sorted(node.users):
            missing[user] -= 1
            if not missing[user] and user.op != "output":
                ready.append(user)
    if len(done) + len(output) < len(nodes):
        stuck = next(node for node in nodes if node not in done and node.op != "output")
        raise RuntimeError(
            f"legalize_graph: the graph has a cycle through {stuck}, so its nodes have no order"
        )
    return [*done, *output]


__getattr__ = absent(__name__)

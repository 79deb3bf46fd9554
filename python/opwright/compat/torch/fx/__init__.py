"""torch.fx: Graph, Node, GraphModule."""

from opwright.compat._absent import absent
from opwright.graph import Graph, Node
from opwright.tracing import GraphModule

from . import experimental, graph, graph_module, node

__all__ = ["Graph", "GraphModule", "Node", "experimental", "graph", "graph_module", "node"]

__getattr__ = absent(__name__)

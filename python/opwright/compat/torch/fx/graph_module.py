"""torch.fx.graph_module: GraphModule."""

from opwright.compat._absent import absent
from opwright.tracing import GraphModule

__all__ = ["GraphModule"]

__getattr__ = absent(__name__)

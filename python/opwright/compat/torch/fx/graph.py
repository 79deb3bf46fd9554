"""torch.fx.graph: Graph."""

from opwright.compat._absent import absent
from opwright.graph import Graph

__all__ = ["Graph"]

__getattr__ = absent(__name__)

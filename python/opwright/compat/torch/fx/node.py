"""torch.fx.node: Node."""

from opwright.compat._absent import absent
from opwright.graph import Node

__all__ = ["Node"]

__getattr__ = absent(__name__)

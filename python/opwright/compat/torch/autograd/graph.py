"""torch.autograd.graph: the tape."""

from opwright.autograd.graph import GradientEdge, Node, get_gradient_edge, saved_tensors_hooks
from opwright.compat._absent import absent

__all__ = ["GradientEdge", "Node", "get_gradient_edge", "saved_tensors_hooks"]

__getattr__ = absent(__name__)

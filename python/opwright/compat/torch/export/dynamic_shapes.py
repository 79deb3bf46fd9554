"""torch.export.dynamic_shapes: dynamic sizes."""

from opwright.compat._absent import absent
from opwright.export import Dim, ShapesCollection, dims

__all__ = ["Dim", "ShapesCollection", "dims"]

__getattr__ = absent(__name__)

"""torch.export.dynamic_shapes: dynamic sizes."""

from opwright.compat._absent import absent
from opwright.export import AdditionalInputs, Dim, ShapesCollection, dims

__all__ = ["AdditionalInputs", "Dim", "ShapesCollection", "dims"]

__getattr__ = absent(__name__)

"""torch.fx.experimental."""

from opwright.compat._absent import absent

from . import symbolic_shapes

__all__ = ["symbolic_shapes"]

__getattr__ = absent(__name__)

"""torch.nn.parameter: Parameter."""

from opwright.compat._absent import absent
from opwright.nn import Parameter

__all__ = ["Parameter"]

__getattr__ = absent(__name__)

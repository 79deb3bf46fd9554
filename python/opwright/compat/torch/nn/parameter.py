"""torch.nn.parameter: Parameter and Buffer."""

from opwright.compat._absent import absent
from opwright.nn import Buffer, Parameter

__all__ = ["Buffer", "Parameter"]

__getattr__ = absent(__name__)

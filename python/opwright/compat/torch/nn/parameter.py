"""torch.nn.parameter: Parameter, Buffer, and those of lazy modules."""

from opwright.compat._absent import absent
from opwright.nn import Buffer, Parameter, UninitializedBuffer, UninitializedParameter
from opwright.nn.parameter import is_lazy

__all__ = ["Buffer", "Parameter", "UninitializedBuffer", "UninitializedParameter", "is_lazy"]

__getattr__ = absent(__name__)

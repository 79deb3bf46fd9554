"""torchair.ge: the names that converters use."""

from opwright.compat._absent import absent
from opwright.ge import Const, DataType, Tensor, attr, custom_op

__all__ = ["Const", "DataType", "Tensor", "attr", "custom_op"]

__getattr__ = absent(__name__)

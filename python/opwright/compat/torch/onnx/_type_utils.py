"""torch.onnx._type_utils: the dtypes of values."""

from opwright.compat._absent import absent
from opwright.onnx.scalar_type import JitScalarType

__all__ = ["JitScalarType"]

__getattr__ = absent(__name__)

"""torch.onnx.utils: the names of torch.onnx for older code."""

from opwright.compat._absent import absent
from opwright.onnx import (
    export,
    register_custom_op_symbolic,
    unregister_custom_op_symbolic,
)

__all__ = ["export", "register_custom_op_symbolic", "unregister_custom_op_symbolic"]

__getattr__ = absent(__name__)

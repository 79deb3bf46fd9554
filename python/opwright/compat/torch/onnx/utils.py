"""torch.onnx.utils: where older code finds the names of torch.onnx."""

from opwright.compat._absent import absent
from opwright.onnx import (
    export,
    register_custom_op_symbolic,
    unregister_custom_op_symbolic,
)

__all__ = ["export", "register_custom_op_symbolic", "unregister_custom_op_symbolic"]

__getattr__ = absent(__name__)

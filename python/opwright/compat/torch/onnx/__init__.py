"""torch.onnx: export to ONNX, and symbolics."""

from opwright.compat._absent import absent
from opwright.onnx import (
    TrainingMode,
    export,
    register_custom_op_symbolic,
    unregister_custom_op_symbolic,
)

from . import symbolic_helper, utils

__all__ = [
    "TrainingMode",
    "export",
    "register_custom_op_symbolic",
    "symbolic_helper",
    "unregister_custom_op_symbolic",
    "utils",
]

__getattr__ = absent(__name__)

"""torch.onnx: export to ONNX, and symbolics."""

from opwright.compat._absent import absent
from opwright.onnx import OnnxModel as ONNXProgram
from opwright.onnx import (
    TrainingMode,
    export,
    is_in_onnx_export,
    register_custom_op_symbolic,
    unregister_custom_op_symbolic,
)

from . import _type_utils, symbolic_helper, utils

__all__ = [
    "ONNXProgram",
    "TrainingMode",
    "_type_utils",
    "export",
    "is_in_onnx_export",
    "register_custom_op_symbolic",
    "symbolic_helper",
    "unregister_custom_op_symbolic",
    "utils",
]

__getattr__ = absent(__name__)

"""Export to ONNX, with custom operators as nodes.

>>> from opwright import onnx
>>> model = onnx.export(ow.nn.Linear(3, 2), (ow.ones(1, 3),), dynamic_axes={"input": {0: "batch"}})
>>> model.input_names, model.output_names
(['input'], ['output_0'])

`register_custom_op_symbolic` defines what a call of an operator becomes; without it, a custom
operator becomes its own node, in the domain of its namespace.
"""

from . import symbolic_helper
from .custom_op import as_custom_op
from .exporter import TrainingMode, export, is_in_onnx_export
from .model import OnnxModel
from .symbolic import register_custom_op_symbolic, unregister_custom_op_symbolic

__all__ = [
    "OnnxModel",
    "TrainingMode",
    "as_custom_op",
    "export",
    "is_in_onnx_export",
    "register_custom_op_symbolic",
    "symbolic_helper",
    "unregister_custom_op_symbolic",
]

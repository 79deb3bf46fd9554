"""Parts of onnx_export.py: models exported by us and by torch, and run in ONNX Runtime."""

from .exporters import LENGTHS, our_exports, torch_exports
from .nodes import node_cases
from .weights import weight_cases

__all__ = ["LENGTHS", "node_cases", "our_exports", "torch_exports", "weight_cases"]

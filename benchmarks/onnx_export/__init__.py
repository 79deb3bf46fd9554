"""The parts of onnx.py: models written by us and by torch's exporters, and run in ONNX Runtime."""

from .exporters import LENGTHS, our_exports, torch_exports
from .nodes import node_cases
from .weights import weight_cases

__all__ = ["LENGTHS", "node_cases", "our_exports", "torch_exports", "weight_cases"]

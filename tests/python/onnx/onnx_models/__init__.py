"""Entire models for ONNX: `make(package)` builds each with opwright.nn or torch.nn.

Each contains an operator of a binary; the torch version uses torch's own operators.
"""

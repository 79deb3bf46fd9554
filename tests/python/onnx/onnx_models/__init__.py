"""Whole models for ONNX: `make(package)` builds each of opwright.nn or of torch.nn.

Each has an operator of a binary inside, which torch's twin writes with torch's own.
"""

"""Whole models, each written once: `make(package)` builds it of opwright.nn or of torch.nn."""

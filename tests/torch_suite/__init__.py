"""Runs PyTorch's own test files against torch and against opwright.compat.torch."""

"""Comparison and creation of tensors for tests."""

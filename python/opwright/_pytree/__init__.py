"""Pytrees with the names and rules of torch.utils._pytree: None is a leaf."""

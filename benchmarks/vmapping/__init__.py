"""Parts of vmap.py: the same mapped functions in Opwright and in PyTorch."""

from .cases import our_cases, torch_cases

__all__ = ["our_cases", "torch_cases"]

"""The parts of vmap.py: the same mapped functions, through Opwright and through PyTorch."""

from .cases import our_cases, torch_cases

__all__ = ["our_cases", "torch_cases"]

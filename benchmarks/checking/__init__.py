"""Parts of opcheck.py: one operator with all its rules, checked by Opwright and by PyTorch."""

from .cases import our_cases, torch_cases
from .timing import measure

__all__ = ["measure", "our_cases", "torch_cases"]

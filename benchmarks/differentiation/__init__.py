"""Parts of autograd.py: the same programs, differentiated by Opwright and by PyTorch."""

from .cases import our_cases, torch_cases
from .memory import bytes_of_a_node

__all__ = ["bytes_of_a_node", "our_cases", "torch_cases"]

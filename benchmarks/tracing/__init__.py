"""The parts of trace.py: the same chains of operators, through Opwright and through the peers."""

from .cases import CHAINS, LENGTHS, jax_cases, our_cases, torch_cases
from .timing import measure

__all__ = ["CHAINS", "LENGTHS", "jax_cases", "measure", "our_cases", "torch_cases"]

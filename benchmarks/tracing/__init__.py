"""Parts of make_fx.py: the same chains of operators in Opwright and in the peers."""

from .cases import CHAINS, LENGTHS, jax_cases, our_cases, torch_cases
from .timing import measure

__all__ = ["CHAINS", "LENGTHS", "jax_cases", "measure", "our_cases", "torch_cases"]

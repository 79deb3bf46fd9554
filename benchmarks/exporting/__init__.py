"""Parts of export.py: the same chains of operators, exported by Opwright and by torch."""

from .cases import LENGTHS, SAVED_LENGTHS, our_side, torch_side
from .footprint import library_megabytes, peak_megabytes

__all__ = [
    "LENGTHS",
    "SAVED_LENGTHS",
    "library_megabytes",
    "our_side",
    "peak_megabytes",
    "torch_side",
]

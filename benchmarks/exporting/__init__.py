"""Parts of export.py: the same chains of operators, exported by Opwright and by torch."""

from .archives import LIMITS, TITLES, load_times, torch_archives
from .cases import LENGTHS, SAVED_LENGTHS, our_side, torch_side
from .footprint import library_megabytes, peak_megabytes

__all__ = [
    "LENGTHS",
    "LIMITS",
    "SAVED_LENGTHS",
    "TITLES",
    "library_megabytes",
    "load_times",
    "our_side",
    "peak_megabytes",
    "torch_archives",
    "torch_side",
]

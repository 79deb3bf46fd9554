"""What every benchmark shares: its options, its rows, and how programs are timed beside each other."""

from .build import build_torch_program, release_build
from .rows import Report, Row
from .timing import interleave

__all__ = ["Report", "Row", "build_torch_program", "interleave", "release_build"]

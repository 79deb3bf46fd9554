"""What every benchmark shares: options, rows, and how programs are timed side by side."""

from .build import build_torch_library, build_torch_program, release_build
from .rows import Report, Row
from .timing import interleave

__all__ = [
    "Report",
    "Row",
    "build_torch_library",
    "build_torch_program",
    "interleave",
    "release_build",
]

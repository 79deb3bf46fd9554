"""Shared by all benchmarks: options, rows, result pages, and timing of programs in turn."""

from .build import build_torch_library, build_torch_program, release_build
from .page import markdown_table
from .rows import Report, Row
from .smoke import find_peer, is_smoke
from .timing import interleave

__all__ = [
    "Report",
    "Row",
    "build_torch_library",
    "build_torch_program",
    "find_peer",
    "interleave",
    "is_smoke",
    "markdown_table",
    "release_build",
]

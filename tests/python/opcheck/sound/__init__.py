"""Correct operators, each with one ordinary example: opcheck must find nothing in them.

A case also states what the call returns, so that it is known to be correct.
"""

from . import (  # noqa: F401
    binaries,
    bodies,
    choosy,
    differentiable,
    factories,
    randomness,
    sizes,
    structures,
    views,
    writing,
)
from .case import CASES, Case

__all__ = ["CASES", "Case"]

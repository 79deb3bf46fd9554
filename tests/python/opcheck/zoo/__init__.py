"""Faulty operators, each with one fault of another kind and one ordinary example.

A fault is a function that defines the operator in a host and gives the example; opcheck must find
it from that example alone, under one of the kinds, with the words in its message. Where torch can
say the same, it is defined there too: for the table of who catches what.
"""

from . import (  # noqa: F401
    aliases,
    backward,
    devices,
    fakes,
    gradients,
    memory,
    repetition,
    results,
    traces,
    vmap_rules,
    writes,
)
from .fault import FAULTS, Fault

__all__ = ["FAULTS", "Fault"]

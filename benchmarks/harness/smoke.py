"""Smoke runs (`--smoke`): each script once, to see that it runs; the figures mean nothing."""

import importlib.util
import os

VARIABLE = "OPWRIGHT_BENCHMARK_SMOKE"  # read by child processes too


def is_smoke():
    return os.environ.get(VARIABLE) == "1"


def find_peer(name):
    """Return the spec of a peer's package; None if it is not installed, or in a smoke run.

    For peers that take long, such as those that are compiled.
    """
    return None if is_smoke() else importlib.util.find_spec(name)

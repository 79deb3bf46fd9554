"""Runs a piece of code once with torch and once with opwright.compat.torch."""

import importlib
import textwrap

import pytest


def run_in_both(source: str) -> tuple[dict, dict]:
    """Run code that uses `torch` and `fx`; return the names that it leaves, torch's first."""
    pytest.importorskip("torch")
    return run_with("torch", source), run_with("opwright.compat.torch", source)


def run_with(package: str, source: str) -> dict:
    """Run code with one of the packages; return the names that it leaves."""
    names = {
        "torch": importlib.import_module(package),
        "fx": importlib.import_module(f"{package}.fx"),
        "__name__": "traced_program",
    }
    exec(textwrap.dedent(source), names)
    return names

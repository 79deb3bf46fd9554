"""Tests of the bridge to jax; left out where it is not installed."""

import importlib.util
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

collect_ignore_glob = [] if importlib.util.find_spec("jax") else ["test_*.py"]

ROOT = Path(__file__).resolve().parents[3]
BUILD = Path(os.environ.get("OPWRIGHT_BUILD", ROOT / "build" / "release")).resolve()


@pytest.fixture
def binary() -> Callable[[str], Path]:
    """Give the file of a sample binary by its name."""
    return lambda name: BUILD / "operators" / f"lib{name}.so"


@pytest.fixture
def load(binary: Callable[[str], Path]) -> Callable[[str], Any]:
    """Load a sample binary into jax; return `opwright.jax.ops`."""
    import opwright.jax

    def load_into_jax(name: str) -> Any:
        opwright.jax.load(binary(name))
        return opwright.jax.ops

    return load_into_jax

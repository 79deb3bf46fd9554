"""Operators that look behind the bindings: tests/operators/python_probes.cpp."""

import os
from pathlib import Path

import opwright as ow
import pytest
from opwright import _C

BUILD = Path(os.environ.get("OPWRIGHT_BUILD", Path(__file__).parents[3] / "build" / "release"))


class Inner:
    """What probe::inner runs: set `function` in a test."""

    def __init__(self):
        self.function = lambda x: x

    def __call__(self, x):
        return self.function(x)


_INNER = Inner()
_SCOPE = _C.Scope()
_SCOPE.define("probe::inner(Tensor x) -> Tensor")
_SCOPE.implement("probe::inner", "cpu", _INNER)


@pytest.fixture(scope="session")
def probe():
    """Return the operators of the probe binary."""
    ow.load_library(BUILD / "operators" / "libpython_probes.so")
    return ow.ops.probe


@pytest.fixture
def inner():
    """Return the holder of the Python function that the probes call."""
    yield _INNER
    _INNER.function = lambda x: x


@pytest.fixture
def scope():
    """Return a scope that removes its registrations at the end of the test."""
    with _C.Scope() as made:
        yield made

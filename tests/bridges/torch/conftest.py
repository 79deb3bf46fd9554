"""The sample operators in torch, for all tests of the bridge to it."""

from collections.abc import Iterator

import pytest

pytest.importorskip("torch", reason="torch is not installed: the bridge to it was not tested")

import torch

from .sample_hosts import load_samples


@pytest.fixture(scope="session")
def samples_in_torch() -> Iterator[None]:
    """Load every sample operator into torch, until the session ends."""
    loaded = load_samples()
    yield
    torch._dynamo.reset()
    for library in reversed(loaded):
        library.close()


@pytest.fixture
def fresh_compiler() -> Iterator[None]:
    """Start and end without compiled code."""
    torch._dynamo.reset()
    yield
    torch._dynamo.reset()

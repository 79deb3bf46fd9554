"""What tests of compile share."""

from collections.abc import Callable

import opwright as ow
import pytest


@pytest.fixture(params=["plan", "llvm"])
def compile(request: pytest.FixtureRequest) -> Callable:
    """Compile as one graph, with each backend."""

    def make(function: Callable, **options: object) -> Callable:
        return ow.compile(function, fullgraph=True, backend=request.param, **options)

    return make

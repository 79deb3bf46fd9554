"""The host of a test module's operators, which are in the namespace that the module names."""

from collections.abc import Iterator

import opwright as ow
import pytest

from .host import Host


@pytest.fixture
def host(request: pytest.FixtureRequest) -> Iterator[Host]:
    with Host(ow, request.module.NAMESPACE) as host:
        yield host

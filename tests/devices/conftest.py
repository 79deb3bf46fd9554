"""Everything here needs a device plug-in: `make test-devices` runs it."""

import pytest


def pytest_itemcollected(item: pytest.Item) -> None:
    item.add_marker("devices")

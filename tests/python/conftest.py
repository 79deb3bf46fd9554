"""The places that errors show."""

from collections.abc import Callable
from pathlib import Path

import pytest


@pytest.fixture
def here(request: pytest.FixtureRequest) -> Callable[[str], str]:
    """Give "file:line" of the line of the test's file that ends with the comment `# marker`."""
    path = Path(request.path)
    lines = path.read_text().splitlines()

    def show(marker: str) -> str:
        (number,) = (n for n, line in enumerate(lines, start=1) if line.endswith(f"# {marker}"))
        return f"{path}:{number}"

    return show

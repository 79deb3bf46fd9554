"""The paths that errors show; and every graph that a test creates parses back from its text."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from opwright import _C

_C.check_graph_texts(True)


@pytest.fixture(autouse=True)
def _graphs_read_back() -> Iterator[None]:
    yield
    failures = _C.take_graph_text_failures()
    assert not failures, "\n".join(failures)


@pytest.fixture
def here(request: pytest.FixtureRequest) -> Callable[[str], str]:
    """Return "file:line" of the line of the test's file that ends with the comment `# marker`."""
    path = Path(request.path)
    lines = path.read_text().splitlines()

    def show(marker: str) -> str:
        (number,) = (n for n, line in enumerate(lines, start=1) if line.endswith(f"# {marker}"))
        return f"{path}:{number}"

    return show

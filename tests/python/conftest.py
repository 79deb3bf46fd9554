"""The places that errors show; and every graph that a test makes reads back from its text."""

import contextlib
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from opwright import _C

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("OPWRIGHT_BUILD", ROOT / "build" / "release")).resolve()

_C.check_graph_texts(True)


@pytest.fixture(autouse=True)
def _graphs_read_back() -> Iterator[None]:
    yield
    failures = _C.take_graph_text_failures()
    assert not failures, "\n".join(failures)


@pytest.fixture(autouse=True, scope="session")
def _a_core_without_bridges() -> None:
    """Take back what tests of bridges, which ran before in this process, left in the core."""
    if "opwright.torch" in sys.modules:
        _C.set_foreign_type(sys.modules["torch"].Tensor, None)
    with contextlib.suppress(ValueError):
        _C.unload_library(str(BUILD / "operators" / "libdual_residual.so"))


@pytest.fixture
def here(request: pytest.FixtureRequest) -> Callable[[str], str]:
    """Give "file:line" of the line of the test's file that ends with the comment `# marker`."""
    path = Path(request.path)
    lines = path.read_text().splitlines()

    def show(marker: str) -> str:
        (number,) = (n for n, line in enumerate(lines, start=1) if line.endswith(f"# {marker}"))
        return f"{path}:{number}"

    return show

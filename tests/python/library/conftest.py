"""A library that ends with its test, and the places that errors show."""

import inspect
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from opwright.library import Library


@pytest.fixture
def trial() -> Iterator[Library]:
    with Library("trial", "FRAGMENT") as lib:
        yield lib


@pytest.fixture
def line_of() -> Callable[[Callable], str]:
    """Give "file:line" of a function, as errors show it."""

    def show(function: Callable) -> str:
        code = inspect.unwrap(function).__code__
        return f"{code.co_filename}:{code.co_firstlineno}"

    return show


@pytest.fixture
def here(request: pytest.FixtureRequest) -> Callable[[str], str]:
    """Give "file:line" of the line of the test's file that ends with the comment `# marker`."""
    path = Path(request.path)
    lines = path.read_text().splitlines()

    def show(marker: str) -> str:
        (number,) = (n for n, line in enumerate(lines, start=1) if line.endswith(f"# {marker}"))
        return f"{path}:{number}"

    return show

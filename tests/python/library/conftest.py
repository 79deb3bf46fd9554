"""A library that is closed at the end of its test, and the locations of its functions."""

import inspect
from collections.abc import Callable, Iterator

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

"""Correct operators: they return what they should, and opcheck finds nothing in them."""

import opwright as ow
import pytest

from .sound import CASES
from .sound.case import NAMESPACE  # noqa: F401 (the fixture `host` reads it)


def assert_same(given: object, expected: object) -> None:
    """Compare results of any structure."""
    if isinstance(expected, ow.Tensor):
        assert given.dtype == expected.dtype
        assert given.shape == expected.shape
        assert ow.allclose(given.detach(), expected) if expected.numel() else True
    elif isinstance(expected, tuple | list):
        assert len(given) == len(expected)
        for each, other in zip(given, expected, strict=True):
            assert_same(each, other)
    else:
        assert given == expected


def test_there_are_many():
    assert len(CASES) >= 45


@pytest.mark.parametrize("name", CASES)
def test_it_gives_what_it_should(name, host):
    case = CASES[name](host)

    result = case.call()

    if case.holds is not None:
        assert case.holds(result)
    else:
        assert_same(result, case.gives)
    for place, expected in (case.leaves or {}).items():
        assert_same(case.args[place], expected)


@pytest.mark.parametrize("name", CASES)
def test_it_raises_no_alarm(name, host):
    case = CASES[name](host)

    report = ow.opcheck(case.op, case.args, dict(case.kwargs), raise_exception=False)

    assert report.ok, report.table()

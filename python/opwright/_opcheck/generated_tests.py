"""generate_opcheck_tests: runs opcheck on the operators that a test suite calls."""

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import wraps
from typing import Any, TypeVar

from .. import _C, testing

PREFIX = "test_opcheck__"

TestCase = TypeVar("TestCase", bound=type)
Decorators = Callable | Sequence[Callable]


@contextmanager
def _checked(namespaces: list[str], checks: list[str], examples: int, seed: int) -> Iterator[None]:
    """Run opcheck on the calls of the block; raise the failures when the block ends."""
    with _C.CheckedCalls(namespaces, checks, examples, seed) as calls:
        yield
    if calls.failures:
        texts = [f"called at {line}\n{report.failure_text()}" for line, report in calls.failures]
        error = testing.OpCheckError("\n\n".join(texts))
        error.report = calls.failures[0][1]
        raise error


def _with_opcheck(method: Callable, check: Callable) -> Callable:
    if inspect.iscoroutinefunction(method):

        @wraps(method)
        async def run(*args: Any, **kwargs: Any) -> None:
            with check():
                await method(*args, **kwargs)

    else:

        @wraps(method)
        def run(*args: Any, **kwargs: Any) -> None:
            with check():
                method(*args, **kwargs)

    return run


def _tests_of(test_case: type) -> list[str]:
    return [
        name
        for name in dir(test_case)
        if name.startswith("test")
        and not name.startswith(PREFIX)
        and inspect.isroutine(getattr(test_case, name))
    ]


def generate_opcheck_tests(
    test_case: TestCase,
    namespaces: str | Sequence[str],
    *,
    test_utils: str | Sequence[str] = "ALL",
    examples: int = 10,
    seed: int = 0,
    additional_decorators: Mapping[str, Decorators] | None = None,
) -> TestCase:
    """Add to a test class, for each of its tests, a test that opchecks the operators it calls.

    `test_case` is a `unittest.TestCase` or a class that pytest collects. For `test_gain` it gets
    `test_opcheck__test_gain`, which runs the same test and checks each call of an operator of the
    `namespaces`; calls that differ only in the values of tensors are checked once. It fails with
    the report of `opcheck` and the line of the call. `test_utils`, `examples` and `seed` are those
    of `opcheck`; `additional_decorators` maps names of added tests to one or more decorators.

    >>> import unittest
    >>> import opwright as ow
    >>> @ow.library.custom_op("docs_tests::double", mutates_args=())
    ... def double(x: ow.Tensor) -> ow.Tensor:
    ...     return x.mul_(2).clone()
    >>> class TestDouble(unittest.TestCase):
    ...     def test_ones(self):
    ...         self.assertEqual(double(ow.ones(2)).tolist(), [2.0, 2.0])
    >>> TestDouble = generate_opcheck_tests(TestDouble, "docs_tests", test_utils="schema")
    >>> TestDouble("test_ones").run().wasSuccessful()
    True
    >>> TestDouble("test_opcheck__test_ones").run().wasSuccessful()
    False
    """
    wanted = [namespaces] if isinstance(namespaces, str) else list(namespaces)
    checks = [test_utils] if isinstance(test_utils, str) else list(test_utils)
    chosen = additional_decorators or {}

    def check() -> Any:
        return _checked(wanted, checks, examples, seed)

    tests = _tests_of(test_case)
    unknown = sorted(set(chosen) - {PREFIX + name for name in tests})
    if unknown:
        raise ValueError(
            f"generate_opcheck_tests: additional_decorators names {unknown[0]!r}, but "
            f"{test_case.__name__} gets {', '.join(PREFIX + name for name in tests) or 'no tests'}"
        )
    for name in tests:
        added = _with_opcheck(getattr(test_case, name), check)
        added.__name__ = PREFIX + name
        added.__qualname__ = f"{test_case.__qualname__}.{PREFIX}{name}"
        decorators = chosen.get(added.__name__, ())
        for decorate in decorators if isinstance(decorators, Sequence) else [decorators]:
            added = decorate(added)
        setattr(test_case, PREFIX + name, added)
    return test_case

"""For pytest: the fixture `opcheck`, with options for the number and the seed of its inputs."""

from collections.abc import Callable
from functools import wraps
from typing import Any

import pytest

from .. import testing

_REPORTS = pytest.StashKey[list[tuple[str, testing.CheckReport]]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add --opcheck-examples and --opcheck-seed."""
    group = parser.getgroup("opwright")
    group.addoption(
        "--opcheck-examples",
        type=int,
        metavar="N",
        help="inputs that the fixture opcheck makes from each example (default: 50)",
    )
    group.addoption(
        "--opcheck-seed", type=int, metavar="N", help="seed of these inputs (default: 0)"
    )


@pytest.fixture
def opcheck(request: pytest.FixtureRequest) -> Callable[..., testing.CheckReport]:
    """`opwright.opcheck` with the options of the command line; -v shows its tables."""
    options = {
        "examples": request.config.getoption("--opcheck-examples"),
        "seed": request.config.getoption("--opcheck-seed"),
    }
    given = {name: value for name, value in options.items() if value is not None}
    reports = request.config.stash.setdefault(_REPORTS, [])

    @wraps(testing.opcheck)
    def run(*args: Any, **kwargs: Any) -> testing.CheckReport:
        __tracebackhide__ = True
        try:
            report = testing.opcheck(*args, **{**given, **kwargs})
        except testing.OpCheckError as error:
            reports.append((request.node.nodeid, error.report))
            raise error.with_traceback(None) from None
        reports.append((request.node.nodeid, report))
        return report

    return run


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Show the tables if -v was given."""
    reports = terminalreporter.config.stash.get(_REPORTS, [])
    if not reports or terminalreporter.config.get_verbosity() < 1:
        return
    terminalreporter.section("opcheck")
    for test, report in reports:
        terminalreporter.line(f"{test}\n{report.table()}")

"""The table of tools/time_from_scratch."""

import importlib.util
import sys
from importlib.machinery import SourceFileLoader
from pathlib import Path

import pytest

TOOL = Path(__file__).resolve().parents[2] / "tools" / "time_from_scratch"


@pytest.fixture(scope="module")
def tool():
    loader = SourceFileLoader("time_from_scratch", str(TOOL))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    sys.modules[loader.name] = module  # dataclasses look their module up
    loader.exec_module(module)
    yield module
    del sys.modules[loader.name]


def table_of(tool, *rows) -> list[str]:
    return [line for line in tool.write_table(list(rows)).splitlines() if line.startswith("|")]


def test_a_command_is_shown_with_its_limits(tool):
    demo = tool.Row("make demo", "total", 207.06, 379.2)
    again = tool.Row("make demo, again", "total", 11.7, 21.4)

    assert table_of(tool, demo, again) == [
        "| command | part | seconds | CPU seconds | limit |",
        "|---|---|--:|--:|--:|",
        "| make demo | total | 207.1 | 379.2 | 600 CPU s, 360 s |",
        "| make demo, again | total | 11.7 | 21.4 | 15 s |",
    ]


def test_sections_and_set_ups_have_no_limit(tool):
    section = tool.Row("make test", "C++ tests", 10, 20)
    packages = tool.Row("packages of demo", "total", 12.5, 12)

    assert tool.limit_of(section) == ""
    assert tool.limit_of(packages) == ""


def test_a_rebuild_has_the_limit_of_its_file(tool):
    source, limit = next(iter(tool.CHANGES.items()))
    row = tool.Row("tools/build release python", f"after a change of {source}", 9, 18)

    assert tool.limit_of(row) == f"{limit} s"


def test_a_failed_row_says_so(tool):
    failed = tool.Row("make test", "total", 1.0, 2.0, passed=False)

    assert table_of(tool, failed)[-1] == "| make test | total | 1.0 | 2.0 | FAILED |"


def test_ci_is_the_sum_of_its_three_commands(tool):
    rows = [
        tool.Row("make demo", "total", 100, 200),
        tool.Row("make test", "C++ tests", 5, 5),
        tool.Row("make test", "total", 10, 20),
        tool.Row("make test-sanitizers", "total", 30, 40),
        tool.Row("make test-devices", "total", 50, 60),
    ]

    total = tool.sum_of_ci(rows)

    assert (total.command, total.wall, total.cpu, total.passed) == (".ci/run", 90, 120, True)
    assert table_of(tool, total)[-1] == "| .ci/run | total | 90.0 | 120.0 | 3600 s |"


def test_ci_fails_with_one_of_its_commands(tool):
    rows = [
        tool.Row("make test", "total", 10, 20),
        tool.Row("make test-devices", "total", 50, 60, passed=False),
    ]

    assert table_of(tool, tool.sum_of_ci(rows))[-1].endswith("| FAILED |")

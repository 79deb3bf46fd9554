"""Gives the package of $OPWRIGHT_BUILD (else build/release) to all tests and what they start.

Without it tests/python is left out, and the summary says so.
"""

import os
import sys
from pathlib import Path

import hypothesis
import pytest

# A run finds the same each time; the long form (OPWRIGHT_ALL=1) looks for more.
hypothesis.settings.register_profile("seeded", derandomize=True)
if os.environ.get("OPWRIGHT_ALL") != "1":
    hypothesis.settings.load_profile("seeded")

ROOT = Path(__file__).resolve().parents[1]
BUILD = Path(os.environ.get("OPWRIGHT_BUILD", ROOT / "build" / "release")).resolve()
PACKAGE_PATH = BUILD / "python"

collect_ignore = []
pytest_plugins = ["tests.own_process"]


def prepend_to_python_path(folder: Path) -> None:
    sys.path.insert(0, str(folder))
    others = os.environ.get("PYTHONPATH")
    if str(folder) not in (others or "").split(os.pathsep):  # a worker or a child inherits it
        os.environ["PYTHONPATH"] = f"{folder}{os.pathsep}{others}" if others else str(folder)


os.environ.setdefault("JAX_PLATFORMS", "cpu")  # arrays where the tests can read them

if any((PACKAGE_PATH / "opwright").glob("_C*.so")):
    prepend_to_python_path(PACKAGE_PATH)
    pytest_plugins.append("opwright._opcheck.pytest_plugin")
else:
    collect_ignore.append("python")


@pytest.fixture(autouse=True)
def _same_random_numbers() -> None:
    """Start every test with the same random numbers, whatever ran before it."""
    for library in ("opwright", "torch"):
        if module := sys.modules.get(library):
            module.manual_seed(0)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if collect_ignore:
        terminalreporter.section("the Python package is not built", yellow=True)
        terminalreporter.line(
            f"tests/python was SKIPPED: there is no module _C in {PACKAGE_PATH}/opwright; "
            "run tools/build release python"
        )

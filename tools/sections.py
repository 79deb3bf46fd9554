"""Runs the sections of a test command one after another, then prints a table of their times."""

import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PYTHON = ROOT / ".venv" / "bin" / "python"
IS_LONG = os.environ.get("OPWRIGHT_ALL") == "1"


def run(command: Sequence[str | Path], **environment: str) -> bool:
    """Run a command in the repository root with extra environment variables; return its success."""
    sys.stdout.flush()
    words = [str(word) for word in command]
    return subprocess.run(words, cwd=ROOT, env=os.environ | environment).returncode == 0


def build(name: str, *targets: str) -> bool:
    return run(["tools/build", name, *targets])


def run_ctest(name: str, *options: str, **environment: str) -> bool:
    """Run the C++ tests of build/<name> in parallel."""
    jobs = str(os.cpu_count())
    command = ["ctest", "--test-dir", f"build/{name}", "--output-on-failure", "--no-tests=error"]
    return run([*command, "-j", jobs, *options], **environment)


def run_pytest(name: str, *options: str | Path, **environment: str) -> bool:
    """Run Python tests with the package in build/<name>."""
    folder = ROOT / "build" / name
    if not any((folder / "python" / "opwright").glob("_C*.so")):
        print(f"build/{name} has no module _C: the build found no Python headers or no nanobind")
        return False
    return run([PYTHON, "-m", "pytest", "-q", *options], OPWRIGHT_BUILD=str(folder), **environment)


def cpu_seconds() -> float:
    """Return the CPU time of all child processes that this process waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


@dataclass
class Section:
    title: str
    wall_seconds: float
    cpu_seconds: float
    passed: bool


class Sections:
    """The sections of one command.

    A failed section does not stop the others. If $OPWRIGHT_SECTIONS names a file, the times are
    written there as JSON (for tools/time_from_scratch).
    """

    def __init__(self) -> None:
        self._done: list[Section] = []

    def run(self, title: str, work: Callable[[], bool]) -> bool:
        print(f"\n=== {title}", flush=True)
        began, cpu_before = time.monotonic(), cpu_seconds()
        passed = work()
        section = Section(title, time.monotonic() - began, cpu_seconds() - cpu_before, passed)
        self._done.append(section)
        outcome = "ok" if passed else "FAILED"
        print(f"--- {title}: {outcome} ({section.wall_seconds:.0f} s)", flush=True)
        return passed

    def close(self) -> int:
        """Print the table; return the exit status."""
        total = Section(
            "total",
            sum(section.wall_seconds for section in self._done),
            sum(section.cpu_seconds for section in self._done),
            all(section.passed for section in self._done),
        )
        width = max(len(section.title) for section in self._done)
        print(f"\n{'section':{width}}   seconds   CPU seconds")
        for section in [*self._done, total]:
            outcome = "" if section.passed else "   FAILED"
            times = f"{section.wall_seconds:10.1f}{section.cpu_seconds:14.1f}"
            print(f"{section.title:{width}}{times}{outcome}")
        if path := os.environ.get("OPWRIGHT_SECTIONS"):
            Path(path).write_text(json.dumps([asdict(section) for section in self._done]))
        return 0 if total.passed else 1

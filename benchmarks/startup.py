"""What `import opwright` costs: time and memory of a fresh process, and the size of the package.

Times are CPU time of the fresh process with its files in the cache: on an idle machine that is the
time on the clock, and on a busy one it leaves out what other programs took.
"""

import importlib.util
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from harness import Report, Row, release_build

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = release_build() / "python" / "opwright"

# Prints the CPU time it has used and the most memory it had. That is VmHWM: ru_maxrss of a process
# starts with its parent's.
PROBE = """
{statement}
import time
print(time.process_time_ns())
print(next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")))
"""


class Start:
    """Fresh processes that run one statement; collects their times and peak memory."""

    def __init__(self, statement):
        self.command = [sys.executable, "-c", PROBE.format(statement=statement)]
        self.milliseconds = []
        self.megabytes = []

    def run(self):
        done = subprocess.run(
            self.command,
            check=True,
            capture_output=True,
            text=True,
            env={"PYTHONPATH": str(PACKAGE.parent)},
        )
        nanoseconds, kilobytes = done.stdout.split()
        self.milliseconds.append(int(nanoseconds) / 1e6)
        self.megabytes.append(int(kilobytes) / 1024)


def median_of_starts(statements, rounds):
    """Milliseconds and megabytes of each statement; the first round fills the file cache."""
    starts = {name: Start(statement) for name, statement in statements.items()}
    for turn in range(rounds + 1):
        for start in starts.values():
            start.run()
            if turn == 0:
                start.milliseconds.clear()
    return {
        name: (statistics.median(start.milliseconds), statistics.median(start.megabytes))
        for name, start in starts.items()
    }


def stripped_size(library, folder):
    copy = folder / library.name
    subprocess.run(["strip", "-o", copy, library], check=True)
    return copy.stat().st_size


def package_megabytes():
    """What a wheel holds: the package's files, its two libraries stripped, and the headers."""
    total = 0
    with tempfile.TemporaryDirectory() as folder:
        for library in [*PACKAGE.glob("_C*.so"), PACKAGE / "lib/libopwright.so"]:
            total += stripped_size(library, Path(folder))
    sources = [(ROOT / "python/opwright", "*"), (ROOT / "include", "*.h")]
    sources.append((release_build() / "generated", "*.h"))
    for folder, pattern in sources:
        files = [path for path in folder.rglob(pattern) if path.is_file()]
        total += sum(path.stat().st_size for path in files if "__pycache__" not in path.parts)
    return total / 1024**2


def main():
    report = Report(__doc__.splitlines()[0])
    statements = {"bare": "", "numpy": "import numpy", "ours": "import numpy, opwright"}
    statements["call"] = "import numpy, opwright; opwright.ones(2)"
    if importlib.util.find_spec("torch"):
        statements["torch"] = "import torch"
    figures = median_of_starts(statements, rounds=5 if report.options.quick else 21)
    bare, _ = figures["bare"]
    milliseconds = {name: time_ - bare for name, (time_, _) in figures.items()}
    report.add(Row.told("start of a bare interpreter", ours=bare, unit="ms"))
    report.add(Row.told("import numpy, over that", ours=milliseconds["numpy"], unit="ms"))
    ours, torch = milliseconds["ours"], milliseconds.get("torch")
    report.add(Row.at_most("import opwright with NumPy", ours=ours, limit=120, unit="ms"))
    report.add(Row.told("  of which opwright itself", ours=ours - milliseconds["numpy"], unit="ms"))
    first = milliseconds["call"] - ours
    report.add(Row.told("  first call of an operator, over that", ours=first, unit="ms"))
    report.add(Row.times_better("  beside import torch", ours=ours, peer=torch, times=8, unit="ms"))
    _, torch_memory = figures.get("torch", (None, None))
    report.add(
        Row.at_most(
            "peak memory after it",
            ours=figures["ours"][1],
            limit=60,
            unit="MB",
            peer=torch_memory,
        )
    )
    report.add(
        Row.at_most("files of the package, stripped", ours=package_megabytes(), limit=20, unit="MB")
    )
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())

"""Import time, memory and package size compared with PyTorch.

Times are CPU times of a fresh process whose files are in the file cache, so other work on the
machine does not count.
"""

import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from harness import Report, Row, find_peer, release_build

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = release_build() / "python" / "opwright"

# Prints the CPU time and the peak memory of the process. The peak is VmHWM, because ru_maxrss is
# inherited from the parent.
PROBE = """
{statement}
import time
print(time.process_time_ns())
print(next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")))
"""


class Start:
    """Runs one statement in fresh processes and collects their times and peak memory."""

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
    """Return the median ms and MB of each statement; the first round fills the file cache."""
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
    """Return the size of a wheel: Python files, two stripped libraries, and the headers."""
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
    report = Report(__doc__)
    statements = {"bare": "", "numpy": "import numpy", "ours": "import numpy, opwright"}
    statements["call"] = "import numpy, opwright; opwright.ones(2)"
    statements["package"] = "import opwright"
    statements["compat"] = "import opwright.compat.torch"
    if find_peer("torch"):
        statements["torch"] = "import torch"
    figures = median_of_starts(statements, rounds=report.rounds(5, 21))
    bare, _ = figures["bare"]
    milliseconds = {name: time_ - bare for name, (time_, _) in figures.items()}
    report.add(Row.told("start of a bare interpreter", ours=bare, unit="ms"))
    numpy = milliseconds["numpy"]
    report.add(Row.told("import numpy, over the bare interpreter", ours=numpy, unit="ms"))
    ours, torch = milliseconds["ours"], milliseconds.get("torch")
    report.add(Row.at_most("import opwright with NumPy", ours=ours, limit=120, unit="ms"))
    report.add(Row.told("  of which opwright itself", ours=ours - numpy, unit="ms"))
    first = milliseconds["call"] - ours
    report.add(Row.told("  first call of an operator", ours=first, unit="ms"))
    compat = milliseconds["compat"] - milliseconds["package"]
    text = "  opwright.compat.torch, over import opwright (limit: import numpy)"
    report.add(Row.at_most(text, ours=compat, limit=numpy, unit="ms"))
    report.add(Row.times_better("  vs import torch", ours=ours, peer=torch, times=8, unit="ms"))
    _, torch_memory = figures.get("torch", (None, None))
    report.add(
        Row.at_most(
            "peak memory after the import",
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

"""Writes docs/results/cuda.md from the logs of tools/test_cuda: write_results.py LOGS FILE."""

import datetime
import importlib.metadata
import json
import platform
import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "benchmarks"))
from harness import Row, markdown_table

TESTS = {
    "kernels": "Element functions of the kernels, on the CPU",
    "allocator": "Allocator over a fake device",
    "plugin": "The plug-in through its table",
    "tests": "Operators, transforms, exchange, errors, training",
    "training": "examples/train_digits with its operator in CUDA",
    "replay": "Recorded calls compared with the CPU",
}
COUNT = re.compile(r"\[  (PASSED|SKIPPED|FAILED) +\] (\d+) tests?")


def first_line(*command: str) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return "missing"
    return done.stdout.strip().splitlines()[0] if done.stdout.strip() else "missing"


def version_of(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "missing"


def result_of(log: str) -> str:
    """Return the counts of a log of GoogleTest, or the last line of another log."""
    counts = [f"{number} {outcome.lower()}" for outcome, number in COUNT.findall(log)]
    last = log.rstrip().split("\n")[-1].split("\r")[-1]
    return ", ".join(counts) or last.strip("= ")


def describe_run(device: str) -> list[str]:
    """Return a table of the machine; `device` is a line of nvidia-smi: name, driver, memory."""
    name, driver, memory = (word.strip() for word in device.split(","))
    compiler = re.search(r"V([\d.]+)", first_line("sh", "-c", "nvcc --version | tail -n 2"))
    facts = {
        "date": str(datetime.date.today()),
        "device": name,
        "driver": driver,
        "memory": memory,
        "nvcc": compiler[1] if compiler else "missing",
        "torch": version_of("torch"),
        "Python": platform.python_version(),
    }
    return [
        f"| {' | '.join(facts)} |",
        "|---" * len(facts) + "|",
        f"| {' | '.join(facts.values())} |",
    ]


def table_of_tests(logs: Path) -> list[str]:
    lines = ["| tests | outcome | result |", "|---|---|---|"]
    for name, title in TESTS.items():
        passed = (logs / f"{name}.status").read_text().strip() == "0"
        result = result_of((logs / name).read_text())
        lines.append(f"| {title} | {'ok' if passed else 'FAILED'} | {result} |")
    return lines


def demote_headings(text: str) -> list[str]:
    return ["#" + line if line.startswith("#") else line for line in text.splitlines()]


def main(logs: Path, file: Path) -> None:
    query = ("nvidia-smi", "--query-gpu=name,driver_version,memory.total", "--format=csv,noheader")
    device = first_line(*query)
    if device == "missing":
        print(f"{file} was not written: there is no GPU")
        return
    lines = ["# The CUDA device", "", "Written by `make test-cuda`.", ""]
    lines += [*describe_run(device), "", "## Tests", "", *table_of_tests(logs)]
    bench, replay = logs / "bench.json", logs / "replay.md"
    if bench.exists():
        rows = [Row(**row) for row in json.loads(bench.read_text())]
        lines += ["", "## Benchmarks: `benchmarks/cuda.py`, compared with torch", ""]
        lines += markdown_table(row.cells() for row in rows)
    if replay.exists():
        lines += ["", *demote_headings(replay.read_text())]
    file.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))

"""Writes docs/results/cuda.md of the logs that tools/test_cuda left: write_results.py LOGS FILE."""

import datetime
import importlib.metadata
import platform
import subprocess
import sys
from pathlib import Path

SECTIONS = {
    "kernels": "Element functions of the kernels, on the CPU",
    "allocator": "Allocator over a made-up device",
    "plugin": "The plug-in through its table",
    "tests": "Operators, transforms, exchange, errors, training",
    "training": "examples/train_digits with its operator in CUDA",
    "bench": "Benchmarks beside torch",
}
LINES = 60  # the last ones of a log


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


def lines_of(log: Path) -> list[str]:
    """The lines as they stand at the end, where a line was written over; paths from the root."""
    text = log.read_text().rstrip().replace(f"{Path.cwd()}/", "")
    return [line.split("\r")[-1] for line in text.split("\n")]


def main(logs: Path, file: Path) -> None:
    query = ("nvidia-smi", "--query-gpu=name,driver_version,memory.total", "--format=csv,noheader")
    device = first_line(*query)
    if device == "missing":
        print(f"{file} was not written: there is no GPU")
        return
    compiler = first_line("sh", "-c", "nvcc --version | tail -n 2")
    lines = [
        "# The CUDA device",
        "",
        f"{datetime.date.today()}; {device}; {compiler}; torch {version_of('torch')}, "
        f"Python {platform.python_version()}. Written by `make test-cuda`.",
        "",
        "| part | outcome | last line |",
        "|---|---|---|",
    ]
    for name, words in {**SECTIONS, "replay": "Recorded calls beside the CPU"}.items():
        text = lines_of(logs / name)
        status = (logs / f"{name}.status").read_text().strip()
        wrong = "a row is short" if name == "bench" else "FAILED"
        outcome = "ok" if status == "0" else wrong
        lines.append(f"| {words} | {outcome} | {text[-1]} |")
    for name, words in SECTIONS.items():
        text = lines_of(logs / name)[-LINES:]
        lines += ["", f"## {words}", "", "```text", *text, "```"]
    replay = logs / "replay.md"
    if replay.exists():
        lines += [
            "",
            *(
                "#" + line if line.startswith("#") else line
                for line in replay.read_text().splitlines()
            ),
        ]
    file.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))

"""One operator binary through every mode and every host, with a table of the outcomes.

python examples/tour/tour.py libsoft_clip.so [the tour in C++]

Each host runs in a process of its own, all at once; their output is shown host by host.
"""

import hashlib
import importlib.util
import os
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import opwright as ow
from stops import TABLE

HERE = Path(__file__).resolve().parent
DEVICES = "Devices"
MARKS = {"works": "✓", "FAILED": "✗"}


@dataclass(frozen=True)
class Row:
    host: str
    mode: str
    outcome: str


@dataclass
class Visit:
    """The tour of one host: a running process, or the reason why there is none."""

    host: str
    process: subprocess.Popen | None = None
    reason: str = ""


def relative(path: str) -> str:
    """Return a path relative to the working directory if it is inside, otherwise unchanged."""
    return os.path.relpath(path) if Path(path).is_relative_to(Path.cwd()) else path


def start(host: str, *command: str) -> Visit:
    environment = os.environ | {"PYTHONUNBUFFERED": "1"}
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        env=environment,
    )
    return Visit(host, process)


def start_script(host: str, script: str, binary: str) -> Visit:
    return start(host, sys.executable, str(HERE / script), binary)


def start_with_package(host: str, script: str, binary: str, package: str, command: str) -> Visit:
    """Start the script of a host, or name the command that installs its package."""
    if importlib.util.find_spec(package) is None:
        return Visit(host, reason=f"not installed: {command}")
    return start_script(host, script, binary)


def start_devices(binary: str) -> Visit:
    """Start the tour of the devices if a plug-in has been built."""
    plugins = Path(ow.__file__).parent / "lib"
    if not any((plugins / f"libopwright_{name}.so").exists() for name in ("opencl", "cuda")):
        return Visit(DEVICES, reason="not built: make test-devices builds and tests them")
    return start_script(DEVICES, "in_devices.py", binary)


def start_all(binary: str, cpp_tour: str | None) -> list[Visit]:
    pip = f"{relative(sys.executable)} -m pip install"
    visits = [start("Opwright, C++", cpp_tour, binary)] if cpp_tour else []
    return [
        *visits,
        start_script("Opwright, Python", "in_opwright.py", binary),
        start_with_package("PyTorch", "in_torch.py", binary, "torch", "make demo HOSTS=torch"),
        start_with_package("JAX", "in_jax.py", binary, "jax", f"{pip} jax"),
        start_with_package(
            "ONNX Runtime", "in_onnxruntime.py", binary, "onnxruntime", f"{pip} onnxruntime"
        ),
        start_devices(binary),
    ]


def follow(visit: Visit) -> list[Row]:
    """Show what a host prints until it ends, and return the rows of the table at its end."""
    if visit.process is None:
        return [Row(visit.host, "all modes", visit.reason)]
    rows, table_began = [], False
    for line in visit.process.stdout:
        outcome = re.match(r"(works|FAILED) +(.+)", line)
        if table_began and outcome:
            rows.append(Row(visit.host, outcome[2], outcome[1]))
        elif line.rstrip() == TABLE:
            table_began = True
        else:
            print(line, end="", flush=True)
    status = visit.process.wait()
    if status not in (0, 1) or not table_began:
        return [*rows, Row(visit.host, f"ended with status {status}", "FAILED")]
    doctor = f"{relative(sys.executable)} -m opwright doctor"
    return rows or [Row(visit.host, "all modes", f"no device found: {doctor} says why")]


def mark(outcome: str) -> str:
    """Put a mark before an outcome if the output can show it."""
    try:
        "".join(MARKS.values()).encode(sys.stdout.encoding)
    except UnicodeEncodeError:
        return outcome
    return f"{MARKS.get(outcome, '-')} {outcome}"


def print_table(rows: list[Row]) -> None:
    width = max(len(row.mode) for row in rows) + 2
    print(f"{'Host':18}{'Mode':{width}}Outcome")
    previous = ""
    for row in rows:
        host = row.host if row.host != previous else ""
        print(f"{host:18}{row.mode:{width}}{mark(row.outcome)}")
        previous = row.host


def summarize(rows: list[Row], size: int) -> str:
    """Return the line that counts modes, hosts and devices."""
    tried = [row for row in rows if row.outcome in MARKS]
    works = [row for row in tried if row.outcome == "works"]
    hosts = {row.host for row in works} - {DEVICES}
    devices = {row.mode.split(":")[0] for row in works if row.host == DEVICES}
    on_devices = f" and on {', '.join(sorted(devices))}" if devices else ""
    in_hosts = f"{len(hosts)} host{'s' if len(hosts) != 1 else ''}"
    return (
        f"{len(works)} of {len(tried)} modes work, in {in_hosts}{on_devices}. "
        f"Every host loads the same binary of {size / 1000:.0f} kB."
    )


def next_steps(rows: list[Row], binary: str) -> tuple[str, str, str]:
    """Return three lines that say what to try next; their commands work in this directory."""
    path = os.environ.get("PYTHONPATH")
    variable = f"PYTHONPATH={shlex.quote(path)} " if path else ""
    python = variable + shlex.quote(relative(sys.executable))
    check = f"-m opwright check audio::soft_clip --load {shlex.quote(binary)}"
    example = relative(str(HERE.parent / "compile_model" / "compile_model.py"))
    second = f"Compile a model:     {python} {shlex.quote(example)}"
    if any(row.host == "PyTorch" and row.mode == "all modes" for row in rows):
        second = "Add PyTorch:         make demo HOSTS=torch"
    return (
        f"Check the operator:  {python} {check} --example 'randn(3, 4), 0.5'",
        second,
        f"Write your own:      {relative(str(HERE.parents[1] / 'docs' / 'quickstart.md'))}",
    )


def main() -> int:
    binary, cpp_tour = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else None
    content = Path(binary).read_bytes()
    visits = start_all(binary, cpp_tour)
    names = "; ".join(visit.host for visit in visits if visit.process)
    print(f"Running audio::soft_clip of {Path(binary).name} in: {names}\n", flush=True)
    rows = [row for visit in visits for row in follow(visit)]
    print(f"{Path(binary).name}, sha256 {hashlib.sha256(content).hexdigest()}\n")
    print_table(rows)
    print(f"\n{summarize(rows, len(content))}\n")
    print("\n".join(next_steps(rows, binary)))
    return any(row.outcome == "FAILED" for row in rows)


if __name__ == "__main__":
    sys.exit(main())

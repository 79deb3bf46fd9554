"""Writes the rows of a benchmark as a page of docs/results."""

import datetime
import importlib.metadata
import os
import platform
from pathlib import Path

RESULTS = Path(__file__).resolve().parents[2] / "docs" / "results"
PEERS = ("torch", "jax", "onnx", "onnxscript", "onnxruntime", "apache-tvm-ffi")


def describe_run(command):
    """Return the facts of this run by column: date, command, machine, versions."""
    versions = [f"Python {platform.python_version()}"]
    for package in PEERS:
        try:
            versions.append(f"{package} {importlib.metadata.version(package)}")
        except importlib.metadata.PackageNotFoundError:
            continue
    return {
        "date": str(datetime.date.today()),
        "command": f"`{command} --write`",
        "machine": f"{os.cpu_count()} cores, {processor_name()}",
        "versions": ", ".join(versions),
    }


def processor_name():
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def markdown_table(cells):
    """Return the lines of a table; a name that is indented continues the row above."""
    lines = [
        "| | ours | peer | peer / ours | target | |",
        "|---|--:|--:|--:|---|---|",
    ]
    for name, *others in cells:
        title = f"... {name.strip()}" if name.startswith(" ") else name
        texts = [text.replace("|", "\\|") for text in (title, *others)]
        lines.append(f"| {' | '.join(texts)} |")
    return lines


def write_page(path, description, run, cells):
    """Write the page: title and text of `description`, the facts of the run, the rows."""
    title, _, text = description.strip().partition("\n")
    lines = [f"# {title.rstrip('.')}", ""]
    lines += [text.strip(), ""] if text.strip() else []
    lines += [
        f"| {' | '.join(run)} |",
        "|---" * len(run) + "|",
        f"| {' | '.join(run.values())} |",
        "",
        *markdown_table(cells),
    ]
    path.write_text("\n".join(lines) + "\n")

"""Prints which operators further architectures need that Opwright does not have.

python -m tests.python.pt2.models.architectures [--write] [--from FOLDER]

A child process exports each model with torch, or did so before (write_wider_archives). This
process, without torch, reads the archives. With --write the table becomes
docs/results/architectures.md. Exits with 1 if more than 3 % need one.
"""

import argparse
import datetime
import json
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Any

from opwright import _C, export

ROOT = Path(__file__).resolve().parents[4]
PAGE = ROOT / "docs/results/architectures.md"
SHARE = 0.97
HEADER = """\
# Architectures whose exported programs run

Written by `python -m tests.python.pt2.models.architectures --write` with {versions}
on {date}. Each architecture has random weights and a small configuration; `torch.export.export` and
`save` make its archive. Missing are the operators that the archive names and Opwright does not
have. An archive loads if every result has the dtype and sizes that PyTorch recorded.
`tests/python/pt2/models/roster.py` lists the 37 programs whose results are compared with PyTorch's.

By default transformers computes mixtures of experts by `transformers::grouped_mm_fallback`, a
custom operator that it defines in Python. A program with it needs a definition here too. All but
one of these models are exported with `experts_implementation="batched_mm"`, which needs none.

"""
LIBRARIES = ("torch", "transformers", "timm", "torchvision")


@dataclass
class Row:
    name: str
    targets: set[str] = field(default_factory=set)
    missing: list[str] = field(default_factory=list)
    problem: str = ""  # why it does not load


def targets_of(graph: Any) -> Iterator[str]:
    """Give the functions that the JSON of a graph names, those of graphs in it among them."""
    if isinstance(graph, dict):
        if isinstance(graph.get("target"), str) and "inputs" in graph:
            yield graph["target"]
        graph = list(graph.values())
    if isinstance(graph, list):
        for each in graph:
            yield from targets_of(each)


def operator_of(target: str) -> str:
    """Name the operator of "torch.ops.aten.add.Tensor": aten::add.Tensor."""
    namespace, name, overload = target.removeprefix("torch.ops.").rsplit(".", 2)
    return f"{namespace}::{name}" + ("" if overload == "default" else f".{overload}")


def is_registered(target: str) -> bool:
    return _C.find_operator(operator_of(target)) is not None


def read(path: Path, name: str) -> Row:
    row = Row(name)
    with zipfile.ZipFile(path) as archive:
        (entry,) = (each for each in archive.namelist() if each.endswith("models/model.json"))
        program = json.loads(archive.read(entry))
    row.targets = set(targets_of(program["graph_module"]["graph"]["nodes"]))
    try:
        export.load(path)
    except Exception as error:
        row.problem = str(error).splitlines()[0]
    return row


def note_missing(rows: list[Row]) -> None:
    """An operator is missing if it is not registered, and no archive that has it loads: the reader
    itself replays some functions of the export."""
    replayed = {target for row in rows if not row.problem for target in row.targets}
    for row in rows:
        unknown = {each for each in row.targets - replayed if each.startswith("torch.ops.")}
        row.missing = sorted(operator_of(each) for each in unknown if not is_registered(each))


def table(rows: list[Row], failed: dict[str, str]) -> str:
    complete = sum(not row.missing for row in rows)
    loaded = sum(not row.problem for row in rows)
    lines = [
        f"Of {len(rows)} architectures {complete} ({complete / len(rows):.1%}) need no missing "
        f"operator, and {loaded} load.",
        "",
        "| architecture | operators | missing | loads |",
        "|---|---|---|---|",
    ]
    for row in rows:
        missing = ", ".join(f"`{each}`" for each in row.missing) or "none"
        lines.append(f"| {row.name} | {len(row.targets)} | {missing} | {row.problem or 'yes'} |")
    if failed:
        lines += ["", "torch.export does not export these as configured:", ""]
        lines += [f"- {name}: {reason}" for name, reason in failed.items()]
    return "\n".join(lines) + "\n"


def export_all(folder: Path) -> None:
    module = "tests.python.pt2.models.write_wider_archives"
    subprocess.run([sys.executable, "-m", module, folder], check=True, cwd=ROOT)


def header() -> str:
    versions = ", ".join(f"{name} {metadata.version(name)}" for name in LIBRARIES)
    return HEADER.format(versions=versions, date=datetime.date.today())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="docs/results/architectures.md")
    parser.add_argument("--from", dest="folder", type=Path, help="of write_wider_archives")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.folder or Path(temporary)
        if not options.folder:
            export_all(folder)
        index = json.loads((folder / "index.json").read_text())
        rows = [read(folder / file, title) for title, file in index["archives"].items()]
    note_missing(rows)
    text = table(rows, index["failed"])
    print(text)
    if options.write:
        PAGE.write_text(header() + text)
    return 0 if sum(not row.missing for row in rows) >= SHARE * len(rows) else 1


if __name__ == "__main__":
    sys.exit(main())

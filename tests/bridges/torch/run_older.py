"""Runs torch's referees over the sample binaries of a folder, as they are, on the torch at hand.

    PYTHONPATH=build/release/python python -m tests.bridges.torch.run_older FOLDER [--markdown FILE]

FOLDER has the libtorch_*.so that another build made: nothing is compiled here. The table has a row
for each operator and the hash of each binary; FILE gets it as markdown, below what it has of runs
on other versions.
"""

import argparse
import hashlib
import platform
import re
import sys
from pathlib import Path

import opwright.torch
import torch

from tests.bridges.torch.referees import REFEREES
from tests.bridges.torch.samples import BINARIES, FROM_BINARIES, Sample, matrix
from tests.bridges.torch.torch_table import Run, TableRow, merge_into

CUDA_BINARY = "libscale_cuda.so"


def hash_of(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def load(path: Path) -> None:
    """Load a binary; the referees fail on its operators where that cannot be done."""
    try:
        opwright.torch.load(path)
    except Exception as error:
        print(f"{path.name} cannot be loaded: {error}")


def judge(referee, sample: Sample) -> str:
    """Tell "ok", "-" where the referee has nothing to judge, or the first line of the error."""
    if not referee.applies_to(sample):
        return "-"
    torch._dynamo.reset()
    try:
        referee.judge(sample)
    except Exception as error:
        lines = str(error).strip().splitlines() or [""]
        return f"{type(error).__name__}: {lines[0][:100]}"
    return "ok"


def run_sample(sample: Sample, words: str) -> TableRow:
    row = TableRow(words, {name: judge(each, sample) for name, each in REFEREES.items()})
    failed = {name: text for name, text in row.outcomes.items() if text not in ("ok", "-")}
    print(f"{words:44} {failed or 'ok'}", flush=True)
    return row


def run_on_cuda(folder: Path) -> TableRow:
    """Judge the binary with a kernel for CUDA on tensors there, on a stream of its own."""
    opwright.torch.load(folder / CUDA_BINARY)
    sample = Sample(
        "on_device::scale",
        lambda n: tuple(tensor.cuda() for tensor in matrix(n)),
        lambda x: x * 2.5,
        lambda op, x: op(x, 2.5),
        trains=True,
    )
    with torch.cuda.stream(torch.cuda.Stream()):
        return run_sample(sample, f"{sample.name}, {torch.cuda.get_device_name()}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="where the binaries are")
    parser.add_argument("--markdown", type=Path, help="a page that gets the table")
    options = parser.parse_args()
    hashes = {}
    for name in BINARIES:
        path = options.folder / f"libtorch_{name}.so"
        hashes[path.name] = hash_of(path)
        load(path)
    rows = [run_sample(sample, sample.name) for sample in FROM_BINARIES]
    if torch.cuda.is_available() and (options.folder / CUDA_BINARY).exists():
        hashes[CUDA_BINARY] = hash_of(options.folder / CUDA_BINARY)
        rows.append(run_on_cuda(options.folder))
    version = re.match(r"[\d.]+", torch.__version__)[0]
    run = Run(version, platform.python_version(), hashes, tuple(rows))
    print(run.markdown())
    if options.markdown:
        merge_into(options.markdown, run)
    return any(row.failed for row in rows)


if __name__ == "__main__":
    sys.exit(main())

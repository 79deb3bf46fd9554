"""Runs torch's referees over the sample binaries of a folder, as they are, on the torch at hand.

    PYTHONPATH=build/release/python python tests/bridges/torch/run_older.py FOLDER [--markdown FILE]

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
from referees import REFEREES
from samples import BINARIES, FROM_BINARIES, Sample
from torch_table import Run, TableRow, merge_into

CUDA_BINARY = "libscale_cuda.so"


def hash_of(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


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


def run_samples(namespaces: set[str]) -> list[TableRow]:
    rows = []
    for sample in FROM_BINARIES:
        if sample.namespace not in namespaces:
            continue
        outcomes = {name: judge(referee, sample) for name, referee in REFEREES.items()}
        rows.append(TableRow(sample.name, outcomes))
        failed = {name: text for name, text in outcomes.items() if text not in ("ok", "-")}
        print(f"{sample.name:44} {failed or 'ok'}", flush=True)
    return rows


def run_on_cuda(folder: Path) -> TableRow:
    """Run the binary with a kernel for CUDA on torch's current stream."""
    opwright.torch.load(folder / CUDA_BINARY)
    outcomes = dict.fromkeys(REFEREES, "-")
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        x = torch.arange(1024.0, device="cuda")
        y = torch.ops.scale_cuda.scale(x, 2.5)
    stream.synchronize()
    outcomes["values"] = "ok" if torch.equal(y.cpu(), x.cpu() * 2.5) else "other values"
    return TableRow(f"scale_cuda::scale on {torch.cuda.get_device_name()}", outcomes)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="where the binaries are")
    parser.add_argument("--markdown", type=Path, help="a page that gets the table")
    options = parser.parse_args()
    hashes, namespaces = {}, set()
    for name in BINARIES:
        path = options.folder / f"libtorch_{name}.so"
        hashes[path.name] = hash_of(path)
        namespaces |= {name.split("::")[0] for name in opwright.torch.load(path).operators}
    rows = run_samples(namespaces)
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

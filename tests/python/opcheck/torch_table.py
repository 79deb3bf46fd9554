"""Runs the zoo through our opcheck and through torch.library.opcheck: who catches what.

From the root of the repository, after `tools/build release python test_operators`:

    .venv/bin/python -m tests.python.opcheck.torch_table            # to the terminal
    .venv/bin/python -m tests.python.opcheck.torch_table --write    # docs/results/opcheck_zoo.md
"""

import argparse
import datetime
import os
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
BUILD = ROOT / os.environ.get("OPWRIGHT_BUILD", "build/release")
sys.path.insert(0, str(BUILD / "python"))

import opwright as ow  # noqa: E402
import torch  # noqa: E402

from .host import Host  # noqa: E402
from .shown import check, findings_of  # noqa: E402
from .zoo import FAULTS, Fault  # noqa: E402
from .zoo.fault import NAMESPACE  # noqa: E402

PAGE = ROOT / "docs" / "results" / "opcheck_zoo.md"
NOT_CAUGHT = "no"

# What torch says of these it says of every operator of the sort, faulty or not.
OTHER_REASONS = {
    "view_copies": "refuses every view",
    "views_another": "refuses every view",
    "formula_writes_input": "refuses numpy in every formula",
    "write_in_formula": "refuses numpy in every formula",
}


def find_ours(fault: Fault) -> str:
    """Tell under which kinds our opcheck finds it."""
    with Host(ow, NAMESPACE) as host:
        found = findings_of(fault, check(fault.define(host)))
    return ", ".join(f"{each.check}/{each.kind}" for each in found) or NOT_CAUGHT


def find_torchs(fault: Fault) -> str:
    """Tell which of torch's tests fail."""
    if fault.twin is None:
        return "cannot be said in torch"
    with Host(torch, NAMESPACE) as host:
        example = fault.twin(host)
        told = torch.library.opcheck(
            example.op, example.args, dict(example.kwargs), raise_exception=False
        )
    failed = [name for name, outcome in told.items() if outcome != "SUCCESS"]
    if failed and fault.name in OTHER_REASONS:
        return f"{NOT_CAUGHT}: {OTHER_REASONS[fault.name]}"
    return ", ".join(failed) or NOT_CAUGHT


def table_lines() -> list[str]:
    rows = [(fault, find_ours(fault), find_torchs(fault)) for fault in FAULTS.values()]
    expressible = [(ours, torchs) for fault, ours, torchs in rows if fault.twin is not None]
    return [
        f"- faults: {len(rows)}, found by ours: {sum(ours != NOT_CAUGHT for _, ours, _ in rows)}",
        f"- of them that torch can express: {len(expressible)}, found by ours: "
        f"{sum(ours != NOT_CAUGHT for ours, _ in expressible)}, found by torch's: "
        f"{sum(not torchs.startswith(NOT_CAUGHT) for _, torchs in expressible)}",
        "",
        "| fault | what is wrong | ours | torch's |",
        "|---|---|---|---|",
        *(f"| {fault.name} | {fault.what} | {ours} | {torchs} |" for fault, ours, torchs in rows),
    ]


def page_lines(lines: Sequence[str]) -> list[str]:
    version = torch.__version__.partition("+")[0]
    return [
        "# Faults found by opcheck, ours and torch's",
        "",
        "Written by `python -m tests.python.opcheck.torch_table --write` with torch "
        f"{version} on {datetime.date.today()}. Every operator of tests/python/opcheck/zoo has one "
        "fault. Both get the same ordinary example: ours generates more inputs from it, "
        "`torch.library.opcheck` checks only that one. The last column lists the tests of torch's "
        "opcheck that fail.",
        "",
        *lines,
    ]


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="torch_table", description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="docs/results/opcheck_zoo.md")
    options = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    lines = table_lines()
    print("\n".join(lines))
    if options.write:
        PAGE.write_text("\n".join(page_lines(lines)) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

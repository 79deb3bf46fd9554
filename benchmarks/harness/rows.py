"""The rows of a benchmark: name, ours, peer, ratio, target, and `ok` or `short`."""

import argparse
import json
import os
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

from .page import RESULTS, describe_run, write_page
from .smoke import VARIABLE, is_smoke

HEADER = ("name", "ours", "peer", "ratio", "target", "")


@dataclass
class Row:
    """One figure. `ratio` is peer / ours: how many times better ours is.

    >>> Row.at_most("call", ours=4.0, limit=15, unit="ns").ok
    'ok'
    """

    name: str
    ours: float
    unit: str
    peer: float | None
    ratio: float | None
    target: str
    ok: str

    @classmethod
    def at_most(cls, name, *, ours, limit, unit, peer=None, stretch=None):
        """Ours must be at most `limit`."""
        target = f"<= {limit:g} {unit}" + (f" (stretch {stretch:g})" if stretch else "")
        ratio = peer / ours if peer and ours > 0 else None
        return cls(name, ours, unit, peer, ratio, target, "ok" if ours <= limit else "short")

    @classmethod
    def times_better(cls, name, *, ours, peer, times, unit):
        """The peer must take at least `times` as long as ours."""
        if peer is None:
            return cls(name, ours, unit, None, None, f">= {times:g}x", "peer missing")
        ratio = peer / ours if ours > 0 else float("inf")
        verdict = "ok" if ratio >= times else "short"
        return cls(name, ours, unit, peer, ratio, f">= {times:g}x", verdict)

    @classmethod
    def no_slower(cls, name, *, ours, peer, times, unit):
        """Ours must take at most `times` as long as the peer."""
        if peer is None:
            return cls(name, ours, unit, None, None, f"<= {times:g}x of it", "peer missing")
        verdict = "ok" if ours <= times * peer else "short"
        return cls(name, ours, unit, peer, peer / ours, f"<= {times:g}x of it", verdict)

    @classmethod
    def told(cls, name, *, ours, unit, peer=None):
        """A figure without a target, for comparison."""
        ratio = peer / ours if peer and ours > 0 else None
        return cls(name, ours, unit, peer, ratio, "-", "-")

    def cells(self):
        """Return the texts of the columns of HEADER."""

        def number(value):
            return "-" if value is None else f"{value:.4g} {self.unit}".rstrip()

        ratio = "-" if self.ratio is None else f"{self.ratio:.{2 if self.ratio < 3 else 1}f}x"
        return (self.name, number(self.ours), number(self.peer), ratio, self.target, self.ok)


class Report:
    """Collects the rows of one script and prints them.

    --json and --write also write them to a file and to docs/results/<script>.md. The page starts
    with `description`, the docstring of the script, whose first line is the title. `has_page` is
    false if another command writes the page.
    """

    def __init__(self, description, has_page=True):
        parser = argparse.ArgumentParser(description=description)
        parser.add_argument("--quick", action="store_true", help="end within 45 seconds")
        parser.add_argument("--smoke", action="store_true", help="run once, without slow peers")
        parser.add_argument("--json", metavar="FILE", help="also write the rows to this file")
        parser.add_argument("--write", action="store_true", help="also update docs/results")
        self.description = description
        self.has_page = has_page
        self.options = parser.parse_args()
        self.options.quick |= self.options.smoke
        if self.options.smoke:
            os.environ[VARIABLE] = "1"
        self.rows = []

    def rounds(self, quick, full):
        """Return how often to measure: one of the two, or once in a smoke run."""
        return 1 if is_smoke() else quick if self.options.quick else full

    def add(self, row):
        self.rows.append(row)

    def finish(self):
        """Print and write the rows; return 1 if a row misses its target, else 0.

        A smoke run writes no page and misses no target.
        """
        lines = [HEADER, *(row.cells() for row in self.rows)]
        widths = [max(len(line[i]) for line in lines) for i in range(len(HEADER))]
        for line in lines:
            print(
                "  ".join(
                    cell.ljust(width) for cell, width in zip(line, widths, strict=True)
                ).rstrip()
            )
        if self.options.json:
            with open(self.options.json, "w") as file:
                json.dump([asdict(row) for row in self.rows], file, indent=1)
        if self.options.write and self.has_page and not is_smoke():
            script = Path(sys.argv[0]).stem
            command = f"benchmarks/{script}.py" + (" --quick" if self.options.quick else "")
            cells = [row.cells() for row in self.rows]
            write_page(RESULTS / f"{script}.md", self.description, describe_run(command), cells)
        return 1 if any(row.ok == "short" for row in self.rows) and not is_smoke() else 0

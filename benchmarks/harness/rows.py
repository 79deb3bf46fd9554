"""Rows of a benchmark: name, ours, peer, ratio, target, ok or short."""

import argparse
import json
from dataclasses import asdict, dataclass


@dataclass
class Row:
    """One figure. `ratio` is peer over ours: how many times better ours is.

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
        """Ours must not be above `limit`."""
        target = f"<= {limit:g} {unit}" + (f" (stretch {stretch:g})" if stretch else "")
        ratio = peer / ours if peer and ours > 0 else None
        return cls(name, ours, unit, peer, ratio, target, "ok" if ours <= limit else "short")

    @classmethod
    def times_better(cls, name, *, ours, peer, times, unit):
        """The peer must take at least `times` as long."""
        if peer is None:
            return cls(name, ours, unit, None, None, f">= {times:g}x", "peer missing")
        ratio = peer / ours if ours > 0 else float("inf")
        verdict = "ok" if ratio >= times else "short"
        return cls(name, ours, unit, peer, ratio, f">= {times:g}x", verdict)

    @classmethod
    def no_slower(cls, name, *, ours, peer, times, unit):
        """Ours must not take more than `times` as long as the peer."""
        if peer is None:
            return cls(name, ours, unit, None, None, f"<= {times:g}x of it", "peer missing")
        verdict = "ok" if ours <= times * peer else "short"
        return cls(name, ours, unit, peer, peer / ours, f"<= {times:g}x of it", verdict)

    @classmethod
    def told(cls, name, *, ours, unit, peer=None):
        """A figure without a target: a floor, or a case that puts others in place."""
        ratio = peer / ours if peer and ours > 0 else None
        return cls(name, ours, unit, peer, ratio, "-", "-")


class Report:
    """Collects the rows of one script, prints them, writes them as JSON on request."""

    def __init__(self, description):
        parser = argparse.ArgumentParser(description=description)
        parser.add_argument("--quick", action="store_true", help="end within 45 seconds")
        parser.add_argument("--json", metavar="FILE", help="write the rows there as well")
        self.options = parser.parse_args()
        self.rows = []

    def add(self, row):
        self.rows.append(row)

    def finish(self):
        """Print everything; the exit status is 1 when a row falls short of its target."""

        def number(value, unit=""):
            return "-" if value is None else f"{value:.4g}{' ' + unit if unit else ''}"

        header = ("name", "ours", "peer", "ratio", "target", "")
        lines = [header]
        for row in self.rows:
            ratio = "-" if row.ratio is None else f"{row.ratio:.{2 if row.ratio < 3 else 1}f}x"
            ours, peer = number(row.ours, row.unit), number(row.peer, row.unit)
            lines.append((row.name, ours, peer, ratio, row.target, row.ok))
        widths = [max(len(line[i]) for line in lines) for i in range(len(header))]
        for line in lines:
            print(
                "  ".join(
                    cell.ljust(width) for cell, width in zip(line, widths, strict=True)
                ).rstrip()
            )
        if self.options.json:
            with open(self.options.json, "w") as file:
                json.dump([asdict(row) for row in self.rows], file, indent=1)
        return 1 if any(row.ok == "short" for row in self.rows) else 0

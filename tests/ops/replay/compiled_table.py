"""What a compiled replay found, as lines for the terminal and as a page of docs/results."""

from .replayer import Outcome
from .table import (
    counted_rows,
    failing,
    heading_lines,
    kinds_text,
    our_overloads,
    page,
    percent,
    table_lines,
    totals,
)

COLUMNS = ("calls", "passed", "sizes")


def summary_lines(outcome: Outcome) -> list[str]:
    total = totals(outcome)
    ours = set(our_overloads())
    reached = {name for name, counts in outcome.counts.items() if counts["calls"]}
    return [
        f"calls compiled: {total['calls']}, passed: {total['passed']} "
        f"({percent(total['passed'], total['calls'])})",
        f"runs at other sizes: {total['sizes']}",
        f"overloads of ours: {len(ours)}, reached: {len(reached & ours)}, "
        f"all calls passed: {len(reached - set(failing(outcome)))}",
        f"failures: {kinds_text(total) or 'none'}",
    ]


def markdown(outcome: Outcome, command: str) -> str:
    about = "What is compared and what a column means stands in tests/ops/replay/compiled.py."
    heading = heading_lines("Calls of torch's operator database, compiled", command, about)
    table = table_lines(("overload", *COLUMNS), counted_rows(outcome, COLUMNS))
    return page(outcome, heading, summary_lines(outcome), table)

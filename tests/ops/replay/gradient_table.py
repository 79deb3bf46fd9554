"""What a replay of gradients found, as lines for the terminal and as a page of docs/results."""

from .replayer import Outcome
from .table import (
    counted_lines,
    failures_line,
    our_overloads,
    overloads_line,
    page,
    passed_text,
    totals,
)

TITLE = "Gradients of the calls of torch's operator database"
ABOUT = "The comparison and the columns are described in tests/ops/replay/gradients.py."
COLUMNS = ("calls", "passed", "twice")


def summary_lines(outcome: Outcome) -> list[str]:
    total = totals(outcome)
    return [
        f"calls differentiated: {total['calls']}, {passed_text(outcome)}; twice: {total['twice']}",
        overloads_line(outcome, "with gradients compared"),
        failures_line(outcome),
    ]


def markdown(outcome: Outcome, command: str) -> str:
    names = [name for name in our_overloads() if outcome.counts[name]["calls"]]
    table = counted_lines(outcome, COLUMNS, names)
    return page(outcome, TITLE, command, ABOUT, summary_lines(outcome), table)

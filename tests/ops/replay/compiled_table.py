"""What a compiled replay found, as lines for the terminal and as a page of docs/results."""

from .replayer import Outcome
from .table import counted_lines, failures_line, overloads_line, page, passed_text, totals

TITLE = "Calls of torch's operator database, compiled"
ABOUT = "The comparison and the columns are described in tests/ops/replay/compiled.py."
COLUMNS = ("calls", "passed", "sizes")


def summary_lines(outcome: Outcome) -> list[str]:
    total = totals(outcome)
    return [
        f"calls compiled: {total['calls']}, {passed_text(outcome)}",
        f"runs at other sizes: {total['sizes']}",
        overloads_line(outcome),
        failures_line(outcome),
    ]


def markdown(outcome: Outcome, command: str) -> str:
    table = counted_lines(outcome, COLUMNS)
    return page(outcome, TITLE, command, ABOUT, summary_lines(outcome), table)

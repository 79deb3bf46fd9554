"""What a traced replay found, as lines for the terminal and as a page of docs/results."""

from .replayer import Outcome
from .table import counted_lines, failures_line, overloads_line, page, passed_text, short, totals

TITLE = "Calls of torch's operator database, traced with symbolic sizes"
ABOUT = "The comparison and the columns are described in tests/ops/replay/traced.py."
COLUMNS = ("calls", "passed", "sizes", "fixed", "specialised", "narrower")


def summary_lines(outcome: Outcome) -> list[str]:
    total = totals(outcome)
    return [
        f"calls traced: {total['calls']}, {passed_text(outcome)}",
        f"runs at other sizes: {total['sizes']}; calls without a symbol: {total['fixed']}, whose "
        f"guards admit one size alone: {total['specialised']}, of them where the operator takes "
        f"another: {total['needlessly']}",
        overloads_line(outcome),
        failures_line(outcome),
    ]


def narrower_lines(outcome: Outcome) -> list[str]:
    if not outcome.narrower:
        return []
    heading = "Sizes that the guards reject but the operator accepts, the first of each overload:"
    found = [f"- {short(name)} at {text}" for name, text in sorted(outcome.narrower.items())]
    return [heading, "", *found, ""]


def markdown(outcome: Outcome, command: str) -> str:
    rest = narrower_lines(outcome) + counted_lines(outcome, COLUMNS)
    return page(outcome, TITLE, command, ABOUT, summary_lines(outcome), rest)

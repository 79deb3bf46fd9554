"""What opcheck of the built-in operators found, as lines and as a page of docs/results."""

from .replayer import Outcome
from .table import counted_lines, failures_line, overloads_line, page, passed_text, totals

TITLE = "opcheck of the built-in operators"
ABOUT = "The columns are described in tests/ops/replay/checked.py."
COLUMNS = ("calls", "passed", "inputs", "refused")


def summary_lines(outcome: Outcome) -> list[str]:
    total = totals(outcome)
    return [
        f"calls checked: {total['calls']} with {total['inputs']} inputs, {passed_text(outcome)}",
        overloads_line(outcome, "checked", "without an alarm"),
        failures_line(outcome, "alarms"),
    ]


def markdown(outcome: Outcome, command: str) -> str:
    table = counted_lines(outcome, COLUMNS)
    return page(outcome, TITLE, command, ABOUT, summary_lines(outcome), table)

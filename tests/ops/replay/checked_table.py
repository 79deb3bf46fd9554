"""What opcheck of the built-in operators found, as lines and as a page of docs/results."""

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

COLUMNS = ("calls", "passed", "inputs", "refused")


def summary_lines(outcome: Outcome) -> list[str]:
    total = totals(outcome)
    ours = set(our_overloads())
    reached = {name for name, counts in outcome.counts.items() if counts["calls"]}
    return [
        f"calls checked: {total['calls']} with {total['inputs']} inputs, passed: "
        f"{total['passed']} ({percent(total['passed'], total['calls'])})",
        f"overloads of ours: {len(ours)}, checked: {len(reached & ours)}, "
        f"without an alarm: {len(reached - set(failing(outcome)))}",
        f"alarms: {kinds_text(total) or 'none'}",
    ]


def markdown(outcome: Outcome, command: str) -> str:
    about = "What a column means stands in tests/ops/replay/checked.py."
    heading = heading_lines("opcheck of the built-in operators", command, about)
    table = table_lines(("overload", *COLUMNS), counted_rows(outcome, COLUMNS))
    return page(outcome, heading, summary_lines(outcome), table)

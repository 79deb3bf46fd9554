"""What a replay of gradients found, as lines for the terminal and as a page of docs/results."""

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

COLUMNS = ("calls", "passed", "twice")


def summary_lines(outcome: Outcome) -> list[str]:
    total = totals(outcome)
    ours = set(our_overloads())
    reached = {name for name, counts in outcome.counts.items() if counts["calls"]}
    return [
        f"calls differentiated: {total['calls']}, passed: {total['passed']} "
        f"({percent(total['passed'], total['calls'])}); twice: {total['twice']}",
        f"overloads of ours: {len(ours)}, with gradients compared: {len(reached & ours)}, "
        f"all calls passed: {len(reached - set(failing(outcome)))}",
        f"failures: {kinds_text(total) or 'none'}",
    ]


def markdown(outcome: Outcome, command: str) -> str:
    heading = heading_lines(
        "Gradients of the calls of torch's operator database",
        command,
        "What is compared and what a column means stands in tests/ops/replay/gradients.py.",
    )
    rows = [row for row in counted_rows(outcome, COLUMNS) if row[1]]
    return page(outcome, heading, summary_lines(outcome), table_lines(("overload", *COLUMNS), rows))

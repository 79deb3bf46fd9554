"""What a traced replay found, as lines for the terminal and as a page of docs/results."""

from .replayer import Outcome
from .table import (
    counted_rows,
    failing,
    heading_lines,
    kinds_text,
    our_overloads,
    page,
    percent,
    short,
    table_lines,
    totals,
)

COLUMNS = ("calls", "passed", "sizes", "fixed", "specialised", "narrower")


def summary_lines(outcome: Outcome) -> list[str]:
    total = totals(outcome)
    ours = set(our_overloads())
    reached = {name for name, counts in outcome.counts.items() if counts["calls"]}
    return [
        f"calls traced: {total['calls']}, passed: {total['passed']} "
        f"({percent(total['passed'], total['calls'])})",
        f"runs at other sizes: {total['sizes']}; calls without a symbol: {total['fixed']}, whose "
        f"guards admit one size alone: {total['specialised']}, of them where the operator takes "
        f"another: {total['needlessly']}",
        f"overloads of ours: {len(ours)}, reached: {len(reached & ours)}, "
        f"all calls passed: {len(reached - set(failing(outcome)))}",
        f"failures: {kinds_text(total) or 'none'}",
    ]


def narrower_lines(outcome: Outcome) -> list[str]:
    if not outcome.narrower:
        return []
    heading = "Sizes that guards refuse and the operator takes, the first of each overload:"
    found = [f"- {short(name)} at {text}" for name, text in sorted(outcome.narrower.items())]
    return [heading, "", *found, ""]


def markdown(outcome: Outcome, command: str) -> str:
    heading = heading_lines(
        "Calls of torch's operator database, traced with symbolic sizes",
        command,
        "What is compared and what a column means stands in tests/ops/replay/traced.py.",
    )
    table = table_lines(("overload", *COLUMNS), counted_rows(outcome, COLUMNS))
    return page(outcome, heading, summary_lines(outcome), narrower_lines(outcome) + table)

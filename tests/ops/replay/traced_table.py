"""What a traced replay found, as lines for the terminal and as a page of docs/results."""

from .replayer import Outcome
from .table import (
    failing,
    failing_lines,
    heading_lines,
    kinds_text,
    left_out_line,
    our_overloads,
    percent,
    short,
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


def markdown(outcome: Outcome, command: str) -> str:
    lines = [
        *heading_lines(
            "Calls of torch's operator database, traced with symbolic sizes",
            command,
            "What is compared and what a column means stands in tests/ops/replay/traced.py.",
        ),
        *[f"- {line}" for line in summary_lines(outcome)],
        left_out_line(outcome),
        "",
    ]
    lines += failing_lines(outcome)
    if outcome.narrower:
        lines += [
            "Sizes that guards refuse and the operator takes, the first of each overload:",
            "",
        ]
        lines += [f"- {short(name)} at {text}" for name, text in sorted(outcome.narrower.items())]
        lines.append("")
    lines += [f"| overload | {' | '.join(COLUMNS)} |", "|---" * (len(COLUMNS) + 1) + "|"]
    for name in sorted(our_overloads()):
        counts = outcome.counts[name]
        row = (short(name), *(counts[column] for column in COLUMNS))
        lines.append("| " + " | ".join(map(str, row)) + " |")
    return "\n".join(lines) + "\n"

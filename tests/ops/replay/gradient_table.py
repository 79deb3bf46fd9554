"""What a replay of gradients found, as lines for the terminal and as a page of docs/results."""

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
    lines = [
        *heading_lines(
            "Gradients of the calls of torch's operator database",
            command,
            "What is compared and what a column means stands in tests/ops/replay/gradients.py.",
        ),
        *[f"- {line}" for line in summary_lines(outcome)],
        left_out_line(outcome),
        "",
    ]
    lines += failing_lines(outcome)
    lines += [f"| overload | {' | '.join(COLUMNS)} |", "|---" * (len(COLUMNS) + 1) + "|"]
    for name in sorted(our_overloads()):
        counts = outcome.counts[name]
        if counts["calls"]:
            row = (short(name), *(counts[column] for column in COLUMNS))
            lines.append("| " + " | ".join(map(str, row)) + " |")
    return "\n".join(lines) + "\n"

"""What opcheck of the built-in operators found, as lines and as a page of docs/results."""

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
    lines = [
        *heading_lines(
            "opcheck of the built-in operators",
            command,
            "What a column means stands in tests/ops/replay/checked.py.",
        ),
        *[f"- {line}" for line in summary_lines(outcome)],
        left_out_line(outcome),
        "",
    ]
    lines += failing_lines(outcome)
    lines += [f"| overload | {' | '.join(COLUMNS)} |", "|---" * (len(COLUMNS) + 1) + "|"]
    for name in sorted(our_overloads()):
        counts = outcome.counts[name]
        row = (short(name), *(counts[column] for column in COLUMNS))
        lines.append("| " + " | ".join(map(str, row)) + " |")
    return "\n".join(lines) + "\n"

"""What a replay of gradients found, as lines for the terminal and as a page of docs/results."""

import torch

from .replayer import Outcome
from .table import failing, kinds_text, our_overloads, percent, short, totals

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
        "# Gradients of the calls of torch's operator database",
        "",
        f"Made by `{command}` with torch {torch.__version__.partition('+')[0]}. "
        "What is compared and what a column means stands in tests/ops/replay/gradients.py.",
        "",
        *[f"- {line}" for line in summary_lines(outcome)],
        "- left out: "
        + ", ".join(f"{name} {count}" for name, count in sorted(outcome.left_out.items())),
        "",
    ]
    names = failing(outcome)
    if names:
        lines += ["| failing | calls | passed | failures |", "|---|---|---|---|"]
        for name in names:
            counts = outcome.counts[name]
            row = (short(name), str(counts["calls"]), str(counts["passed"]), kinds_text(counts))
            lines.append("| " + " | ".join(row) + " |")
        lines.append("")
    lines += [f"| overload | {' | '.join(COLUMNS)} |", "|---" * (len(COLUMNS) + 1) + "|"]
    for name in sorted(our_overloads()):
        counts = outcome.counts[name]
        if counts["calls"]:
            row = (short(name), *(counts[column] for column in COLUMNS))
            lines.append("| " + " | ".join(map(str, row)) + " |")
    return "\n".join(lines) + "\n"

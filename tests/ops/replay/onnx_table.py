"""What a replay of ONNX models found, as lines for the terminal and as a page of docs/results."""

from collections import Counter, defaultdict

from .onnx_calls import OPSETS, has_rule
from .replayer import Outcome, find_ours
from .table import (
    failing,
    failures_line,
    our_overloads,
    page,
    passed_text,
    short,
    table_lines,
    totals,
)

TITLE = "Calls of torch's operator database as ONNX models, in ONNX Runtime"
ABOUT = "The comparison and the columns are described in tests/ops/replay/onnx_calls.py."
COLUMNS = ("calls", "equal", "free", "sizes", "no kernel", "reference", "refused")


def covered() -> list[str]:
    """Return our overloads that have a rule for ONNX."""
    return sorted(name for name in our_overloads() if has_rule(find_ours(name)))


def lowest_opset(counts: Counter) -> int | str:
    return next((opset for opset in OPSETS if counts[f"since {opset}"]), "")


def summary_lines(outcome: Outcome) -> list[str]:
    total = totals(outcome)
    names = covered()
    reached = {name for name in names if outcome.counts[name]["calls"]}
    clean = reached - set(failing(outcome))
    return [
        f"overloads with a rule for ONNX: {len(names)}, reached: {len(reached)}, "
        f"all calls passed: {len(clean)}",
        f"calls exported: {total['calls']}, {passed_text(outcome)}",
        f"equal in ONNX Runtime: {total['equal']}; with dynamic sizes: {total['free']}, "
        f"runs at other sizes: {total['sizes']}",
        f"ONNX Runtime has no kernel: {total['no kernel']}, of these equal by onnx's reference: "
        f"{total['reference']}",
        f"calls that the exporter refuses: {total['refused']}; at one opset or with dynamic sizes "
        f"alone: {total['elsewhere']}",
        failures_line(outcome),
    ]


def reasons(outcome: Outcome, kind: str) -> dict[str, Counter]:
    """Return what was reported under that word, with the overloads concerned."""
    found: dict[str, Counter] = defaultdict(Counter)
    for name, texts in outcome.told.items():
        for text, count in texts.items():
            if text.startswith(kind):
                found[text.removeprefix(kind)][short(name)] += count
    return found


def reason_lines(outcome: Outcome, kind: str, heading: str) -> list[str]:
    found = reasons(outcome, kind)
    if not found:
        return []
    rows = [
        (text.replace("|", "\\|"), sum(names.values()), ", ".join(sorted(names)))
        for text, names in sorted(found.items(), key=lambda item: -sum(item[1].values()))
    ]
    return [f"## {heading}", "", *table_lines(("reason", "calls", "overloads"), rows), ""]


def opset_lines(outcome: Outcome) -> list[str]:
    """Return how many calls each opset had."""
    total = totals(outcome)
    rows = [(opset, total[f"opset {opset}"]) for opset in OPSETS]
    return ["## Opsets", "", *table_lines(("opset", "calls"), rows), ""]


def markdown(outcome: Outcome, command: str) -> str:
    rows = [
        (
            short(name),
            lowest_opset(outcome.counts[name]),
            *(outcome.counts[name][column] for column in COLUMNS),
        )
        for name in covered()
    ]
    without = [short(name) for name in covered() if not outcome.counts[name]["calls"]]
    rest = [
        *table_lines(("overload", "opset", *COLUMNS), rows),
        "",
        f"No sample reaches: {', '.join(without) or 'none'}.",
        "",
        *reason_lines(outcome, "no kernel: ", "What ONNX Runtime has no kernel for"),
        *reason_lines(outcome, "refused: ", "What the exporter refuses"),
        *reason_lines(outcome, "at first: ", "What it refuses at one opset, or with dynamic sizes"),
        *opset_lines(outcome),
    ]
    return page(outcome, TITLE, command, ABOUT, summary_lines(outcome), rest).rstrip() + "\n"

"""Outcomes of a replay as text."""

import datetime
from collections import Counter

import opwright as ow

from .replay import Outcome


def summary(outcomes: dict[str, Outcome]) -> str:
    """One sentence: operators and calls by outcome."""
    calls = sum((outcome.counts for outcome in outcomes.values()), Counter())
    with_kernel = [each for each in outcomes.values() if each.counts["ok"] + each.counts["failed"]]
    right = [each for each in with_kernel if not each.failures]
    missing = sum(
        1
        for each in outcomes.values()
        if each.counts["no kernel"] and not each.counts["ok"] + each.counts["failed"]
    )
    return (
        f"{len(right)} of {len(with_kernel)} operators that run on the device are right in all "
        f"their calls ({calls['ok']} calls right, {calls['failed']} not); "
        f"{missing} operators have no kernel for it"
    )


def device_text(device: str) -> str:
    module = getattr(ow, device.split(":")[0], None)
    name = getattr(module, "get_device_name", None)
    return name() if name else device


def to_markdown(device: str, outcomes: dict[str, Outcome]) -> str:
    """A page: when, where, the summary, what failed, and a line for each operator that ran."""
    lines = [
        f"# Recorded calls on {device}",
        "",
        f"{datetime.date.today()}, {device_text(device)}, Opwright {ow.__version__}. "
        f"Calls of torch's operator database (tests/devices/recorded) on the device and on the "
        f"CPU: results, written arguments, dtypes and sizes are compared.",
        "",
        summary(outcomes) + ".",
        "",
    ]
    failures = [text for outcome in outcomes.values() for text in outcome.failures]
    if failures:
        lines += ["## What differs", "", *(f"- {text}" for text in failures), ""]
    dtypes = sorted({dtype for outcome in outcomes.values() for dtype in outcome.by_dtype})
    lines += ["## Operators that run", "", f"| operator | {' | '.join(dtypes)} |"]
    lines += ["|" + "---|" * (len(dtypes) + 1)]
    missing = []
    for name, outcome in sorted(outcomes.items()):
        if not outcome.counts["ok"] + outcome.counts["failed"]:
            missing += [name] if outcome.counts["no kernel"] else []
            continue
        cells = []
        for dtype in dtypes:
            counts = outcome.by_dtype[dtype]
            runs = counts["ok"] + counts["failed"]
            cells.append(f"{counts['ok']}/{runs}" if runs else "")
        lines.append(f"| {name} | {' | '.join(cells)} |")
    lines += ["", "## Operators without a kernel", "", ", ".join(missing) or "none", ""]
    return "\n".join(lines)

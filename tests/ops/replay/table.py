"""What a run found, as lines and as a page of docs/results."""

import datetime
import re
from collections import Counter
from collections.abc import Iterable, Sequence

import opwright as ow
import torch

from . import recorder
from .replayer import Outcome

KINDS = ("values", "dtype", "shape", "strides", "alias", "fake", "raised", "accepted", "crash")
TRACED_KINDS = ("trace", "guards", "graph", "form", "other")
GRADIENT_KINDS = ("recorded", "gradient", "second")
VMAPPED_KINDS = ("vmap", "written")
CHECKED_KINDS = ("opcheck",)
COMPILED_KINDS = ("compile", "static", "dynamic")  # and "other"
ONNX_KINDS = ("export", "checker", "ort", "model")  # and "other"
ALL_KINDS = KINDS + TRACED_KINDS + GRADIENT_KINDS + VMAPPED_KINDS + CHECKED_KINDS + COMPILED_KINDS
ALL_KINDS += ONNX_KINDS

# The part of torch's core set that we omit on purpose.
LEFT_OUT_OF_CORE = {
    "sym_is_contiguous": "the tensor answers",
    "sym_numel": "the tensor answers",
    "sym_size": "the tensor answers",
    "sym_storage_offset": "the tensor answers",
    "sym_stride": "the tensor answers",
}


def our_overloads() -> list[str]:
    return [
        f"aten.{name}.{form}"
        for name in dir(ow.ops.aten)
        for form in getattr(ow.ops.aten, name).overloads()
    ]


def core_overloads() -> list[str]:
    """torch's core set."""
    found = []
    for schema in torch._C._jit_get_all_schemas():
        if not schema.name.startswith("aten::"):
            continue
        packet = getattr(torch.ops.aten, schema.name.removeprefix("aten::"), None)
        overload = getattr(packet, schema.overload_name or "default", None)
        if overload is not None and torch.Tag.core in overload.tags:
            found.append(str(overload))
    return sorted(set(found))


def totals(outcome: Outcome) -> Counter:
    total: Counter = Counter()
    for counts in outcome.counts.values():
        total.update(counts)
    return total


def is_good(outcome: Outcome, percentage: float) -> bool:
    """Return whether enough calls passed and none crashed the process."""
    total = totals(outcome)
    if outcome.faults or total["crash"]:
        return False
    return 100 * total["passed"] >= percentage * total["calls"]


def percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.2f} %" if whole else "none"


def summary_lines(outcome: Outcome) -> list[str]:
    total = totals(outcome)
    ours = set(our_overloads())
    covered = {name for name, counts in outcome.counts.items() if counts["calls"]}
    core = set(core_overloads())
    wanted = {name for name in core if name.split(".")[1] not in LEFT_OUT_OF_CORE}
    clean = covered - set(failing(outcome))
    return [
        f"calls replayed: {total['calls']}, {passed_text(outcome)}; of them refusals: "
        f"{total['refusals']}",
        overloads_line(outcome),
        f"torch's core set: {len(core)}, listed as excluded: {len(core - wanted)}, "
        f"ours of the rest: {len(wanted & ours)}, reached: {len(wanted & covered)}, "
        f"all calls passed: {len(wanted & clean)}",
        failures_line(outcome),
        entries_line(outcome),
    ]


def entries_line(outcome: Outcome) -> str:
    """Return of how many entries every call is ours, on samples; or is made by one of ours."""
    ran = outcome.called | set(outcome.lacking)
    ran.discard("handwritten")
    covered = {entry for entry in ran if entry in outcome.called and not outcome.lacking[entry]}
    count = len(recorder.entries())
    return (
        f"entries of the database: {count}, run: {len(ran)}, computed by ours: {len(covered)} "
        f"({percent(len(covered), count)} of all)"
    )


def lacking_lines(outcome: Outcome) -> list[str]:
    """Return the entries of the database that ours do not compute, and why."""
    lines = []
    for entry in sorted(recorder.entries()):
        names = outcome.lacking.get(entry)
        if names:
            lines.append(f"- {entry}: {', '.join(sorted(map(short, names)))}")
        elif entry not in outcome.called:
            lines.append(f"- {entry}: no call of an operator of ours")
    return lines


def passed_text(outcome: Outcome) -> str:
    total = totals(outcome)
    return f"passed: {total['passed']} ({percent(total['passed'], total['calls'])})"


def overloads_line(
    outcome: Outcome, reached: str = "reached", clean: str = "all calls passed"
) -> str:
    ours = set(our_overloads())
    found = {name for name, counts in outcome.counts.items() if counts["calls"]}
    return (
        f"overloads of ours: {len(ours)}, {reached}: {len(found & ours)}, "
        f"{clean}: {len(found - set(failing(outcome)))}"
    )


def failures_line(outcome: Outcome, word: str = "failures") -> str:
    return f"{word}: {kinds_text(totals(outcome)) or 'none'}"


def failing(outcome: Outcome) -> list[str]:
    """Overloads with failures, most first."""
    names = [name for name, counts in outcome.counts.items() if counts["passed"] != counts["calls"]]
    return sorted(
        names, key=lambda name: outcome.counts[name]["passed"] - outcome.counts[name]["calls"]
    )


def kinds_text(counts: Counter) -> str:
    return ", ".join(f"{kind} {counts[kind]}" for kind in ALL_KINDS if counts[kind])


def heading_lines(title: str, command: str, meaning: str) -> list[str]:
    """Return the first lines of a page."""
    version = torch.__version__.partition("+")[0]
    made = f"Written by `{command}` with torch {version} on {datetime.date.today()}."
    return [f"# {title}", "", f"{made} {meaning}", ""]


def left_out_line(outcome: Outcome) -> str:
    counted = ", ".join(f"{name} {count}" for name, count in sorted(outcome.left_out.items()))
    return f"- skipped: {counted}"


def failing_lines(outcome: Outcome) -> list[str]:
    """Return the table of the overloads with failures; empty if there are none."""
    names = failing(outcome)
    if not names:
        return []
    rows = []
    for name in names:
        counts = outcome.counts[name]
        rows.append((short(name), counts["calls"], counts["passed"], kinds_text(counts)))
    return [*table_lines(("failing", "calls", "passed", "failures"), rows), ""]


def table_lines(header: Sequence[str], rows: Iterable[Sequence]) -> list[str]:
    lines = [f"| {' | '.join(header)} |", "|---" * len(header) + "|"]
    return lines + ["| " + " | ".join(map(str, row)) + " |" for row in rows]


def counted_lines(
    outcome: Outcome, columns: Sequence[str], names: Iterable[str] | None = None
) -> list[str]:
    """Return a table with a row per overload: its name and counts."""
    rows = [
        (short(name), *(outcome.counts[name][column] for column in columns))
        for name in sorted(our_overloads() if names is None else names)
    ]
    return table_lines(("overload", *columns), rows)


def page(
    outcome: Outcome, title: str, command: str, meaning: str, summary: list[str], rest: list[str]
) -> str:
    """Return a page: heading, summary, failures, and the rest."""
    lines = [*heading_lines(title, command, meaning), *[f"- {line}" for line in summary]]
    lines += [left_out_line(outcome), "", *failing_lines(outcome), *rest]
    return "\n".join(lines) + "\n"


def markdown(outcome: Outcome, command: str) -> str:
    ours = set(our_overloads())
    core = set(core_overloads())
    lines = [
        *heading_lines(
            "Calls of torch's operator database, replayed",
            command,
            "The columns are described in tests/ops/replay/__init__.py.",
        ),
        *[f"- {line}" for line in summary_lines(outcome)],
        f"- calls of overloads that are not ours: {sum(outcome.not_ours.values())} "
        f"of {len(outcome.not_ours)} overloads",
        f"- calls skipped: {sum(outcome.left_out.values())}",
        "",
    ]
    missing = sorted(name for name in core - ours if name.split(".")[1] not in LEFT_OUT_OF_CORE)
    if missing:
        lines += ["Of torch's core set not ours yet: " + ", ".join(map(short, missing)) + ".", ""]
    unreached = sorted(name for name in ours if not outcome.counts[name]["calls"])
    if unreached:
        lines += ["Reached by no sample: " + ", ".join(map(short, unreached)) + ".", ""]
    lines += failing_lines(outcome)
    lacking = lacking_lines(outcome)
    if lacking:
        lines += ["Entries that ours do not compute, and what they call:", "", *lacking, ""]
    columns = ("calls", "passed", "refusals")
    rows = [
        (short(name), "core" if name in core else "", *(outcome.counts[name][c] for c in columns))
        for name in sorted(ours)
    ]
    lines += table_lines(("overload", "core", *columns), rows)
    return "\n".join(lines) + "\n"


def short(name: str) -> str:
    return re.sub(r"\.default$", "", name.removeprefix("aten."))

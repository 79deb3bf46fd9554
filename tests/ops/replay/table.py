"""What a run found, as text for the terminal and as a page of docs/results."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

import opwright as ow
import torch

from .replayer import Outcome

KINDS = ("values", "dtype", "shape", "strides", "alias", "fake", "raised", "accepted", "crash")
TRACED_KINDS = ("trace", "guards", "graph", "form", "other")
GRADIENT_KINDS = ("recorded", "gradient", "second")
VMAPPED_KINDS = ("vmap", "written")
CHECKED_KINDS = ("opcheck",)
COMPILED_KINDS = ("compile", "static", "dynamic")  # and "other"

# Of torch's core set, what we do not have on purpose.
LEFT_OUT_OF_CORE = {
    "_fft_c2c": "no Fourier transforms",
    "_fft_c2r": "no Fourier transforms",
    "_fft_r2c": "no Fourier transforms",
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
    """Whether so many calls passed and none ended the process."""
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
        f"calls replayed: {total['calls']}, passed: {total['passed']} "
        f"({percent(total['passed'], total['calls'])}); of them refusals: {total['refusals']}",
        f"overloads of ours: {len(ours)}, reached: {len(covered & ours)}, "
        f"all calls passed: {len(clean)}",
        f"torch's core set: {len(core)}, listed as left out: {len(core - wanted)}, "
        f"ours of the rest: {len(wanted & ours)}, reached: {len(wanted & covered)}, "
        f"all calls passed: {len(wanted & clean)}",
        f"failures: {kinds_text(total) or 'none'}",
    ]


def failing(outcome: Outcome) -> list[str]:
    """Overloads with failures, most first."""
    names = [name for name, counts in outcome.counts.items() if counts["passed"] != counts["calls"]]
    return sorted(
        names, key=lambda name: outcome.counts[name]["passed"] - outcome.counts[name]["calls"]
    )


def kinds_text(counts: Counter) -> str:
    kinds = KINDS + TRACED_KINDS + GRADIENT_KINDS + VMAPPED_KINDS + CHECKED_KINDS + COMPILED_KINDS
    return ", ".join(f"{kind} {counts[kind]}" for kind in kinds if counts[kind])


def keep_failures(outcome: Outcome, folder: Path, per_overload: int) -> dict[str, list]:
    """Write failing calls for --again; give (failure, path) of the first of each kind."""
    folder.mkdir(parents=True, exist_ok=True)
    kept = {}
    for name in failing(outcome):
        by_kind: dict[str, list] = {}
        for failure in outcome.failures[name]:
            by_kind.setdefault(failure.kind, []).append(failure)
        turns = [each for column in zip_longest(by_kind.values()) for each in column]
        kept[name] = []
        for number, failure in enumerate(turns[:per_overload], 1):
            path = None
            if failure.saved is not None:
                path = folder / f"{name}-{number}.pt"
                path.write_bytes(failure.saved)
            kept[name].append((failure, path))
    return kept


def zip_longest(lists) -> list[list]:
    lists = list(lists)
    longest = max((len(each) for each in lists), default=0)
    return [[each[row] for each in lists if row < len(each)] for row in range(longest)]


def print_report(
    outcome: Outcome, folder: Path, per_overload: int, shows_passing: bool, summarize=None
) -> None:
    names = failing(outcome)
    if shows_passing:
        for name in sorted(set(outcome.counts) - set(names)):
            counts = outcome.counts[name]
            print(f"  ok    {name}: {counts['calls']} calls")
    kept = keep_failures(outcome, folder, per_overload)
    for name in names:
        counts = outcome.counts[name]
        print(f"  FAIL  {name}: {counts['passed']} of {counts['calls']} ({kinds_text(counts)})")
        for failure, path in kept[name]:
            print(f"          {failure.kind}: {failure.call}   [{failure.entry}]")
            print("            " + failure.problem.replace("\n", "\n            "))
            if path is not None:
                print(f"            --again {path}")
    print("\n".join((summarize or summary_lines)(outcome)))
    if outcome.left_out:
        counted = outcome.left_out.most_common(12)
        print("left out: " + ", ".join(f"{name} {count}" for name, count in counted))
    for fault in outcome.faults:
        print(f"the replay failed in {fault}")


def heading_lines(title: str, command: str, meaning: str) -> list[str]:
    """Return how each page begins."""
    version = torch.__version__.partition("+")[0]
    return [f"# {title}", "", f"Made by `{command}` with torch {version}. {meaning}", ""]


def left_out_line(outcome: Outcome) -> str:
    counted = ", ".join(f"{name} {count}" for name, count in sorted(outcome.left_out.items()))
    return f"- left out: {counted}"


def failing_lines(outcome: Outcome) -> list[str]:
    """Return the table of the overloads with failures; nothing where there are none."""
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


def counted_rows(outcome: Outcome, columns: Sequence[str]) -> list[tuple]:
    """Return a row for each overload: its name and what was counted."""
    return [
        (short(name), *(outcome.counts[name][column] for column in columns))
        for name in sorted(our_overloads())
    ]


def page(outcome: Outcome, heading: list[str], summary: list[str], rest: list[str]) -> str:
    """Return a page: heading, summary, what failed, and the rest."""
    lines = [*heading, *[f"- {line}" for line in summary], left_out_line(outcome), ""]
    return "\n".join([*lines, *failing_lines(outcome), *rest]) + "\n"


def markdown(outcome: Outcome, command: str) -> str:
    ours = set(our_overloads())
    core = set(core_overloads())
    lines = [
        *heading_lines(
            "Calls of torch's operator database, replayed",
            command,
            "What a column means stands in tests/ops/replay/__init__.py.",
        ),
        *[f"- {line}" for line in summary_lines(outcome)],
        f"- calls of overloads that are not ours: {sum(outcome.not_ours.values())} "
        f"of {len(outcome.not_ours)} overloads",
        f"- calls left out: {sum(outcome.left_out.values())}",
        "",
    ]
    missing = sorted(name for name in core - ours if name.split(".")[1] not in LEFT_OUT_OF_CORE)
    if missing:
        lines += ["Of torch's core set not ours yet: " + ", ".join(map(short, missing)) + ".", ""]
    unreached = sorted(name for name in ours if not outcome.counts[name]["calls"])
    if unreached:
        lines += ["Reached by no sample: " + ", ".join(map(short, unreached)) + ".", ""]
    lines += failing_lines(outcome)
    columns = ("calls", "passed", "refusals")
    rows = [
        (short(name), "core" if name in core else "", *(outcome.counts[name][c] for c in columns))
        for name in sorted(ours)
    ]
    lines += table_lines(("overload", "core", *columns), rows)
    return "\n".join(lines) + "\n"


def short(name: str) -> str:
    return re.sub(r"\.default$", "", name.removeprefix("aten."))

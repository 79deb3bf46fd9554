"""Which entries of the database reach an overload: reach.json, written by --all --write."""

import json
from fnmatch import fnmatch
from functools import partial
from pathlib import Path

FILE = Path(__file__).with_name("reach.json")
ENTRIES = 12  # kept per overload


def matches(overload: str, patterns: list[str]) -> bool:
    """Return whether one of the names, with or without overload, means "aten.add.Tensor"."""
    name = overload.removeprefix("aten.")
    base = name.partition(".")[0]
    return any(
        fnmatch(name, pattern.removeprefix("aten.")) or fnmatch(base, pattern.removeprefix("aten."))
        for pattern in patterns
    )


def entries_reaching(patterns: list[str]) -> set[str] | None:
    """Return the entries to run for these names; None if nothing is known about them."""
    if not FILE.exists():
        return None
    known = json.loads(FILE.read_text())
    found: set[str] = set()
    for overload, names in known.items():
        if matches(overload, patterns):
            found.update(names)
    return found


def write(reached: dict[str, set]) -> None:
    """Keep for each overload the entries of its own name first, then the shortest names."""

    def order(overload: str, entry: str):
        base = overload.split(".")[1].strip("_")
        return (entry.split(".")[-1] != base, base not in entry, len(entry), entry)

    kept = {}
    for overload, names in sorted(reached.items()):
        if overload.startswith("aten."):
            known = sorted(names - {"handwritten"}, key=partial(order, overload))
            kept[overload] = known[:ENTRIES]
    FILE.write_text(json.dumps(kept, indent=0) + "\n")

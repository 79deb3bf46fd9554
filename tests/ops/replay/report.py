"""What a run found, as text for the terminal; failing calls are kept for --again."""

from pathlib import Path

from .replayer import Outcome
from .table import failing, kinds_text


def keep_failures(outcome: Outcome, folder: Path, per_overload: int) -> dict[str, list]:
    """Write failing calls for --again; return (failure, path) of the first of each kind."""
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
    outcome: Outcome, folder: Path, per_overload: int, shows_passing: bool, summarize
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
    print("\n".join(summarize(outcome)))
    if outcome.left_out:
        counted = outcome.left_out.most_common(12)
        print("left out: " + ", ".join(f"{name} {count}" for name, count in counted))
    for fault in outcome.faults:
        print(f"the replay failed in {fault}")

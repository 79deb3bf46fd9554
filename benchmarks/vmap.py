"""vmap from Python compared with PyTorch: operators with and without a vmap rule."""

import sys

from harness import Report, Row, release_build
from tracing import measure
from vmapping import our_cases, torch_cases

sys.path.insert(0, str(release_build() / "python"))
import opwright

ROWS = (
    ("rule", "vmap of a custom operator with a C++ rule (torch: Python rule), 64 samples", 8),
    ("Python rule", "vmap of a custom operator, kernel and rule in Python, 64 samples", 8),
    ("no rule", "vmap of a custom operator without a rule, 64 samples", None),
    ("mul", "vmap(mul), 64 samples", None),
    ("nothing", "vmap of a function that does nothing", None),
)


def main():
    report = Report(__doc__)
    sides = {"ours": our_cases(opwright), "torch": torch_cases()}
    cases = {(side, name): case for side, each in sides.items() for name, case in each.items()}
    figures = measure(cases, rounds=report.rounds(2, 9))
    for name, words, times in ROWS:
        ours, peer = figures["ours", name], figures.get(("torch", name))
        if times is None:
            report.add(Row.told(words, ours=ours, unit="us", peer=peer))
        else:
            report.add(Row.times_better(words, ours=ours, peer=peer, times=times, unit="us"))
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())

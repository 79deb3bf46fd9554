"""opcheck: the checks that PyTorch also has, compared with PyTorch, and all of ours."""

import sys

from checking import measure, our_cases, torch_cases
from harness import Report, Row, release_build

sys.path.insert(0, str(release_build() / "python"))
import opwright

TIMES_FASTER = 20
MOST_SECONDS = 1.0


def main():
    report = Report(__doc__)
    sides = {"ours": our_cases(opwright), "torch": torch_cases()}
    cases = {(side, name): case for side, each in sides.items() for name, case in each.items()}
    figures = measure(cases, rounds=report.rounds(2, 5))
    report.add(
        Row.times_better(
            "opcheck of a custom operator with a formula, one example, PyTorch's checks, warm",
            ours=figures["ours", "same checks"],
            peer=figures["torch", "same checks"],
            times=TIMES_FASTER,
            unit="us",
        )
    )
    report.add(
        Row.at_most(
            "opcheck of a custom operator, all checks, 50 generated inputs",
            ours=figures["ours", "all checks"] / 1e6,
            limit=MOST_SECONDS,
            unit="s",
        )
    )
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())

"""Autograd compared with PyTorch: custom formulas, chains, a training step, memory."""

import sys

from differentiation import bytes_of_a_node, our_cases, torch_cases
from harness import Report, Row, release_build
from tracing import measure

sys.path.insert(0, str(release_build() / "python"))
import opwright


def all_figures(rounds):
    """Return the median microseconds by side and case."""
    opwright.set_num_threads(1)
    sides = {"ours": our_cases(opwright), "torch": torch_cases()}
    cases = {(side, name): case for side, each in sides.items() for name, case in each.items()}
    return measure(cases, rounds)


def main():
    report = Report(__doc__)
    figures = all_figures(rounds=report.rounds(3, 15))
    for words, name, peer, times in (
        ("forward+backward, custom_op of 4, Python formula", "Python formula", None, 8),
        ("  C++ formula, vs torch's custom_op", "C++ formula", "Python formula", 30),
        ("forward+backward, mul of 4", "mul", None, 8),
        ("  chain of 1,000 mul, per node", "chain", None, 8),
        ("training step, 3 layers of 64, batch 32", "training", None, 3),
    ):
        other = figures.get(("torch", peer or name))
        ours = figures["ours", name]
        report.add(Row.times_better(words, ours=ours, peer=other, times=times, unit="us"))
    report.add(
        Row.times_better(
            "resident memory per node, 100,000 mul of 4",
            ours=bytes_of_a_node("opwright"),
            peer=bytes_of_a_node("torch"),
            times=2,
            unit="bytes",
        )
    )
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())

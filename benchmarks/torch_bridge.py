"""An operator binary in PyTorch compared with TORCH_LIBRARY, custom_op and built-in mul.

Tensors have 4 floats. The body of a composite calls operators with `Scalar` arguments, which
torch's stable ABI does not support, so those calls go through Python. Loading a binary registers
its fake, autograd and vmap rules with `torch.library`, which takes most of the time.
"""

import importlib.util
import sys

from harness import Report, Row, release_build

sys.path.insert(0, str(release_build() / "python"))

TIMES_OF_TORCH_LIBRARY = 1.15
TIMES_BELOW_CUSTOM_OP = 4
MOST_MICROSECONDS_OF_A_FORMULA = 6.5
MOST_MICROSECONDS_OF_THE_FAST_PATH = 0.6


class Figures:
    """Medians in microseconds, by side ("ours", "TORCH_LIBRARY", "custom_op", "mul") and case."""

    def __init__(self, rounds):
        import opwright.torch
        import torch
        from python_call import measure
        from torch_bridge import builtin_cases, custom_op_cases, our_cases, torch_library_cases

        torch.set_num_threads(1)
        sides = {
            "ours": our_cases(opwright.torch),
            "TORCH_LIBRARY": torch_library_cases(),
            "custom_op": custom_op_cases(),
            "mul": builtin_cases(),
        }
        # Ordered by case, so that all sides of a case run next to each other.
        names = dict.fromkeys(name for cases in sides.values() for name in cases)
        cases = {
            (side, name): cases[name]
            for name in names
            for side, cases in sides.items()
            if name in cases
        }
        self.medians = {key: value / 1000 for key, value in measure(cases, rounds).items()}

    def of(self, name, side="ours"):
        """Return a median; None if that side was not built."""
        return self.medians.get((side, name))

    def extra(self, name, side):
        """Return the time of ours in addition to that of `side`, or ours alone."""
        return self.of(name) - (self.of(name, side) or 0)


def add_without_formula(report, figures):
    for name in (
        "one output",
        "one output, inference_mode",
        "two outputs",
        "two outputs, inference_mode",
        "formula, inference_mode",
    ):
        ours, peer = figures.of(name), figures.of(name, "TORCH_LIBRARY")
        words = f"{name}, vs TORCH_LIBRARY"
        report.add(
            Row.no_slower(words, ours=ours, peer=peer, times=TIMES_OF_TORCH_LIBRARY, unit="us")
        )
    for name in ("one output", "one output, inference_mode"):
        report.add(
            Row.times_better(
                f"{name}, vs custom_op",
                ours=figures.of(name),
                peer=figures.of(name, "custom_op"),
                times=TIMES_BELOW_CUSTOM_OP,
                unit="us",
            )
        )
    for name in ("outputs given", "composite"):
        ours, peer = figures.of(name), figures.of(name, "TORCH_LIBRARY")
        report.add(Row.told(f"{name}, vs TORCH_LIBRARY", ours=ours, unit="us", peer=peer))


def add_with_formula(report, figures):
    for name in ("formula", "formula, no_grad"):
        words = f"{name}: no gradient needed, over TORCH_LIBRARY"
        extra = figures.extra(name, "TORCH_LIBRARY")
        report.add(Row.at_most(words, ours=extra, limit=MOST_MICROSECONDS_OF_A_FORMULA, unit="us"))
    report.add(
        Row.times_better(
            "training: forward, vs custom_op",
            ours=figures.of("forward"),
            peer=figures.of("forward", "custom_op"),
            times=2.5,
            unit="us",
        )
    )
    whole = "forward+backward"
    report.add(
        Row.times_better(
            "training: forward+backward over built-in mul, vs custom_op",
            ours=figures.of(whole) - figures.of(whole, "mul"),
            peer=figures.of(whole, "custom_op") - figures.of(whole, "mul"),
            times=2,
            unit="us",
        )
    )
    for name in ("forward", whole):
        ours, peer = figures.of(name), figures.of(name, "mul")
        report.add(Row.told(f"  {name}, vs built-in mul", ours=ours, unit="us", peer=peer))


def add_fast_path(report, figures):
    report.add(
        Row.at_most(
            "fast path, outputs given",
            ours=figures.of("fast, outputs given"),
            limit=MOST_MICROSECONDS_OF_THE_FAST_PATH,
            unit="us",
            peer=figures.of("outputs given"),
        )
    )
    for name in ("one output", "two outputs", "formula"):
        report.add(
            Row.told(
                f"fast path, {name}, vs torch.ops",
                ours=figures.of(f"fast, {name}"),
                unit="us",
                peer=figures.of(name),
            )
        )


def add_told(report, figures, rounds):
    from torch_bridge import seconds_to_load

    ours, peer = figures.of("fake"), figures.of("fake", "custom_op")
    report.add(Row.told("fake call, vs custom_op", ours=ours, unit="us", peer=peer))
    ours, peer = seconds_to_load(rounds)
    peer = peer and peer * 1e3
    report.add(
        Row.told("load of a binary, vs TORCH_LIBRARY", ours=ours * 1e3, unit="ms", peer=peer)
    )


def main():
    report = Report(__doc__)
    if importlib.util.find_spec("torch") is None:
        print("peer missing: torch is not installed, and without it there is no bridge to time")
        return 0
    figures = Figures(rounds=report.rounds(41, 151))
    add_without_formula(report, figures)
    add_with_formula(report, figures)
    add_fast_path(report, figures)
    add_told(report, figures, rounds=report.rounds(3, 9))
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())

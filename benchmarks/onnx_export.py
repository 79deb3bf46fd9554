"""ONNX export compared with torch's two exporters, and custom operators in ONNX Runtime.

Chains of sin, multiplication and addition with one dynamic dimension are exported to a file at
opset 20, in turn, in one process. Figures are medians of CPU time. The cost of a node is measured
with a chain on one thread, minus the fixed cost of a run. `scale` and `axpy` do the work of Mul and
Add, so the difference is the cost of the bridge; `dual_residual` is compared with the four nodes
that do the same; `soft_clip` calls tanh per element, where Tanh is vectorized. For the model with
large weights, torch's time covers only the saving.
"""

import statistics
import sys
import tempfile
from pathlib import Path

from harness import Report, Row, release_build
from onnx_export import LENGTHS, node_cases, our_exports, torch_exports, weight_cases
from onnx_export.nodes import LENGTH, SIZES
from onnx_export.weights import megabytes
from tracing.timing import measure

sys.path.insert(0, str(release_build() / "python"))
import opwright


def measure_exports(folder, rounds):
    """Return medians by exporter and length; torch's new exporter runs the longest chain once."""
    sides = {"ours": our_exports(opwright, folder), **torch_exports(folder)}
    samples = {}
    for turn in range(rounds + 1):  # the first warms up
        for side, cases in sides.items():
            for length, case in cases.items():
                if turn == 0 or not (side == "new" and length == max(LENGTHS)):
                    samples.setdefault((side, length), []).append(case.measure())
    return {
        key: statistics.median(times[1:] if len(times) > 1 else times)
        for key, times in samples.items()
    }


def add_exports(report, figures):
    for which, times in (("new", 50), ("old", 1)):
        for length in LENGTHS:
            report.add(
                Row.times_better(
                    f"export of {length:,} nodes, vs torch's {which} exporter",
                    ours=figures["ours", length],
                    peer=figures.get((which, length)),
                    times=times,
                    unit="us",
                )
            )


def add_nodes(report, figures):
    def cost(what, size):
        return (figures[what, size, LENGTH] - figures[what, size, 1]) / (LENGTH - 1)

    # Kernels that do the same work come first: the difference is the cost of the bridge.
    pairs = (("scale", "Mul"), ("axpy", "Add"), ("dual_residual", "its four nodes"))
    for own, built_in in (*pairs, ("soft_clip", "Tanh")):
        for size in SIZES:
            told = {"ours": cost(own, size), "peer": cost(built_in, size), "unit": "us"}
            name = f"node {own} of {size} elements in ONNX Runtime, vs {built_in}"
            # With more elements, or different work, the kernel dominates.
            is_fair = size == min(SIZES) and own != "soft_clip"
            report.add(Row.no_slower(name, times=2, **told) if is_fair else Row.told(name, **told))


def add_weights(report, figures, paths):
    size = sum(megabytes(paths["beside"]))
    words = f"model of {size:.0f} MB"
    report.add(
        Row.told(
            f"{words}, weights in a separate file",
            ours=figures["beside"] / 1000,
            peer=figures["torch"] / 1000 if "torch" in figures else None,
            unit="ms",
        )
    )
    report.add(Row.told("  weights inside the model", ours=figures["inside"] / 1000, unit="ms"))
    report.add(
        Row.told(
            "  the model file without its weights",
            ours=megabytes(paths["beside"])[0] * 1024,
            peer=megabytes(paths["torch"])[0] * 1024 if "torch" in figures else None,
            unit="KB",
        )
    )


def main():
    report = Report(__doc__)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        add_exports(report, measure_exports(folder, rounds=report.rounds(2, 7)))
        nodes = node_cases(opwright, release_build() / "operators", folder)
        add_nodes(report, measure(nodes, rounds=report.rounds(5, 15)))
        weights, paths = weight_cases(opwright, folder, depth=report.rounds(2, 16))
        add_weights(report, measure(weights, rounds=report.rounds(1, 3)), paths)
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())

"""Built-in kernels beside PyTorch's, from Python: 4, 1 K and 1 M elements, products of matrices and
convolutions, on 1 and 2 threads."""

import math
import sys

from harness import Report, Row, release_build
from kernels import (
    SIZES,
    convolution_cases,
    measure,
    pointwise_cases,
    product_cases,
    small_product_cases,
)

sys.path.insert(0, str(release_build() / "python"))
import opwright

try:
    import torch
except ImportError:
    torch = None

# For each number of elements: how many times faster each must be, and all in the geometric mean.
TARGETS = {4: (4.0, None), 1024: (1.0, 2.0), 1 << 20: (0.6, 1.0)}
NAMES = {4: "4", 1024: "1 K", 1 << 20: "1 M"}


def add_rows(report, threads, size, ours, peer):
    each, mean = TARGETS[size]
    for name, figure in ours.items():
        words = f"{name}, {NAMES[size]} elements, {threads} thread{'s' if threads > 1 else ''}"
        row = Row.times_better(words, ours=figure, peer=peer.get(name), times=each, unit="ns")
        report.add(row)
    if mean is not None and peer:
        logs = [math.log(peer[name] / ours[name]) for name in ours]
        ratio = math.exp(sum(logs) / len(logs))
        words = f"geometric mean, {NAMES[size]} elements, {threads} threads"
        report.add(Row.times_better(words, ours=1.0, peer=ratio, times=mean, unit="x"))


def measure_matrices(report, threads, make_cases, size, targets, family):
    """Rows of products and convolutions, which take about as long as `size` elements elsewhere."""
    sides = {"ours": make_cases(opwright)}
    if torch:
        sides["torch"] = make_cases(torch)
    figures = measure(sides, size, threads, rounds=9 if report.options.quick else 41)
    ours, peer = figures["ours"], figures.get("torch", {})
    words = f"{threads} thread{'s' if threads > 1 else ''}"
    for name, figure in ours.items():
        times = targets.get(name, targets["each"])
        row = f"{name}, {words}"
        report.add(Row.times_better(row, ours=figure, peer=peer.get(name), times=times, unit="ns"))
    if "mean" in targets and peer:
        logs = [math.log(peer[name] / ours[name]) for name in ours]
        ratio = math.exp(sum(logs) / len(logs))
        row = f"geometric mean, {family}, {words}"
        times = targets["mean"]
        report.add(Row.times_better(row, ours=1.0, peer=ratio, times=times, unit="x"))


def main():
    report = Report(__doc__)
    for threads in (1, 2):
        opwright.set_num_threads(threads)
        if torch:
            torch.set_num_threads(threads)
        for size in SIZES if threads == 1 else SIZES[-1:]:
            sides = {"ours": pointwise_cases(opwright, size)}
            if torch:
                sides["torch"] = pointwise_cases(torch, size)
            figures = measure(sides, size, threads, rounds=9 if report.options.quick else 41)
            add_rows(report, threads, size, figures["ours"], figures.get("torch", {}))
        if threads == 1:
            small = {"mm 2x2": 4.0, "each": 1.0}
            measure_matrices(report, threads, small_product_cases, 4096, small, "small products")
        large = {"each": 0.6, "mean": 1.0}
        measure_matrices(report, threads, product_cases, 1 << 20, large, "products")
        measure_matrices(report, threads, convolution_cases, 1 << 20, large, "convolutions")
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())

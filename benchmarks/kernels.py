"""Built-in CPU kernels compared with PyTorch, called from Python.

Tensors have 4, 1 K and 1 M elements; matrix products and convolutions are included. The largest
size also runs on two threads. Further special functions have 64 K elements; they, samplings,
products of halves, Fourier transforms and linear algebra run on one thread.
"""

import math
import sys

from harness import Report, Row, release_build
from kernels import (
    SIZES,
    convolution_cases,
    element_cases,
    fourier_cases,
    half_product_cases,
    image_cases,
    linalg_cases,
    loss_cases,
    measure,
    other_image_cases,
    other_product_cases,
    other_special_cases,
    product_cases,
    small_product_cases,
)

sys.path.insert(0, str(release_build() / "python"))
import opwright

try:
    import torch
except ImportError:
    torch = None

# The required speed-up by number of elements: of each case, and of the geometric mean.
TARGETS = {4: {"each": 4.0}, 1024: {"each": 1.0, "mean": 2.0}, 1 << 20: {"each": 0.6, "mean": 1.0}}
# Families that run at one size, on one thread: their cases and the speed-up that each needs.
FAMILIES = {
    "special functions": (other_special_cases, 0.7),
    "samplings and pools": (other_image_cases, 0.7),
    "products and updates": (other_product_cases, 0.7),
    "products of halves": (half_product_cases, 0.9),
    "Fourier transforms": (fourier_cases, 0.5),
    "linear algebra": (linalg_cases, 0.5),
}
FAMILY_SIZE = 1 << 16
NAMES = {4: "4 elements", 1024: "1 K elements", 1 << 20: "1 M elements"}


def add_rows(report, threads, make_cases, size, targets, of_family=""):
    """Time cases that take about as long as `size` elements and add a row for each.

    Returns the ratios.
    """
    sides = {"ours": make_cases(opwright)}
    if torch:
        sides["torch"] = make_cases(torch)
    figures = measure(sides, size, threads, rounds=report.rounds(9, 41))
    ours, peer = figures["ours"], figures.get("torch", {})
    words = f"{threads} thread{'s' if threads > 1 else ''}"
    for name, figure in ours.items():
        times = targets.get(name, targets["each"])
        row = f"{name}{of_family}, {words}"
        report.add(Row.times_better(row, ours=figure, peer=peer.get(name), times=times, unit="ns"))
    return [peer[name] / ours[name] for name in ours if name in peer]


def add_mean(report, threads, family, ratios, times):
    if not ratios:
        return
    ratio = math.exp(sum(map(math.log, ratios)) / len(ratios))
    row = f"geometric mean, {family}, {threads} thread{'s' if threads > 1 else ''}"
    report.add(Row.times_better(row, ours=1.0, peer=ratio, times=times, unit="x"))


def add_families(report):
    """Add the rows of FAMILIES and the geometric mean of all of them."""
    ratios = []
    for make_cases, each in FAMILIES.values():
        ratios += add_rows(report, 1, make_cases, FAMILY_SIZE, {"each": each})
    add_mean(report, 1, ", ".join(FAMILIES), ratios, 1.0)


def main():
    report = Report(__doc__)
    for threads in (1, 2):
        opwright.set_num_threads(threads)
        if torch:
            torch.set_num_threads(threads)
        for size in SIZES if threads == 1 else SIZES[-1:]:
            family = NAMES[size]

            def make_cases(package, size=size):
                return element_cases(package, size)

            ratios = add_rows(report, threads, make_cases, size, TARGETS[size], f", {family}")
            if size == 1024:
                small = {"mm 2x2": 4.0, "each": 1.0}
                ratios += add_rows(report, threads, small_product_cases, 4096, small)
            if size == SIZES[-1]:
                for large_cases in (product_cases, convolution_cases, image_cases, loss_cases):
                    ratios += add_rows(report, threads, large_cases, size, TARGETS[size])
            if "mean" in TARGETS[size]:
                add_mean(report, threads, family + " and more", ratios, TARGETS[size]["mean"])
        if threads == 1:
            add_families(report)
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())

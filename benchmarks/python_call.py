"""Operator calls from Python compared with PyTorch and tvm-ffi.

The floor is a bare METH_FASTCALL function, the minimum cost of a call from Python into C.
"""

import sys

from harness import Report, Row, release_build
from python_call import floor_cases, measure, our_cases, torch_cases, tvm_ffi_cases

sys.path.insert(0, str(release_build() / "python"))
import opwright


class Figures:
    """Medians by side and case; None if the peer is not installed."""

    def __init__(self, rounds):
        sides = {
            "floor": floor_cases(),
            "ours": our_cases(opwright),
            "torch": torch_cases(),
            "tvm-ffi": tvm_ffi_cases(),
        }
        cases = {(side, name): case for side, each in sides.items() for name, case in each.items()}
        self.medians = measure(cases, rounds)

    def of(self, side, name):
        return self.medians.get((side, name))

    def difference(self, side, name, base, base_side=None):
        value, floor = self.of(side, name), self.of(base_side or side, base)
        return None if value is None or floor is None else value - floor


def add_cpp_operators(report, figures):
    cases = (
        ("a", "a: two tensors, a float, no output", "floor", 70, 30, 20),
        ("b", "b: one output", "floor", 120, 60, 20),
        ("c", "c: two outputs", "floor", 200, None, 15),
        ("e", "e: 14 tensors", "floor of 14", 80, None, 10),
    )
    for name, words, floor, limit, stretch, times in cases:
        over = figures.difference("ours", name, floor, "floor")
        report.add(
            Row.at_most(
                f"{words}, over the floor", ours=over, limit=limit, stretch=stretch, unit="ns"
            )
        )
        whole, peer = figures.of("ours", name), figures.of("torch", name)
        report.add(
            Row.times_better("  total, vs torch.ops", ours=whole, peer=peer, times=times, unit="ns")
        )
    keywords = figures.difference("ours", "f", "b")
    peer = figures.difference("torch", "f", "b")
    report.add(
        Row.at_most(
            "f: two keywords, over positional", ours=keywords, limit=40, unit="ns", peer=peer
        )
    )


def add_python_operators(report, figures):
    cases = (
        ("d", "d: Python operator, over its function", "d: function", 150, 80, 60),
        (
            "d with an output",
            "d: one that calls b, over its function",
            "d: function with an output",
            150,
            80,
            60,
        ),
        (
            "d of 14",
            "d: one of 14 tensors, over its function",
            "d: function of 14",
            400,
            None,
            None,
        ),
    )
    for name, words, function, limit, stretch, times in cases:
        extra = figures.difference("ours", name, function)
        peer = figures.difference("torch", name, function)
        report.add(Row.at_most(words, ours=extra, limit=limit, stretch=stretch, unit="ns"))
        words = "  vs torch.library.custom_op"
        if times:
            row = Row.times_better(words, ours=extra, peer=peer, times=times, unit="ns")
        else:
            row = Row.told(words, ours=extra, unit="ns", peer=peer)
        report.add(row)
    report.add(
        Row.told(
            "  vs torch's Library.impl",
            ours=figures.difference("ours", "d", "d: function"),
            unit="ns",
            peer=figures.difference("torch", "Library.impl", "d: function"),
        )
    )


def add_told(report, figures):
    rows = (
        ("a vs a nanobind function", "a", "floor", "nanobind"),
        ("b vs a nanobind function", "b", "floor", "nanobind, one output"),
        ("a vs tvm-ffi, its own tensors", "a", "tvm-ffi", "a"),
        ("b vs tvm-ffi, its own tensors", "b", "tvm-ffi", "b"),
        ("a as a packet, vs torch", "a as a packet", "torch", "a as a packet"),
        ("a as ow.ops.python_call.axpy_(...), vs torch", "a by name", "torch", "a by name"),
        ("the second of two overloads, vs torch", "two overloads", "torch", "two overloads"),
        ("x + y, vs torch", "x + y", "torch", "x + y"),
        ("x.sin(), vs torch", "x.sin()", "torch", "x.sin()"),
    )
    for words, name, side, peer in rows:
        report.add(
            Row.told(words, ours=figures.of("ours", name), unit="ns", peer=figures.of(side, peer))
        )
    blocking = figures.difference("ours", "blocking", "a")
    report.add(Row.told("releasing the GIL (tag blocking)", ours=blocking, unit="ns"))


def main():
    report = Report(__doc__)
    figures = Figures(rounds=report.rounds(25, 101))
    for name in ("floor", "floor of 14"):
        count = "14" if name.endswith("14") else "3"
        report.add(
            Row.told(
                f"floor: METH_FASTCALL of {count} arguments",
                ours=figures.of("floor", name),
                unit="ns",
            )
        )
    add_cpp_operators(report, figures)
    add_python_operators(report, figures)
    add_told(report, figures)
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())

"""Tracing and fake calls compared with PyTorch and JAX.

The custom operator of jax is an `ffi_call`, its documented way to call C++. A bare primitive of jax
needs no signature and is listed separately.
"""

import sys

from harness import Report, Row, release_build
from tracing import CHAINS, LENGTHS, jax_cases, measure, our_cases, torch_cases

sys.path.insert(0, str(release_build() / "python"))
import opwright


def all_figures(rounds):
    """Return the median microseconds by side and case."""
    sides = {"ours": our_cases(opwright), "torch": torch_cases(), "jax": jax_cases()}
    cases = {(side, name): case for side, each in sides.items() for name, case in each.items()}
    return measure(cases, rounds)


def add_traces(report, figures, chain):
    for length in LENGTHS:
        ours = figures["ours", (chain, length)]
        for words, side, times in (
            (f"make_fx(symbolic), {length:,} {chain}, per node, vs torch", "torch", 100),
            ("  vs jax.make_jaxpr", "jax", 8),
        ):
            peer = figures.get((side, (chain, length)))
            report.add(Row.times_better(words, ours=ours, peer=peer, times=times, unit="us"))
    growth = {
        side: figures[side, (chain, 1000)] / figures[side, (chain, 100)]
        for side in ("ours", "torch")
        if (side, (chain, 1000)) in figures
    }
    report.add(
        Row.at_most(
            f"  time per node, 1,000 {chain} over 100, vs torch",
            ours=growth["ours"],
            limit=1.3,
            unit="x",
            peer=growth.get("torch"),
        )
    )


def add_fake_calls(report, figures):
    for name, words, times in (
        ("fake call, C++", "fake call, custom operator with a C++ fake kernel", 100),
        ("fake call, Python", "fake call, custom operator with a Python fake kernel", 30),
    ):
        ours, peer = figures["ours", name], figures.get(("torch", name))
        report.add(Row.times_better(words, ours=ours, peer=peer, times=times, unit="us"))
    report.add(
        Row.told(
            "fake call, mul (torch: from its cache)",
            ours=figures["ours", "fake call, mul"],
            unit="us",
            peer=figures.get(("torch", "fake call, mul")),
        )
    )


def main():
    report = Report(__doc__)
    figures = all_figures(rounds=report.rounds(2, 9))
    for chain in CHAINS:
        add_traces(report, figures, chain)
    report.add(
        Row.told(
            "1,000 custom, per node, vs a bare primitive of jax",
            ours=figures["ours", ("custom", 1000)],
            unit="us",
            peer=figures.get(("jax", "primitive")),
        )
    )
    add_fake_calls(report, figures)
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())

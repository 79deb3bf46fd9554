"""Operator calls in C++ compared with PyTorch: handles, interpreters, allocation, look-up."""

import sys
from pathlib import Path

from harness import Report, Row, build_torch_program, interleave, release_build


def main():
    report = Report(__doc__)
    source = Path(__file__).parent / "dispatch" / "torch_peer.cpp"
    programs = {
        "ours": [release_build() / "dispatch_bench", release_build() / "operators/libtouch.so"],
        "torch": [program] if (program := build_torch_program(source)) else None,
    }
    figures = interleave(programs, rounds=report.rounds(3, 9))
    ours, torch = figures["ours"], figures["torch"]

    def over_direct(figure, key):
        return figure[key] - figure["direct"] if key in figure else None

    extra, torch_extra = over_direct(ours, "handle"), over_direct(torch, "handle")
    report.add(
        Row.told(
            "direct call of the function", ours=ours["direct"], unit="ns", peer=torch.get("direct")
        )
    )
    report.add(
        Row.at_most(
            "typed handle, over the direct call", ours=extra, limit=15, stretch=7, unit="ns"
        )
    )
    report.add(
        Row.times_better(
            "typed handle, vs a plain torch operator",
            ours=extra,
            peer=torch_extra,
            times=3,
            unit="ns",
        )
    )
    report.add(
        Row.told(
            "typed handle, vs torch's autograd fall-through",
            ours=extra,
            unit="ns",
            peer=over_direct(torch, "fall_through"),
        )
    )
    report.add(
        Row.told("boxed call, over the direct call", ours=over_direct(ours, "boxed"), unit="ns")
    )
    loaded = ours["loaded"] - ours["handle"]
    report.add(
        Row.at_most(
            "operator of a loaded binary, over one of the core", ours=loaded, limit=5, unit="ns"
        )
    )
    report.add(
        Row.told(
            "in-place operator, over the direct call",
            ours=over_direct(ours, "in_place"),
            unit="ns",
            peer=over_direct(torch, "in_place"),
        )
    )
    report.add(
        Row.at_most(
            "first pass-through interpreter",
            ours=ours["one_interpreter"] - ours["handle"],
            limit=8,
            unit="ns",
        )
    )
    each = (ours["three_interpreters"] - ours["one_interpreter"]) / 2
    report.add(Row.at_most("each further interpreter", ours=each, limit=8, unit="ns"))
    report.add(
        Row.times_better(
            "empty({4})", ours=ours["empty"], peer=torch.get("empty"), times=4, unit="ns"
        )
    )
    report.add(Row.told("  of which the tensor itself", ours=ours["make_empty"], unit="ns"))
    report.add(Row.told("mul of 4 elements", ours=ours["mul"], unit="ns", peer=torch.get("mul")))
    report.add(
        Row.at_most(
            "look-up by name", ours=ours["find"], limit=40, unit="ns", peer=torch.get("find")
        )
    )
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())

"""Exported programs compared with torch.export: export, save, load, run, size."""

import statistics
import sys
import tempfile
from pathlib import Path

from exporting import (
    LENGTHS,
    LIMITS,
    SAVED_LENGTHS,
    TITLES,
    library_megabytes,
    load_times,
    our_side,
    peak_megabytes,
    torch_archives,
    torch_side,
)
from harness import Report, Row, interleave, release_build

sys.path.insert(0, str(release_build() / "python"))
import opwright

RUN_BENCH = release_build() / "run_bench"
LIBRARY = release_build() / "python/opwright/lib/libopwright.so"


def measure(sides, rounds, once):
    """Return median microseconds by side and case; cases for which `once` is true run once."""
    samples = {}
    for turn in range(rounds + 1):  # the first warms up
        for side, each in sides.items():
            for name, case in each.cases.items():
                if turn == 0 or not once(side, *name):
                    samples.setdefault((side, name), []).append(case.measure())
    return {
        key: statistics.median(times[1:] if len(times) > 1 else times)
        for key, times in samples.items()
    }


def run_in_cpp(files, rounds):
    """Return nanoseconds by length and figure, and the peak memory, measured by run_bench."""
    programs = {
        length: [RUN_BENCH, path, str(max(20, 100_000 // length))] for length, path in files.items()
    }
    return interleave(programs, rounds)


def add_times(report, figures):
    for length in LENGTHS:
        report.add(
            Row.times_better(
                f"export of {length:,} operators, one dynamic dimension, per node",
                ours=figures["ours", ("export", length)],
                peer=figures.get(("torch", ("export", length))),
                times=100,
                unit="us",
            )
        )
    for what in ("save", "load"):
        for length in SAVED_LENGTHS:
            report.add(
                Row.times_better(
                    f"{what} of a program of {length:,} operators",
                    ours=figures["ours", (what, length)],
                    peer=figures.get(("torch", (what, length))),
                    times=50,
                    unit="us",
                )
            )


def add_archives(report, folder):
    """Loads of what torch exported: its archive (.pt2), and the same program as .opw."""
    peers = torch_archives(folder)
    if peers is None:
        return
    ours = load_times(opwright, folder, rounds=report.rounds(3, 9))
    for name, limits in LIMITS.items():
        for ending, limit in zip(("pt2", "opw"), limits, strict=True):
            report.add(
                Row.at_most(
                    f"load of {TITLES[name]} (.{ending})",
                    ours=ours[name, ending],
                    limit=limit,
                    unit="ms",
                    peer=peers.get(name),
                )
            )


def add_runs(report, figures, cpp):
    for length in SAVED_LENGTHS:
        peer = figures.get(("torch", ("run", length)))
        report.add(
            Row.times_better(
                f"run of {length:,} operators on 4 elements from C++, per node",
                ours=cpp[length]["run"] / length / 1000,
                peer=peer,
                times=20,
                unit="us",
            )
        )
        for words, ours in (
            ("  only the plan", cpp[length]["plan"] / length / 1000),
            ("  from Python, with module()", figures["ours", ("run", length)]),
        ):
            report.add(Row.told(words, ours=ours, unit="us", peer=peer))
    step = cpp[SAVED_LENGTHS[0]]["eager_step"] / 1000
    report.add(Row.told("  one of its operators, called alone", ours=step, unit="us"))


def add_sizes(report, ours, torch, cpp):
    report.add(
        Row.at_most("libopwright, stripped", ours=library_megabytes(LIBRARY), limit=16, unit="MB")
    )
    least = SAVED_LENGTHS[0]
    peer = None
    if torch:
        statement = (
            f"import torch; torch.export.load({str(torch.files[least])!r}).module()(torch.ones(4))"
        )
        peer = peak_megabytes(statement, sys.executable)
    report.add(
        Row.at_most(
            f"process that runs a program of {least} operators",
            ours=cpp[least]["peak_kib"] / 1024,
            limit=40,
            unit="MB",
            peer=peer,
        )
    )
    for length in SAVED_LENGTHS:
        report.add(
            Row.told(
                f"file of a program of {length:,} operators",
                ours=ours.files[length].stat().st_size / 1024,
                unit="KB",
                peer=torch.files[length].stat().st_size / 1024 if torch else None,
            )
        )


def main():
    report = Report(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        ours, torch = our_side(opwright, Path(folder)), torch_side(Path(folder))
        sides = {"ours": ours} | ({"torch": torch} if torch else {})
        figures = measure(
            sides,
            rounds=report.rounds(2, 5),
            once=lambda side, what, length: side == "torch" and what != "run" and length >= 1000,
        )
        cpp = run_in_cpp(ours.files, rounds=report.rounds(1, 5))
        add_times(report, figures)
        add_archives(report, Path(folder))
        add_runs(report, figures, cpp)
        add_sizes(report, ours, torch, cpp)
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())

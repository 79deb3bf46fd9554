"""Compiled functions compared with torch.compile (Inductor) and jax.jit.

Measures speed on one and two threads, calls on small tensors, compile times, and the number of
compilations. Functions (a) to (h) are in benchmarks/compiling/functions.py. Times of calls are the
minimum over single calls. On one thread, all sides are pinned to one core. The custom operator of
(h) is the same binary in all three, through our bridges. (d), (f) and (g) are mostly matrix
products. (a2) moves as many bytes as one multiplication and is bound by memory. A compile time is
the time of the first call minus that of a later one.

The code that Inductor generates is cached in the build folder: the first run after a clean build
takes minutes longer; later runs with `--quick` end within 45 seconds.
"""

import json
import math
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from compiling import TITLES
from harness import Report, Row, find_peer, is_smoke

PARTS = Path(__file__).parent / "compiling"
FIRST = ("a", "b", "c", "e")  # each is the first function of a process

# Required speed-up over torch.compile and jax.jit; other functions have no target.
LIBRARY_TARGETS = {"d": (0.9, 0.9)}
FUSED_TARGETS = {
    "a": (1.4, 1.5),
    "a2": (1.4, 1.0),
    "b": (1.4, 1.5),
    "c": (1.4, 1.5),
    "e": (1.4, 1.5),
}
MEAN_TARGET, MEAN_STRETCH = 1.3, 1.5
BOUND_TARGET = 1.2  # (a2) relative to one multiplication of as many bytes
NEXT_LIMIT, NEXT_TO_JAX = 40, 2
NEST_LIMIT, BASE_LIMIT = 15, 30  # (f)-(h): ms for each distinct nest, and in addition
FIRST_LIMIT, WARM_LIMIT = 150, 5
GUARDED_LIMIT = 1
CALL_LIMIT, CALL_TO_TORCH, CALL_TO_JAX = 0.5, 50, 12
COMPILES_LIMIT = 2


def words(threads):
    return f"{threads} thread{'s' if threads > 1 else ''}"


def run_part(name, *options, **environment):
    command = [sys.executable, PARTS / f"{name}.py", *map(str, options)]
    done = subprocess.run(
        command, check=True, stdout=subprocess.PIPE, text=True, env={**os.environ, **environment}
    )
    return json.loads(done.stdout.splitlines()[-1])


def steady_row(report, letter, threads, figures, peer, target):
    ours, theirs = figures["ours"]["least"], figures.get(peer, {}).get("least")
    name = f"{TITLES[letter]}, {words(threads)}, vs {peer}"
    if target is None:
        report.add(Row.told(name, ours=ours, unit="us", peer=theirs))
    else:
        report.add(Row.times_better(name, ours=ours, peer=theirs, times=target, unit="us"))


def add_steady(report, threads, figures):
    """Add rows with the minimum times of single calls; eager torch must not be faster."""
    for letter in TITLES:
        targets = {**FUSED_TARGETS, **LIBRARY_TARGETS}.get(letter, (None, None))
        targets = {"torch.compile": targets[0], "jax.jit": targets[1], "torch": 1.0}
        for peer, target in targets.items():
            steady_row(report, letter, threads, figures[letter], peer, target)
    for peer in ("torch.compile", "jax.jit"):
        for which, target in (("least", MEAN_TARGET), ("median", None)):
            add_mean(report, threads, figures, peer, which, target)
    bound = figures["a2"]
    report.add(
        Row.no_slower(
            f"{TITLES['a2']}, {words(threads)}, vs one multiplication",
            ours=bound["ours"]["least"],
            peer=bound["multiply"]["least"],
            times=BOUND_TARGET,
            unit="us",
        )
    )


def add_mean(report, threads, figures, peer, which, target):
    ratios = [
        figures[letter][peer][which] / figures[letter]["ours"][which]
        for letter in TITLES
        if peer in figures[letter]
    ]
    name = f"geometric mean of {which} times, {words(threads)}, vs {peer}"
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else None
    if target is None:
        report.add(Row.told(name, ours=1.0, peer=mean, unit="x"))
        return
    row = Row.times_better(name, ours=1.0, peer=mean, times=target, unit="x")
    row.target += f" (stretch {MEAN_STRETCH:g})"
    report.add(row)


def add_small(report, figures):
    ours = figures["ours"]["least"]
    name = f"{TITLES['a'].split(',')[0]} on 4 elements, per call"
    report.add(Row.at_most(name, ours=ours, limit=CALL_LIMIT, unit="us"))
    for peer, times in (("torch.compile", CALL_TO_TORCH), ("jax.jit", CALL_TO_JAX)):
        theirs = figures.get(peer, {}).get("least")
        row = f"  vs {peer}"
        report.add(Row.times_better(row, ours=ours, peer=theirs, times=times, unit="us"))


def run_compiles(side, first, **environment):
    """Return {figure: milliseconds} of one fresh process."""
    command = [sys.executable, PARTS / "compile_times.py", side, first]
    done = subprocess.run(
        command, check=True, stdout=subprocess.PIPE, text=True, env={**os.environ, **environment}
    )
    lines = (line.split() for line in done.stdout.splitlines())
    return {name: float(value) for name, value in lines}


def compile_times(rounds):
    """Return {(side, first letter): {figure: minimum ms}}: ours cold and warm, and jax, in turn."""
    figures = {}

    def take(side, first, found):
        known = figures.setdefault((side, first), found)
        known.update({name: min(value, known[name]) for name, value in found.items()})

    with tempfile.TemporaryDirectory() as warm:
        run_compiles("ours", "a", OPWRIGHT_CACHE_DIR=warm)
        for turn in range(rounds):
            for first in FIRST:
                with tempfile.TemporaryDirectory() as cold:
                    take("cold", first, run_compiles("ours", first, OPWRIGHT_CACHE_DIR=cold))
                take("warm", first, run_compiles("ours", first, OPWRIGHT_CACHE_DIR=warm))
                if turn < max(1, rounds - 1):  # it is the slow one
                    take("jax", first, run_compiles("jax", first) if has_jax() else {})
    return figures


def has_jax():
    return find_peer("jax") is not None


def least_next(figures, side, letter):
    key = f"next_{letter}"
    found = [each[key] for (which, _), each in figures.items() if which == side and key in each]
    return min(found) if found else None


def add_compile_times(report, figures, nests):
    for letter in FIRST:
        key, title = f"first_{letter}", TITLES[letter]
        ours, theirs = figures["cold", letter][key], figures["jax", letter].get(key)
        name = f"first compile in a process, {title}"
        report.add(Row.at_most(name, ours=ours, limit=FIRST_LIMIT, unit="ms"))
        report.add(Row.no_slower("  vs jax.jit", ours=ours, peer=theirs, times=1, unit="ms"))
    for letter, title in TITLES.items():
        ours, theirs = (least_next(figures, side, letter) for side in ("cold", "jax"))
        name = f"next compile, {title}"
        if letter in "fgh":
            limit = NEST_LIMIT * nests[letter] + BASE_LIMIT
            name += f", {nests[letter]} nests"
            report.add(Row.at_most(name, ours=ours, limit=limit, unit="ms", peer=theirs))
            continue
        report.add(Row.at_most(name, ours=ours, limit=NEXT_LIMIT, unit="ms"))
        row = Row.times_better("  vs jax.jit", ours=ours, peer=theirs, times=NEXT_TO_JAX, unit="ms")
        report.add(row)
    for letter in FIRST:
        ours = figures["warm", letter][f"first_{letter}"]
        name = f"compile from the disk cache, {TITLES[letter]}"
        report.add(Row.at_most(name, ours=ours, limit=WARM_LIMIT, unit="ms"))
    loaded = max(figures["warm", letter]["llvm"] for letter in FIRST)
    report.add(Row.at_most("  processes that loaded LLVM", ours=loaded, limit=0, unit=""))


def add_torch_times(report):
    """Add the compile times of torch.compile without a cache; no target, as it takes 30 s."""
    with tempfile.TemporaryDirectory() as folder:
        figures = run_compiles("torch", "a", TORCHINDUCTOR_CACHE_DIR=folder)
    for key, took in figures.items():
        if key != "llvm":
            kind, letter = key.split("_")
            name = f"torch.compile: {kind} compile, {TITLES[letter]}"
            report.add(Row.told(name, ours=took, unit="ms"))


def add_insight(report, insight):
    name = f"bytes moved by the plan of {TITLES['a']}, vs each input and output once"
    ratio = insight["bytes"] / insight["least_bytes"]
    report.add(Row.at_most(name, ours=ratio, limit=1, unit="x"))
    name = "call on 4 elements of a function that reads five containers"
    report.add(Row.at_most(name, ours=insight["guarded_call"], limit=GUARDED_LIMIT, unit="us"))
    name = "compiles in a loop over 50 batch sizes"
    report.add(Row.at_most(name, ours=insight["compiles"], limit=COMPILES_LIMIT, unit=""))


def main():
    report = Report(__doc__)
    for threads in (1,) if is_smoke() else (1, 2):
        figures = run_part("steady", threads, report.rounds(6, 30))
        add_steady(report, threads, figures)
        if threads == 1:
            small = figures["small"]
    add_small(report, small)
    insight = run_part("insight")
    add_compile_times(report, compile_times(report.rounds(2, 5)), insight["nests"])
    add_insight(report, insight)
    if not report.options.quick:
        add_torch_times(report)
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())

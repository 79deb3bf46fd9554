"""Times compiled functions after warm-up, all sides in turn in one process; prints JSON.

    steady.py THREADS ROUNDS

Prints the minimum and the median of single calls, in microseconds, by side and letter. On a shared
machine the minimum is more meaningful than the mean. On one thread, all sides are pinned to one
core, because XLA ignores thread limits.
"""

import gc
import json
import os
import statistics
import sys
import time
from pathlib import Path

THREADS, ROUNDS = (int(each) for each in sys.argv[1:3])
if THREADS == 1:
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    one = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
    os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} {one}"
os.environ["JAX_PLATFORMS"] = "cpu"

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from harness import release_build  # noqa: E402

from compiling.functions import TITLES  # noqa: E402
from compiling.sides import jax_side, our_side, torch_sides  # noqa: E402

sys.path.insert(0, str(release_build() / "python"))
import numpy  # noqa: E402
import opwright  # noqa: E402

PAUSE = 0.003  # so long the threads of a side may go on waiting for work
SLICE = 0.008  # seconds of one side in one round, more where one call takes more
SMALL_CALLS = 500


def check_results(sides):
    """Compile with a first call; check that all sides return the same result."""
    for letter in TITLES:
        results = {name: side.to_numpy(side.runs[letter]()) for name, side in sides.items()}
        ours = results["ours"]
        for name, result in results.items():
            if not numpy.allclose(ours, result, rtol=1e-3, atol=1e-4):
                worst = abs(ours - result).max()
                raise AssertionError(f"({letter}): ours and {name} differ by {worst}")


def sample(run, calls):
    """Return the seconds of each call, after one warm-up call."""
    run()
    times = []
    for _ in range(calls):
        begin = time.perf_counter()
        run()
        times.append(time.perf_counter() - begin)
    return times


def measure(runs):
    """Return {name: seconds of calls}, measured in turn."""
    samples = {name: [] for name in runs}
    calls = {name: max(2, min(50, int(SLICE / min(sample(run, 3))))) for name, run in runs.items()}
    for _ in range(ROUNDS):
        for name, run in runs.items():
            samples[name] += sample(run, calls[name])
            if THREADS > 1:
                time.sleep(PAUSE)
    return samples


def measure_small(runs):
    def loop(run):
        def many():
            for _ in range(SMALL_CALLS):
                run()

        return many

    figures = {}
    for name, times in measure({name: loop(run) for name, run in runs.items()}).items():
        figures[name] = [each / SMALL_CALLS for each in times]
    return figures


def told(samples):
    def micro(seconds):
        return seconds * 1e6

    return {
        name: {"least": micro(min(times)), "median": micro(statistics.median(times))}
        for name, times in samples.items()
    }


def main():
    sides = {"ours": our_side(opwright), **torch_sides(opwright), **jax_side(opwright)}
    opwright.set_num_threads(THREADS)
    if "torch" in sides:
        import torch

        torch.set_num_threads(THREADS)
    check_results(sides)
    gc.disable()
    figures = {}
    for letter in TITLES:
        runs = {name: side.runs[letter] for name, side in sides.items()}
        if letter == "a2":
            runs["multiply"] = sides["ours"].extra["multiply"]
        figures[letter] = told(measure(runs))
    smalls = {name: side.small for name, side in sides.items() if name != "torch"}
    figures["small"] = told(measure_small(smalls))
    print(json.dumps(figures))


if __name__ == "__main__":
    main()

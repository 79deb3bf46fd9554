"""Times many cases in turn in one process, in microseconds.

It measures the CPU time of the thread, which excludes other programs on a busy machine.
"""

import gc
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass

# Shorter runs are repeated: the clock is coarse, and the first run after another case has cold
# caches.
LEAST_NANOSECONDS = 10_000_000


@dataclass
class Case:
    """A timed `run()`; the time is divided by `parts`, such as nodes of a graph or calls.

    >>> Case(lambda: None, parts=10).measure() >= 0
    True
    """

    run: Callable[[], object]
    parts: int

    def measure(self):
        begin = time.thread_time_ns()
        runs, took = 0, 0
        while took < LEAST_NANOSECONDS:
            self.run()
            runs, took = runs + 1, time.thread_time_ns() - begin
        return took / runs / self.parts / 1000


def measure(cases, rounds):
    """Return the median of each case; the first round is a warm-up. GC runs between rounds."""
    samples = {name: [] for name in cases}
    gc.disable()
    for turn in range(rounds + 1):
        for name, case in cases.items():
            took = case.measure()
            if turn > 0:
                samples[name].append(took)
        gc.collect()
    gc.enable()
    return {name: statistics.median(each) for name, each in samples.items()}

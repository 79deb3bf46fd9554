"""Microseconds of many cases, in turn, in one process.

It is CPU time of the thread: on an idle machine that is the time on the clock, and on a busy one it
leaves out what other programs took.
"""

import gc
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass

# A run of less is repeated: the clock is coarse, and the first run after another case finds nothing
# in the caches.
LEAST_NANOSECONDS = 10_000_000


@dataclass
class Case:
    """`run()` is timed as a whole and told for each of `parts`: nodes of a graph, calls of a loop.

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
    """The median of each case. A first round warms up; what it made is collected between rounds."""
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

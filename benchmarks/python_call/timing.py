"""Times many cases in turn in one process, in nanoseconds per call.

It measures the CPU time of the thread, which excludes other programs on a busy machine.
"""

import gc
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import repeat


@dataclass
class Case:
    """A timed expression `call` over the variables in `values`.

    >>> Case("len(x)", {"len": len, "x": ()}, calls=10).run() > 0
    True
    """

    call: str
    values: dict
    calls: int = 20_000

    def __post_init__(self):
        self.loop = compile_loop(self.call, tuple(self.values))

    def run(self):
        iterations = repeat(None, self.calls)
        begin = time.thread_time_ns()
        self.loop(iterations, *self.values.values())
        return (time.thread_time_ns() - begin) / self.calls


def compile_loop(call: str, names: tuple[str, ...]) -> Callable:
    """Make a separate function for each case: Python specializes calls per call site."""
    scope = {}
    exec(f"def loop(iterations, {', '.join(names)}):\n for _ in iterations:\n  {call}", scope)
    return scope["loop"]


def measure(cases, rounds):
    """Return the median of each case; the first round is a warm-up. Runs without GC."""
    samples = {name: [] for name in cases}
    gc.disable()
    for turn in range(rounds + 1):
        for name, case in cases.items():
            took = case.run()
            if turn > 0:
                samples[name].append(took)
    gc.enable()
    return {name: statistics.median(each) for name, each in samples.items()}

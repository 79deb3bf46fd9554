"""Nanoseconds per call of many cases, in turn, in one process.

It is CPU time of the thread: on an idle machine that is the time on the clock, and on a busy one it
leaves out what other programs took.
"""

import gc
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import repeat


@dataclass
class Case:
    """`call` is the expression that is timed, over the names of `values`.

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
    """A function of its own for each case: the interpreter adapts a call to what it calls."""
    scope = {}
    exec(f"def loop(iterations, {', '.join(names)}):\n for _ in iterations:\n  {call}", scope)
    return scope["loop"]


def measure(cases, rounds):
    """The median of each case; the first round warms up. The collector is off meanwhile."""
    samples = {name: [] for name in cases}
    gc.disable()
    for turn in range(rounds + 1):
        for name, case in cases.items():
            took = case.run()
            if turn > 0:
                samples[name].append(took)
    gc.enable()
    return {name: statistics.median(each) for name, each in samples.items()}

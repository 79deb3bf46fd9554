"""Measures wall time, because opcheck starts child processes and threads."""

import statistics
import time


def measure(cases, rounds):
    """Return the median of each case in microseconds; the first round is a warm-up."""
    samples = {name: [] for name in cases}
    for turn in range(rounds + 1):
        for name, run in cases.items():
            begin = time.perf_counter_ns()
            run()
            if turn > 0:
                samples[name].append((time.perf_counter_ns() - begin) / 1000)
    return {name: statistics.median(each) for name, each in samples.items()}

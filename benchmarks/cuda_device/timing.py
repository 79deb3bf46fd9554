"""Times calls on a GPU: many calls between two synchronizations, sides in turn."""

import statistics
import time


def time_side_by_side(sides, calls, rounds):
    """Return the median seconds per call by side; `sides` maps a name to (call, synchronize)."""
    seconds = {name: [] for name in sides}
    for function, wait in sides.values():
        for _ in range(calls):
            function()
        wait()
    for _ in range(rounds):
        for name, (function, wait) in sides.items():
            wait()
            began = time.perf_counter()
            for _ in range(calls):
                function()
            wait()
            seconds[name].append((time.perf_counter() - began) / calls)
    return {name: statistics.median(each) for name, each in seconds.items()}

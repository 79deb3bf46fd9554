"""Nanoseconds of many calls on several sides, in turn, so that a busy machine slows all alike."""

import gc
import statistics
import time

# So long the threads of one side may go on waiting for work, on the cores that the next one needs.
PAUSE = 0.01


def measure(sides, size, threads, rounds):
    """Return {side: {case: median}}; the first round warms up.

    On one thread it is CPU time, which leaves out what other programs took; on more the clock.
    """
    now = time.thread_time_ns if threads == 1 else time.perf_counter_ns
    calls = max(1, min(2000, (1 << 20) // size // 4))
    samples = {side: {name: [] for name in cases} for side, cases in sides.items()}
    gc.disable()
    for turn in range(rounds + 1):
        for name in next(iter(sides.values())):
            for side, cases in sides.items():
                call = cases[name]
                if threads > 1:
                    time.sleep(PAUSE)
                    call()
                begin = now()
                for _ in range(calls):
                    call()
                if turn > 0:
                    samples[side][name].append((now() - begin) / calls)
    gc.enable()
    return {
        side: {name: statistics.median(each) for name, each in cases.items()}
        for side, cases in samples.items()
    }

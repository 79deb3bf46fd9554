"""Times calls of several sides in turn, so that a busy machine slows all of them."""

import gc
import statistics
import time

# The seconds for which the idle threads of one side may keep spinning on the cores of the next.
PAUSE = 0.01


def measure(sides, size, threads, rounds):
    """Return {side: {case: median nanoseconds}}; the first round is a warm-up.

    On one thread this is CPU time, which excludes other programs; on more it is wall time.
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

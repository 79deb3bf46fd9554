"""Memory stays level over many calls and many errors."""

import gc
from pathlib import Path

import opwright as ow
from opwright import _C

CALLS = 200_000
ERRORS = 20_000
MOST_GROWTH = 512 * 1024


def resident_bytes():
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096


def growth(work):
    """Return by how much the process grew over `work`, after it ran once."""
    work()
    gc.collect()
    before = resident_bytes()
    work()
    gc.collect()
    return resident_bytes() - before


def test_two_hundred_thousand_calls_leave_nothing(scope):
    op = scope.define(
        "leak::kernel(Tensor x, int[] dims, str s, Tensor[] more, float f=1.0) -> (Tensor, int[])"
    )
    scope.implement("leak::kernel", "cpu", lambda x, dims, s, more, f: (x + f, dims))
    x = ow.ones(4)
    gc.collect()  # what earlier tests left in cycles
    live = _C.live_counts()

    def work():
        for _ in range(CALLS // 4):
            op(x, [1, 2, 3], "text", [x, x])
            ow.ops.aten.add(x, x, alpha=2)
            x.add_(1.0)
            x[1:3].numpy()

    assert growth(work) < MOST_GROWTH
    assert _C.live_counts() == live


def test_twenty_thousand_errors_leave_nothing(scope):
    def kernel(x):
        raise ValueError("no")

    op = scope.define("leak::fails(Tensor x) -> Tensor")
    scope.implement("leak::fails", "cpu", kernel)
    scope.define("leak::wrong(Tensor x) -> (Tensor, Tensor)")
    scope.implement("leak::wrong", "cpu", lambda x: (x, 3))
    x = ow.ones(4)
    gc.collect()  # what earlier tests left in cycles
    live = _C.live_counts()

    def work():
        for _ in range(ERRORS // 4):
            for call in (
                lambda: op(x),
                lambda: op(x, 3),
                lambda: ow.ops.leak.wrong(x),
                lambda: ow.ops.aten.add(x, ow.ones(3)),
            ):
                try:
                    call()
                except (TypeError, ValueError, RuntimeError):
                    pass
                else:
                    raise AssertionError("no error")

    assert growth(work) < MOST_GROWTH
    assert _C.live_counts() == live


def test_objects_that_turn_round_leave_nothing(probe):
    x = ow.ones(4)
    x.name = "kept"
    handle = probe.hold(x)
    del x

    def work():
        for _ in range(50_000):
            probe.get_held(handle)

    assert growth(work) < MOST_GROWTH
    probe.drop_held(handle)

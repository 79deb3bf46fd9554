"""Python reports instructions only while a function is captured."""

import gc
import sys

import opwright as ow
import pytest

with_monitoring = pytest.mark.skipif(
    not hasattr(sys, "monitoring"), reason="sys.monitoring is new in Python 3.12"
)


def tools() -> list[int]:
    return [tool for tool in range(6) if sys.monitoring.get_tool(tool) == "opwright.compile"]


@with_monitoring
def test_no_instruction_is_reported_after_a_capture():
    def helper(x):
        return x * 2

    def function(x):
        return helper(x) + 1

    ow.compile(function)(ow.ones(1))

    (tool,) = tools()
    for code in (function.__code__, helper.__code__):
        assert sys.monitoring.get_local_events(tool, code) == sys.monitoring.events.NO_EVENTS


@with_monitoring
def test_no_instruction_is_reported_after_a_capture_that_raises():
    def function(x):
        raise LookupError

    with pytest.raises(LookupError):
        ow.compile(function)(ow.ones(1))

    (tool,) = tools()
    events = sys.monitoring.get_local_events(tool, function.__code__)
    assert events == sys.monitoring.events.NO_EVENTS


def test_a_collection_that_is_due_is_no_part_of_the_function():
    collected = []
    scale = [2.0]
    compiled = ow.compile(lambda x: x * scale[0], fullgraph=True)

    def callback(phase, info):
        with open(__file__):
            collected.append(phase)

    threshold = gc.get_threshold()
    gc.callbacks.append(callback)
    try:
        gc.set_threshold(1)
        kept = [[] for _ in range(100)]
        assert compiled(ow.ones(1)).item() == 2.0
    finally:
        gc.set_threshold(*threshold)
        gc.callbacks.remove(callback)

    assert len(kept) == 100
    assert collected

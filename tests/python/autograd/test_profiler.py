"""profile, record_function: which operators ran, and for how long."""

import json
import threading

import opwright as ow
import pytest
from opwright.autograd.profiler import profile, record_function
from opwright.autograd.profiler_events import EventList, FunctionEvent, FunctionEventAvg


def names(recorded):
    return [event.name for event in recorded.function_events]


def test_operators_are_recorded_in_order():
    x = ow.ones(4)

    with profile() as recorded:
        (x * 2 + 4).sum()

    assert names(recorded) == ["aten::mul", "aten::add", "aten::sum"]


def test_operators_of_a_backward_are_recorded():
    x = ow.ones(4, requires_grad=True)

    with profile() as recorded:
        x.sin().sum().backward()

    assert "aten::cos" in names(recorded)


def test_operators_inside_of_a_composite_are_its_children():
    x = ow.ones(4, 4)

    with profile() as recorded:
        x.unflatten(0, (2, 2))

    outer, inner = recorded.function_events
    assert (outer.name, inner.name) == ("aten::unflatten", "aten::view")
    assert outer.cpu_children == [inner]
    assert outer.self_cpu_time_total < outer.cpu_time_total


def test_ranges_contain_the_operators_of_their_block():
    x = ow.ones(4)

    with profile() as recorded, record_function("outer"):
        y = x * 2
        with record_function("inner"):
            y.sin()

    assert names(recorded) == ["outer", "aten::mul", "inner", "aten::sin"]
    outer = recorded.function_events[0]
    assert [child.name for child in outer.cpu_children] == ["aten::mul", "inner"]


def test_a_range_decorates_a_function():
    @record_function("twice")
    def twice(x):
        return x + x

    with profile() as recorded:
        assert twice(2) == 4

    assert names(recorded) == ["twice"]


def test_a_range_that_is_entered_again_ends_with_its_own_block():
    @record_function("count")
    def count(n):
        if n:
            count(n - 1)
        return ow.ones(1).sin()

    with profile() as recorded:
        count(2)

    nested = recorded.function_events[:3]
    assert [event.name for event in nested] == ["count"] * 3
    ends = [event.time_range.end for event in nested]
    assert ends == sorted(ends, reverse=True)
    assert len(set(ends)) == 3
    assert [nested[1] in nested[0].cpu_children, nested[2] in nested[1].cpu_children] == [True] * 2


def test_one_range_is_used_by_several_threads():
    span = record_function("span")
    first_is_in, second_is_out = threading.Event(), threading.Event()
    found = {}

    def enter_first():
        with profile() as recorded:
            with span:
                first_is_in.set()
                second_is_out.wait()
                ow.ones(1).sin()
            ow.ones(1).cos()
        found["first"] = recorded

    def enter_second():
        first_is_in.wait()
        with profile() as recorded, span:
            ow.ones(1).exp()
        found["second"] = recorded
        second_is_out.set()

    threads = [threading.Thread(target=each) for each in (enter_first, enter_second)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    inside = [child.name for child in found["first"].function_events[0].cpu_children]
    assert inside == ["aten::ones", "aten::sin"]
    assert names(found["first"])[-1] == "aten::cos"
    assert names(found["second"])[0] == "span"


def test_shapes_are_recorded_if_asked_for():
    linear = ow.nn.Linear(20, 30)
    x = ow.ones(8, 20)

    with profile(record_shapes=True) as recorded:
        linear(x)

    (event,) = [each for each in recorded.function_events if each.name == "aten::linear"]
    assert event.input_shapes == [[8, 20], [30, 20], [30]]


def test_an_operator_that_fails_is_recorded_and_the_recording_goes_on():
    with profile() as recorded:
        with pytest.raises(RuntimeError):
            ow.ones(2) + ow.ones(3)
        ow.ones(2).sin()

    assert "aten::sin" in names(recorded)


def test_nothing_is_recorded_outside_of_the_block():
    x = ow.ones(4)

    with profile() as recorded:
        x.sin()
    x.cos()

    assert names(recorded) == ["aten::sin"]


def test_a_profile_is_entered_once():
    recorded = profile()
    with recorded, pytest.raises(RuntimeError, match="not reentrant"):
        recorded.__enter__()


def test_an_option_that_is_not_supported_is_refused():
    with pytest.raises(NotImplementedError, match="profile_memory is not supported"):
        profile(profile_memory=True)


def test_averages_sum_up_the_events_of_a_name():
    average = FunctionEventAvg()
    average.add(FunctionEvent(0, "foo", 0, 10, 15))
    average.add(FunctionEvent(1, "foo", 0, 20, 30))
    average.add(average)

    assert (average.key, average.count) == ("foo", 4)
    assert (average.cpu_time_total, average.cpu_time) == (30, 7.5)


def test_a_table_has_a_row_for_each_name():
    events = EventList([FunctionEvent(i, "aten::sin", 0, i * 10, i * 10 + 4) for i in range(3)])

    table = events.key_averages().table(sort_by="cpu_time_total")

    assert "aten::sin" in table
    assert table.splitlines()[3].split()[1:] == ["100.00%", "12.000us", "12.000us", "4.000us", "3"]


def test_a_trace_is_written_as_json(tmp_path):
    x = ow.ones(2)
    with profile() as recorded:
        x.sin()

    recorded.export_chrome_trace(tmp_path / "trace.json")

    (event,) = json.loads((tmp_path / "trace.json").read_text())
    assert event["name"] == "aten::sin"

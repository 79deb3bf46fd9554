"""Effects of a compiled function on Python state: each call has eager's effects, or is refused."""

import functools
import itertools
import random
import re
import time
import types

import opwright as ow
import pytest

STASH = {}


def results(f, count=5):
    return [f(ow.ones(1)).item() for _ in range(count)]


def test_a_list_that_it_appends_to_grows_on_every_call():
    history = []

    @ow.compile
    def f(x):
        history.append("called")
        return x + len(history)

    with pytest.warns(UserWarning, match="changes what it reads"):
        assert results(f) == [2.0, 3.0, 4.0, 5.0, 6.0]
    assert history == ["called"] * 5


def test_an_effect_that_it_does_not_read_happens_on_every_call():
    log = []

    @ow.compile
    def f(x):
        log.append(tuple(x.shape))
        return x * 2

    with pytest.warns(UserWarning, match="closure log: list of 3, it was list of 2"):
        assert results(f) == [2.0] * 5
    assert log == [(1,)] * 5


def test_a_counter_of_an_object_counts():
    counter = types.SimpleNamespace(calls=0)

    @ow.compile
    def f(x):
        counter.calls += 1
        return x * counter.calls

    with pytest.warns(UserWarning, match="counter.calls is 3, it was 2"):
        assert results(f) == [1.0, 2.0, 3.0, 4.0, 5.0]


def test_an_argument_that_it_changes_is_changed_on_every_call():
    @ow.compile
    def f(xs):
        xs.append(xs[0] * 2)
        return xs[0] + len(xs)

    for _ in range(3):
        xs = [ow.ones(1)]
        with pytest.raises(RuntimeError, match=r"stores a tensor that it computes in 'xs\[1\]'"):
            f(xs)
        assert len(xs) == 1


def test_a_value_that_it_computes_on_first_use_is_compiled_afterwards():
    holder = types.SimpleNamespace(scale=None)

    @ow.compile
    def f(x):
        if holder.scale is None:
            holder.scale = 3.0
        return x * holder.scale

    assert results(f) == [3.0] * 5
    assert f.num_compiles == 1
    assert f.recompile_reasons == ["holder.scale is 3.0, it was None"]


def test_one_graph_may_set_a_value_on_first_use():
    holder = types.SimpleNamespace(scale=None)

    @ow.compile(fullgraph=True)
    def f(x):
        if holder.scale is None:
            holder.scale = 3.0
        return x * holder.scale

    assert results(f) == [3.0] * 5
    assert f.num_compiles == 2


def test_one_graph_cannot_change_python_state_again_and_again():
    history = []

    @ow.compile(fullgraph=True)
    def f(x):
        history.append(1)
        return x

    assert results(f, 2) == [1.0, 1.0]
    assert history == [1, 1]
    with pytest.raises(ow.GraphBreakError) as error:
        f(ow.ones(1))

    text = str(error.value).splitlines()[0]
    assert text.partition(", at ")[0] == (
        "compile: with fullgraph=True the function must be one graph, but it changes what it "
        "reads: closure history: list of 3, it was list of 2"
    )
    assert text.endswith(f"test_effects.py:{f.__wrapped__.__code__.co_firstlineno + 2}")


def stored_in_a_global(x):
    STASH["last"] = x * 2


def make_cell():
    last = None

    def f(x):
        nonlocal last
        last = x * 2

    return f


def make_attribute():
    holder = types.SimpleNamespace(last=None)

    def f(x):
        holder.last = [x * 2]

    return f


def make_list():
    kept = [0]

    def f(x):
        kept[0] = {"y": x * 2}

    return f


def make_setattr():
    holder = types.SimpleNamespace()
    return lambda x: setattr(holder, "last", x * 2)


@pytest.mark.parametrize(
    ("effect", "place"),
    [
        (stored_in_a_global, "STASH['last']"),
        (make_cell(), "closure last"),
        (make_attribute(), "holder.last"),
        (make_list(), "closure kept[0]"),
        (make_setattr(), "holder.last"),
    ],
    ids=["global", "cell", "attribute", "list", "setattr"],
)
def test_a_traced_tensor_that_outlives_the_call_is_refused_with_its_place(effect, place):
    @ow.compile
    def f(x):
        effect(x)
        return x

    with pytest.raises(RuntimeError) as error:
        f(ow.ones(1))

    assert f"stores a tensor that it computes in '{place}', at " in str(error.value)
    assert "test_effects.py:" in str(error.value)
    assert not STASH


def test_a_cache_that_was_filled_outside_never_answers_for_another_tensor():
    @functools.lru_cache
    def doubled(x):
        return x * 2

    @ow.compile
    def f(x):
        return doubled(x) + 1

    x = ow.ones(1)
    doubled(x)
    with pytest.warns(ow.PerformanceWarning, match="keeps results"):
        assert f(x).item() == 3.0
    assert f(ow.ones(1) * 5).item() == 11.0
    assert doubled(ow.ones(1) * 4).item() == 8.0


def test_a_cached_constant_is_part_of_the_graph_and_stays_a_real_tensor():
    @functools.cache
    def mask(n):
        return ow.ones(n) * 3

    @ow.compile(fullgraph=True)
    def f(x):
        return x * mask(2)

    assert f(ow.ones(2)).tolist() == [3.0, 3.0]
    assert mask(2).tolist() == [3.0, 3.0]
    mask(2).mul_(2)
    assert f(ow.ones(2)).tolist() == [6.0, 6.0]
    mask.cache_clear()
    assert f(ow.ones(2)).tolist() == [3.0, 3.0]
    assert f.recompile_reasons[0].endswith("mask(...) is another opwright.Tensor")


def test_a_dict_with_tensors_as_keys_is_not_read():
    x = ow.ones(1)
    known = {x: 5.0}

    @ow.compile
    def f(x):
        return x * known.get(x, 1.0)

    with pytest.warns(ow.PerformanceWarning, match="uses a tensor as a key of closure known"):
        assert f(x).item() == 5.0
    assert f(ow.ones(1)).item() == 1.0


COUNTER = itertools.count(1)
GENERATOR = (float(i) for i in itertools.count(1))


def read_the_time(x):
    return x + time.time() * 0


def draw(x):
    return x * random.random()


def draw_below(x):
    return x * random.randint(1, 10)


def count_on(x):
    return x * next(COUNTER)


def generate(x):
    for value in GENERATOR:
        x = x * value
        break
    return x


def write_text(x):
    print("called", end="")
    return x


def open_a_file(x):
    with open(__file__) as file:
        return x + len(file.readline())


@pytest.mark.parametrize(
    ("function", "cause"),
    [
        (read_the_time, "it calls time.time"),
        (draw, "it calls Random.random"),
        (draw_below, "it calls Random.getrandbits"),
        (count_on, "it reads from global COUNTER (itertools.count)"),
        (generate, "it reads from global GENERATOR (generator)"),
        (write_text, "it calls print"),
        (open_a_file, f"it calls {open.__module__}.open"),
    ],
    ids=lambda value: value.__name__ if callable(value) else "",
)
def test_what_lies_outside_of_python_objects_ends_the_graph(function, cause):
    first, second = ow.compile(function), ow.compile(function, fullgraph=True)

    with pytest.warns(ow.PerformanceWarning, match=re.escape(cause)):
        first(ow.ones(1))
    with pytest.raises(ow.GraphBreakError, match=re.escape(cause)):
        second(ow.ones(1))

    line = function.__code__.co_firstlineno
    assert first.breaks[0].rpartition(":")[2] in [str(line + 1), str(line + 2)]
    assert "test_effects.py" in first.breaks[0]


def test_a_function_with_an_outside_iterator_continues_it_on_every_call():
    numbers = itertools.count(1)
    f = ow.compile(lambda x: x * next(numbers))

    with pytest.warns(ow.PerformanceWarning, match="lives outside of the function"):
        assert results(f, 4) == [1.0, 2.0, 3.0, 4.0]


def test_an_attribute_of_a_tensor_is_kept():
    @ow.compile
    def f(x):
        y = x * 2
        y.tag = "doubled"
        return y

    with pytest.warns(ow.PerformanceWarning, match="sets the attribute 'tag' of a tensor"):
        assert f(ow.ones(1)).tag == "doubled"
    assert f(ow.ones(1)).tag == "doubled"


def test_a_tracer_sees_the_lines_of_a_captured_function():
    import sys

    lines = []

    def trace(frame, event, argument):
        if frame.f_code.co_name == "captured" and event == "line":
            lines.append(frame.f_lineno)
        return trace

    def captured(x):
        y = x * 2
        return y + 1

    compiled = ow.compile(captured)
    before = sys.gettrace()
    sys.settrace(trace)
    try:
        compiled(ow.ones(1))
    finally:
        sys.settrace(before)

    assert [line - captured.__code__.co_firstlineno for line in lines] == [1, 2]
    assert compiled.num_compiles == 1

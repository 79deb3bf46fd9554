"""torch.compile and torch.compiler: each test runs with PyTorch, the referee, and with compat."""

import collections
import functools
import warnings

import opwright
import opwright.compat.torch as compat
import pytest


@pytest.fixture(params=["torch", "compat"])
def torch(request):
    package = compat if request.param == "compat" else pytest.importorskip("torch")
    package.compiler.reset()
    yield package
    package.compiler.reset()


def counter_of(torch):
    from importlib import import_module

    return import_module(f"{torch.__name__}._dynamo.testing").CompileCounter()


def sine(x):
    return x.sin() + 1


@pytest.mark.parametrize("options", [{"backend": "aot_eager"}, {"backend": "eager"}])
def test_the_names_of_backends_are_known(torch, options):
    x = torch.ones(3)

    assert torch.equal(torch.compile(sine, fullgraph=True, **options)(x), sine(x))


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"backend": "inductor"},
        {"mode": "default"},
        {"mode": "reduce-overhead"},
        {"mode": "max-autotune", "backend": "inductor"},
        {"options": {"epilogue_fusion": True}},
        {"disable": True},
    ],
)
def test_inductor_its_modes_and_its_options_compile(options):
    x = compat.ones(3)

    actual = compat.compile(sine, fullgraph=True, **options)(x)

    assert compat.allclose(actual, sine(x))


def test_mode_and_options_exclude_each_other(torch):
    with pytest.raises(RuntimeError, match="mode"):
        torch.compile(sine, mode="default", options={"epilogue_fusion": True})


def test_an_unknown_mode_is_refused(torch):
    with pytest.raises(RuntimeError, match="fastest"):
        torch.compile(sine, mode="fastest")(torch.ones(2))


def test_a_decorator_with_options_compiles(torch):
    @torch.compile(backend="aot_eager", fullgraph=True)
    def twice(x):
        return x + x

    assert twice(torch.ones(2)).tolist() == [2.0, 2.0]


def test_a_backend_gets_the_options(torch):
    seen = []

    def backend(gm, example_inputs, **given):
        seen.append(given)
        return gm

    torch.compile(sine, backend=backend, options={"depth": 2})(torch.ones(2))

    assert seen == [{"options": {"depth": 2}}]


def test_a_counter_counts_graphs_and_calls(torch):
    counter = counter_of(torch)
    compiled = torch.compile(sine, backend=counter)

    compiled(torch.ones(3))
    compiled(torch.ones(3))

    assert (counter.frame_count, counter.op_count) == (1, 2)


def test_a_module_compiles_its_own_calls(torch):
    counter = counter_of(torch)

    class Shift(torch.nn.Module):
        def forward(self, x):
            return x + 1

    module = Shift()
    module.compile(backend=counter, fullgraph=True)

    assert module(torch.ones(2)).tolist() == [2.0, 2.0]
    assert counter.frame_count == 1


def test_a_compiled_module_with_a_break_runs_again(torch):
    class Broken(torch.nn.Module):
        def forward(self, x):
            return x + 1 if x.sum().item() > 0 else x - 1

    module = Broken()
    module.compile(backend="aot_eager")

    assert [module(torch.ones(2)).tolist() for _ in range(3)] == [[2.0, 2.0]] * 3


def test_is_compiling_is_true_inside_only(torch):
    def f(x):
        if torch.compiler.is_compiling() and torch.compiler.is_dynamo_compiling():
            return x + 1
        return x

    seen = torch.compile(f, backend="aot_eager")(torch.zeros(1)).tolist()

    assert (seen, torch.compiler.is_compiling()) == ([1.0], False)


def test_is_compiling_is_true_in_an_export(torch):
    class Module(torch.nn.Module):
        def forward(self, x):
            exporting = torch.compiler.is_compiling() and torch.compiler.is_exporting()
            return x + 1 if exporting else x

    x = torch.zeros(1)
    program = torch.export.export(Module(), (x,), strict=False)

    assert program.module()(x).tolist() == [1.0]
    assert Module()(x).tolist() == [0.0]


def test_a_disabled_function_runs_eagerly_inside_a_compiled_one(torch):
    seen = []

    @torch.compiler.disable
    def log(x):
        seen.append(x.tolist())
        return x + 1

    @torch.compile(backend="aot_eager")
    def f(x):
        return log(x * 2) * 2

    results = [f(torch.ones(1)).item() for _ in range(3)]

    assert results == [6.0] * 3
    assert seen == [[2.0]] * 3


def test_a_disabled_function_is_no_part_of_a_full_graph(torch):
    @torch.compiler.disable(reason="it logs")
    def log(x):
        return x

    compiled = torch.compile(lambda x: log(x) + 1, fullgraph=True, backend="aot_eager")
    with pytest.raises(torch._dynamo.exc.Unsupported, match="it logs"):
        compiled(torch.ones(1))


def test_a_disabled_function_may_call_a_compiled_one(torch):
    counter = counter_of(torch)
    inner = torch.compile(sine, backend=counter)
    outer = torch.compiler.disable(lambda x: inner(x) * 2)

    outer(torch.ones(1))

    assert counter.frame_count == 1


def test_a_disabled_function_keeps_its_name(torch):
    assert torch.compiler.disable(sine).__name__ == "sine"


def test_a_graph_break_runs_the_rest_eagerly(torch):
    def f(x):
        y = x + 1
        torch._dynamo.graph_break()
        return y * 2

    assert torch.compile(f, backend="aot_eager")(torch.ones(1)).tolist() == [4.0]


def test_a_graph_break_is_an_error_in_a_full_graph(torch):
    def f(x):
        torch._dynamo.graph_break("here")
        return x

    with pytest.raises(torch._dynamo.exc.Unsupported, match="here"):
        torch.compile(f, backend="aot_eager", fullgraph=True)(torch.ones(1))


def test_a_stance_holds_in_its_context(torch):
    counter = counter_of(torch)
    compiled = torch.compile(sine, backend=counter)

    with torch.compiler.set_stance("force_eager"):
        compiled(torch.ones(2))
        assert counter.frame_count == 0

    compiled(torch.ones(2))
    assert counter.frame_count == 1


def test_a_stance_decorates_a_function(torch):
    counter = counter_of(torch)
    compiled = torch.compile(sine, backend=counter)

    @torch.compiler.set_stance("force_eager")
    def f(x):
        return compiled(x)

    f(torch.ones(2))
    assert counter.frame_count == 0

    compiled(torch.ones(2))
    assert counter.frame_count == 1


def test_a_stance_holds_until_the_next_one(torch):
    counter = counter_of(torch)
    compiled = torch.compile(sine, backend=counter)

    torch.compiler.set_stance("force_eager")
    try:
        compiled(torch.ones(2))
    finally:
        torch.compiler.set_stance("default")

    assert counter.frame_count == 0


def test_eager_on_recompile_uses_valid_code_and_compiles_nothing(torch):
    counter = counter_of(torch)
    compiled = torch.compile(sine, backend=counter, dynamic=False)
    compiled(torch.ones(2))

    with torch.compiler.set_stance("eager_on_recompile"):
        compiled(torch.ones(2))
        compiled(torch.ones(3))

    assert counter.frame_count == 1


def test_fail_on_recompile_raises_for_a_new_kind_of_call(torch):
    compiled = torch.compile(sine, backend="aot_eager", dynamic=False)
    compiled(torch.ones(2))

    with torch.compiler.set_stance("fail_on_recompile"):
        compiled(torch.ones(2))
        with pytest.raises(RuntimeError, match="fail_on_recompile"):
            compiled(torch.ones(3))


def test_an_unknown_stance_names_those_that_exist():
    with pytest.raises(ValueError, match="no stance 'lazy', only default, force_eager"):
        opwright.compiler.set_stance("lazy")


def test_allow_in_graph_and_assume_constant_result_give_the_function_back():
    assert compat.compiler.allow_in_graph(sine) is sine
    assert compat.compiler.assume_constant_result(sine) is sine
    with pytest.raises(AssertionError, match="expected a function, got int"):
        compat.compiler.allow_in_graph(3)


def test_functions_allowed_in_the_graph_are_captured(torch):
    counter = counter_of(torch)
    allowed = torch.compiler.allow_in_graph(torch.sin)
    compiled = torch.compile(lambda x: allowed(x), backend=counter, fullgraph=True)

    torch.compiler.cudagraph_mark_step_begin()

    assert torch.equal(compiled(torch.ones(2)), torch.sin(torch.ones(2)))
    assert counter.frame_count == 1


def test_a_tensor_is_a_key_of_a_dict_that_the_function_creates(torch):
    key = torch.nn.Parameter(torch.ones(2))

    def f(x):
        factors = {"x": x, key: 3}
        return factors["x"] * factors[key]

    compiled = torch.compile(f, backend="eager", fullgraph=True)

    assert compiled(torch.ones(2)).tolist() == [3.0, 3.0]
    assert compiled(torch.ones(2) * 2).tolist() == [6.0, 6.0]


class Pair(tuple):
    pass


class Track(list):
    pass


class Frame(collections.OrderedDict):
    pass


class Box:
    def __init__(self, value):
        self.value = value
        self.parts = [value, Pair([value + 1])]


def pair_with_an_attribute(x):
    made = Pair([x + 1, 2])
    made.scale = x * 2
    return made


def track_of_a_class(x):
    made = list.__new__(Track)
    made.append(x * 3)
    made.name = "left"
    return made


OBJECTS = {
    "a tuple with an attribute": pair_with_an_attribute,
    "a list": track_of_a_class,
    "an ordered dict": lambda x: Frame(a=x + 1, b=[x]),
    "an object": lambda x: (Box(x), x.shape[0]),
    "a frozenset": lambda x: frozenset([1, 2, "a"]),
    "a set of numbers": lambda x: {"kinds": {1, 2}, "x": x + 1},
    "a class": lambda x: (type(x.shape[0]), Box, x + 1),
}


def plain(value):
    """Return classes, elements and attributes."""
    if hasattr(value, "detach"):
        return value.tolist()
    kind = type(value).__name__
    if isinstance(value, dict):
        return kind, {key: plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        elements = [plain(each) for each in value]
        return kind, elements, plain(dict(getattr(value, "__dict__", {})))
    return (kind, plain(vars(value))) if isinstance(value, Box) else value


@pytest.mark.parametrize("name", OBJECTS)
def test_a_graph_returns_objects_that_the_function_creates(torch, name):
    function = OBJECTS[name]
    counter = counter_of(torch)
    compiled = torch.compile(function, backend=counter, fullgraph=True)

    for value in (1.0, 2.0, 3.0):
        x = torch.ones(2) * value
        assert plain(compiled(x)) == plain(function(x))
    assert counter.frame_count <= 1


def test_objects_that_existed_or_that_are_shared_are_not_created_again():
    held = Track([1])

    def shared(x):
        made = Track([x + 1])
        return made, made

    for function in (shared, lambda x: (x + 1, held)):
        with pytest.raises(opwright.GraphBreakError, match=r"which a graph cannot|that existed"):
            opwright.compile(function, fullgraph=True)(opwright.ones(2))
        with pytest.warns(opwright.PerformanceWarning):
            first, second = opwright.compile(function)(opwright.ones(2))
        assert first is second or second is held


def test_a_backend_gets_no_graph_without_operators(torch):
    counter = counter_of(torch)
    compiled = torch.compile(lambda x, n: (x, n + 1), backend=counter, fullgraph=True)
    x = torch.ones(2)

    assert compiled(x, 3)[0] is x
    assert compiled(x, 3)[1] == 4
    assert counter.frame_count == 0
    assert torch.compile(lambda x: x, backend=counter, fullgraph=True)(x) is x
    assert counter.frame_count == 1


def test_with_fullgraph_a_cached_function_of_a_tensor_is_captured_without_its_cache(torch):
    @functools.lru_cache
    def scaled(x, by=2.0):
        return x * by

    def wrapped(function):
        @functools.wraps(function)
        def call(*args, **keywords):
            return function(*args, **keywords)

        return call

    class Scale:
        @functools.lru_cache  # noqa: B019
        def run(self, x):
            return x * 4

    scale = Scale()
    x = torch.ones(2)
    scaled(x)

    def f(x):
        return scaled(x) + wrapped(scaled)(x, by=3.0) + scale.run(x)

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        compiled = torch.compile(f, backend="eager", fullgraph=True)
        assert compiled(x).tolist() == [9.0, 9.0]
    assert any("lru_cache" in str(each.message) for each in caught)
    x.mul_(2)
    assert compiled(x).tolist() == [18.0, 18.0]
    assert compiled(torch.ones(2) * 3).tolist() == [27.0, 27.0]
    assert scaled(torch.ones(2) * 5).tolist() == [10.0, 10.0]

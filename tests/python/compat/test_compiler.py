"""torch.compile and torch.compiler: each test runs with PyTorch, the referee, and with compat."""

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

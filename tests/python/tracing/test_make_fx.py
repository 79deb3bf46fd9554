"""E.1: a function becomes a graph."""

import opwright as ow
import pytest
from opwright import make_fx

MODES = ["real", "fake", "symbolic"]


def targets(traced):
    return [node.target.name for node in traced.graph.nodes if node.op == "call_function"]


@pytest.mark.parametrize("mode", MODES)
def test_a_graph_computes_what_the_function_does(mode):
    def f(x, y):
        return ow.sin(x) * y + 1

    x, y = ow.randn(3, 4), ow.randn(4)

    traced = make_fx(f, tracing_mode=mode)(x, y)

    assert ow.equal(traced(x, y), f(x, y))


@pytest.mark.parametrize("mode", MODES)
def test_each_call_is_a_node(mode):
    traced = make_fx(lambda x: (x + 1).sin(), tracing_mode=mode)(ow.ones(2))

    assert targets(traced) == ["aten::add.Scalar", "aten::sin"]


@pytest.mark.parametrize("mode", MODES)
def test_a_custom_operator_is_one_node_under_its_own_name(mode, gain):
    traced = make_fx(lambda x: gain(x, 3.0), tracing_mode=mode)(ow.ones(2))

    assert targets(traced) == ["trial_trace::gain"]
    assert ow.equal(traced(ow.ones(2)), ow.full([2], 3.0))


def test_a_fake_trace_runs_no_kernel():
    @ow.library.custom_op("trial_trace::never", mutates_args=())
    def never(x: ow.Tensor) -> ow.Tensor:
        raise AssertionError("the kernel ran")

    @never.register_fake
    def _(x):
        return ow.empty_like(x)

    traced = make_fx(never, tracing_mode="fake")(ow.ones(2))

    assert targets(traced) == ["trial_trace::never"]


def test_an_operator_traces_by_itself(gain):
    traced = make_fx(gain, tracing_mode="symbolic")(ow.ones(3))

    assert ow.equal(traced(ow.ones(5)), ow.full([5], 2.0))


def test_a_symbolic_graph_runs_at_other_sizes():
    def f(x):
        return x.reshape(-1, 2).sum(0) / x.shape[0]

    traced = make_fx(f, tracing_mode="symbolic")(ow.randn(6, 2))

    x = ow.randn(9, 2)
    assert ow.allclose(traced(x), f(x))


def test_a_fake_graph_keeps_its_sizes():
    traced = make_fx(lambda x: x.reshape(x.shape[0] * 2), tracing_mode="fake")(ow.ones(3, 2))

    assert "[6]" in str(traced.graph)


def test_composites_of_aten_are_taken_apart():
    traced = make_fx(lambda x, w: ow.nn.functional.linear(x, w))(ow.ones(2, 3), ow.ones(4, 3))

    assert "aten::linear" not in targets(traced)


def test_composites_can_be_kept():
    traced = make_fx(lambda x, w: ow.nn.functional.linear(x, w), keep_composites=True)(
        ow.ones(2, 3), ow.ones(4, 3)
    )

    assert targets(traced) == ["aten::linear"]


def test_a_composite_of_an_author_stays_whole():
    with ow.library.Library("trial_trace_composite", "DEF") as lib:
        lib.define("twice(Tensor x) -> Tensor")
        lib.impl("twice", lambda x: x + x, "CompositeImplicitAutograd")

        traced = make_fx(ow.ops.trial_trace_composite.twice, tracing_mode="symbolic")(ow.ones(3))

        assert targets(traced) == ["trial_trace_composite::twice"]
        assert ow.equal(traced(ow.ones(4)), ow.full([4], 2.0))


def test_factories_become_nodes():
    traced = make_fx(lambda x: x + ow.zeros(x.shape), tracing_mode="symbolic")(ow.ones(3))

    assert ow.equal(traced(ow.ones(5)), ow.ones(5))


def test_nodes_tell_the_line_of_the_user():
    def f(x):
        return ow.sin(x)  # the line

    line = f.__code__.co_firstlineno + 1
    traced = make_fx(f)(ow.ones(2))

    assert f"test_make_fx.py:{line}" in str(traced.graph)


def test_in_place_calls_are_recorded_as_they_are():
    def f(x):
        y = x.clone()
        y.add_(1)
        return y

    traced = make_fx(f)(ow.ones(2))

    assert targets(traced) == ["aten::clone", "aten::add_.Scalar"]
    assert ow.equal(traced(ow.ones(2)), ow.full([2], 2.0))


def test_the_same_tensor_given_twice_stays_two_inputs():
    x = ow.ones(2)
    traced = make_fx(lambda a, b: a - b)(x, x)

    assert ow.equal(traced(ow.full([2], 3.0), ow.ones(2)), ow.full([2], 2.0))


def test_int_arguments_are_symbols_in_symbolic_mode():
    traced = make_fx(lambda x, n: x * n, tracing_mode="symbolic")(ow.ones(3), 7)

    assert ow.equal(traced(ow.ones(3), 9), ow.full([3], 9.0))


def test_other_arguments_are_part_of_the_graph():
    traced = make_fx(lambda x, factor: x * factor)(ow.ones(2), 2.5)

    assert ow.equal(traced(ow.ones(2), 2.5), ow.full([2], 2.5))
    with pytest.raises(ValueError, match=r"^the argument factor was 2\.5 when the function"):
        traced(ow.ones(2), 3.5)


def test_a_tensor_made_from_data_is_a_constant_of_the_graph():
    traced = make_fx(lambda x: x + ow.tensor([1.0, 2.0]), tracing_mode="symbolic")(ow.ones(2))

    assert ow.equal(traced(ow.ones(2)), ow.tensor([2.0, 3.0]))


def test_a_constant_that_is_written_is_fresh_on_each_run():
    def f(x):
        total = ow.tensor([0.0, 0.0])
        total += x
        return total

    traced = make_fx(f)(ow.ones(2))

    assert ow.equal(traced(ow.ones(2)), ow.ones(2))
    assert ow.equal(traced(ow.ones(2)), ow.ones(2))


def test_make_fx_traces_while_it_is_traced():
    def f(x):
        return make_fx(lambda y: y.sin() + x)(x)(x)

    x = ow.randn(3)
    traced = make_fx(f, tracing_mode="symbolic")(x)

    assert ow.allclose(traced(x), f(x))


def test_an_unknown_mode_is_refused():
    text = "make_fx: tracing_mode must be 'real', 'fake' or 'symbolic', got 'lazy'"
    with pytest.raises(ValueError, match=f"^{text}$"):
        make_fx(lambda x: x, tracing_mode="lazy")(ow.ones(2))


def test_modules_can_be_traced():
    model = ow.nn.Sequential(ow.nn.Linear(4, 8), ow.nn.ReLU(), ow.nn.Linear(8, 2))
    traced = make_fx(model, tracing_mode="symbolic")(ow.randn(3, 4))

    x = ow.randn(7, 4)
    assert ow.allclose(traced(x), model(x))


def test_nodes_know_their_module():
    model = ow.nn.Sequential(ow.nn.Linear(4, 8), ow.nn.Sequential(ow.nn.ReLU()))
    traced = make_fx(model)(ow.randn(3, 4))

    paths = {
        node.target.name: node.meta["module_path"]
        for node in traced.graph.nodes
        if node.op == "call_function"
    }
    assert paths["aten::addmm"] == "0"
    assert paths["aten::relu"] == "1.0"


def test_parameters_are_read_anew_on_each_run():
    layer = ow.nn.Linear(2, 2)
    traced = make_fx(layer)(ow.ones(1, 2))

    with_old = traced(ow.ones(1, 2))
    layer.bias.detach().add_(1)

    assert ow.allclose(traced(ow.ones(1, 2)), with_old + 1)


def test_random_numbers_are_drawn_anew():
    traced = make_fx(lambda x: x + ow.randn(x.shape), tracing_mode="symbolic")(ow.zeros(3))

    ow.manual_seed(3)
    first = traced(ow.zeros(3))
    ow.manual_seed(3)

    assert ow.equal(first, ow.randn(3))

"""Traces without views and writes, and graphs that are traced again."""

import opwright as ow
import pytest
from opwright import make_fx

MODES = ["real", "fake", "symbolic"]


def targets(traced):
    return [node.target.name for node in traced.graph.nodes if node.op == "call_function"]


def writes(traced):
    return [name for name in targets(traced) if name.split("::")[1].split(".")[0].endswith("_")]


def update(x, y):
    view = x[1:]
    view.mul_(y)
    x.add_(1)
    return view.sum()


@pytest.mark.parametrize("mode", MODES)
def test_a_functional_trace_writes_its_inputs_at_the_end_only(mode):
    traced = make_fx(update, tracing_mode=mode, functional=True)(ow.ones(3), ow.full([2], 3.0))

    assert targets(traced)[-1] == "aten::copy_"
    assert writes(traced) == ["aten::copy_"]


@pytest.mark.parametrize("mode", MODES)
def test_a_functional_graph_does_what_the_function_does(mode):
    traced = make_fx(update, tracing_mode=mode, functional=True)(ow.ones(3), ow.full([2], 3.0))
    ours, theirs, y = ow.randn(3), None, ow.randn(2)
    theirs = ours.clone()

    result = traced(ours, y)

    assert ow.allclose(result, update(theirs, y))
    assert ow.allclose(ours, theirs)


@pytest.mark.parametrize("mode", MODES)
def test_a_graph_can_be_functionalised_later(mode):
    traced = make_fx(update, tracing_mode=mode)(ow.ones(3), ow.full([2], 3.0)).functionalize()
    ours, y = ow.randn(3), ow.randn(2)
    theirs = ours.clone()

    assert writes(traced) == ["aten::copy_"]
    assert ow.allclose(traced(ours, y), update(theirs, y))
    assert ow.allclose(ours, theirs)


def test_a_custom_mutable_operator_is_functionalised(scale_):
    def f(x):
        y = x * 1
        scale_(y, 3.0)
        return y

    traced = make_fx(f, tracing_mode="symbolic", functional=True)(ow.ones(3))

    assert "trial_trace::scale_" not in targets(traced)
    assert ow.equal(traced(ow.ones(4)), ow.full([4], 3.0))


def test_a_written_captured_tensor_is_written_in_each_run(scale_):
    total = ow.ones(2)

    def f(x):
        scale_(total, 2.0)
        return total + x

    traced = make_fx(f, tracing_mode="fake", functional=True)(ow.ones(2))

    assert ow.equal(traced(ow.zeros(2)), ow.full([2], 2.0))
    assert ow.equal(traced(ow.zeros(2)), ow.full([2], 4.0))
    assert ow.equal(total, ow.full([2], 4.0))


@pytest.mark.parametrize("mode", MODES)
def test_random_numbers_have_a_state_that_goes_through_the_graph(mode):
    def f(x):
        return ow.randn(x.shape) + ow.rand(x.shape)

    traced = make_fx(f, tracing_mode=mode, functional=True)(ow.ones(3))

    ow.manual_seed(11)
    first, second = traced(ow.ones(3)), traced(ow.ones(3))
    ow.manual_seed(11)
    assert ow.equal(first, f(ow.ones(3)))
    assert ow.equal(second, f(ow.ones(3)))
    assert not ow.equal(first, second)


def test_a_functional_graph_inside_of_a_trace_draws_anew():
    def inner(x):
        return ow.randn(x.shape)

    functional = make_fx(inner, tracing_mode="fake", functional=True)(ow.ones(3))
    traced = make_fx(lambda x: functional(x) + ow.randn(x.shape))(ow.ones(3))

    ow.manual_seed(5)
    drawn = traced(ow.ones(3))
    ow.manual_seed(5)
    assert ow.equal(drawn, ow.randn(3) + ow.randn(3))


def test_a_generator_of_its_own_is_refused_in_a_functional_trace():
    generator = ow.Generator()

    with pytest.raises(RuntimeError, match="draw them from the default generator"):
        make_fx(lambda x: ow.rand(3, generator=generator) + x, functional=True)(ow.ones(3))


def test_decompose_takes_an_operator_apart():
    traced = make_fx(lambda x: ow.addmm(x, x, x), tracing_mode="symbolic")(ow.ones(2, 2))
    operators = [node.target for node in traced.graph.nodes if node.op == "call_function"]

    apart = traced.decompose(operators)

    assert ow.allclose(apart(ow.ones(3, 3)), ow.full([3, 3], 4.0))


def test_a_table_says_how_to_decompose():
    table = {ow.ops.aten.silu.default: lambda x: x * ow.sigmoid(x)}

    traced = make_fx(lambda x: ow.ops.aten.silu.default(x), table, "symbolic")(ow.ones(3))

    assert targets(traced) == ["aten::sigmoid", "aten::mul.Tensor"]
    assert ow.allclose(traced(ow.ones(4)), ow.ops.aten.silu.default(ow.ones(4)))


def test_lines_and_modules_survive_a_second_trace():
    model = ow.nn.Sequential(ow.nn.Linear(2, 2))
    traced = make_fx(model, tracing_mode="symbolic")(ow.ones(3, 2))

    again = traced.functionalize()

    places = [
        [
            (node.target.name, node.meta["location"], node.meta["module_path"])
            for node in each.graph.nodes
            if node.op == "call_function"
        ]
        for each in (traced, again)
    ]
    assert places[0] == places[1]

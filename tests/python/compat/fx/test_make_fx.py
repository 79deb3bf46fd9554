"""make_fx under compat: the trace of the core as a GraphModule of torch.fx."""

import opwright
import opwright.compat.torch as torch
import pytest
from opwright.compat.torch import fx
from opwright.compat.torch.fx.experimental.proxy_tensor import make_fx

from .referee import run_in_both

PROGRAMS = {
    "several results and captured tensors": """
        w = torch.ones(3)
        linear = torch.nn.Linear(3, 3)
        traced = make_fx(lambda x: (linear(x) * w, x.max(0)))(torch.ones(3, 3))
        """,
    "nested arguments": """
        def f(d, y):
            return {"o": d["a"] @ y}
        traced = make_fx(f)({"a": torch.ones(4, 6)}, torch.ones(6))
        """,
    "a write": """
        traced = make_fx(lambda x, y: x.mul_(y).sin())(torch.ones(2), torch.ones(2))
        """,
}


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_the_code_of_a_traced_function_is_that_of_torch(program):
    line = "\n        make_fx = fx.experimental.proxy_tensor.make_fx"
    reference, ours = run_in_both(line + program)

    assert isinstance(ours["traced"], fx.GraphModule)
    assert ours["traced"].code == reference["traced"].code


def test_sizes_are_nodes_of_a_symbolic_trace():
    def f(x):
        return x.reshape(x.shape[0] * x.shape[1]), x.shape[0] // 2

    traced = make_fx(f, tracing_mode="symbolic")(torch.ones(4, 3))

    result, half = traced(torch.ones(6, 5))
    assert (tuple(result.shape), half) == ((30,), 3)
    (product,) = [node for node in traced.graph.nodes if node.name == "mul"]
    assert isinstance(product.meta["val"], opwright.SymInt)
    assert traced.shape_env is not None


def test_gradients_flow_through_a_traced_graph():
    weight = torch.nn.Parameter(torch.ones(2))
    traced = make_fx(lambda x: (x * weight).sum())(torch.ones(2))

    traced(torch.full((2,), 3.0)).backward()

    assert weight.grad.tolist() == [3.0, 3.0]


def test_a_traced_graph_is_edited_and_interpreted():
    traced = make_fx(lambda x: x.sin())(torch.ones(1))
    (node,) = traced.graph.find_nodes(op="call_function")

    node.target = torch.ops.aten.cos.default
    traced.recompile()

    assert traced(torch.zeros(1)).tolist() == [1.0]
    assert fx.Interpreter(traced).run(torch.zeros(1)).tolist() == [1.0]


def test_pre_dispatch_keeps_operators_that_others_compose():
    targets = [
        node.target
        for node in make_fx(torch.matmul, pre_dispatch=True)(
            torch.ones(2, 2), torch.ones(2)
        ).graph.nodes
        if node.op == "call_function"
    ]

    assert targets == [torch.ops.aten.matmul.default]


def test_branches_of_cond_are_modules_of_the_traced_one():
    def f(x):
        return torch.cond(x.sum() > 3, lambda x: x.sin() * x.shape[0], lambda x: x.cos(), (x,))

    traced = make_fx(f, tracing_mode="symbolic")(torch.ones(2))

    for given in (torch.ones(5), torch.zeros(3)):
        assert torch.equal(traced(given), f(given))
    assert isinstance(traced.graph_0, fx.GraphModule)


def test_a_traced_while_loop_runs():
    def f(n, x):
        return torch.while_loop(lambda n, x: n > 0, lambda n, x: (n - 1, x * 2), (n, x))

    traced = make_fx(f)(torch.tensor(1), torch.ones(2))

    assert traced(torch.tensor(3), torch.ones(2))[1].tolist() == [8.0, 8.0]


def test_an_unknown_tracing_mode_is_refused():
    with pytest.raises(ValueError, match="tracing_mode must be 'real', 'fake' or 'symbolic'"):
        make_fx(lambda x: x, tracing_mode="other")

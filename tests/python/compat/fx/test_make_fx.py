"""make_fx under compat: the trace of the core as a GraphModule of torch.fx."""

import opwright
import opwright.compat.torch as torch
import pytest
from opwright.compat.torch import fx
from opwright.compat.torch.fx.experimental.proxy_tensor import (
    ProxyTorchDispatchMode,
    PythonKeyTracer,
    make_fx,
    track_tensor_tree,
)
from opwright.compat.torch.fx.experimental.symbolic_shapes import ShapeEnv, fx_placeholder_vals

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
    "arithmetic with numbers": """
        traced = make_fx(lambda x: ((x + 2) * 3 - 1).div_(2))(torch.ones(2))
        """,
    "sizes": """
        traced = make_fx(lambda x: torch.empty(x.shape[0] * 2), tracing_mode="symbolic")(
            torch.ones(4))
        """,
    "a mask": """
        def f(x, mask):
            x[mask] = x[mask].flip(-1)
        traced = make_fx(f, tracing_mode="symbolic")(torch.ones(4, 3), torch.ones(4) > 0)
        """,
    "an assigned size": """
        def f(x):
            x[0] = x.size(0)
            return x
        traced = make_fx(f, tracing_mode="symbolic")(torch.ones(10))
        """,
    "numbers from data": """
        traced = make_fx(lambda x: torch.arange(0, x), tracing_mode="symbolic")(torch.tensor(10))
        """,
    "a size from data": """
        traced = make_fx(lambda x: torch.zeros([x]), tracing_mode="symbolic")(torch.tensor(4))
        """,
    "a decomposition that declines": """
        def addmm(a, b, c, beta=1, alpha=1):
            return NotImplemented if beta == 1 else beta * a + alpha * (b @ c)
        def f(x):
            return torch.addmm(x, x, x) + torch.addmm(x, x, x, beta=2)
        traced = make_fx(f, {torch.ops.aten.addmm.default: addmm})(torch.ones(2, 2))
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


@pytest.mark.parametrize("mode", ["real", "fake", "symbolic"])
def test_a_traced_backward_returns_gradients_and_does_not_accumulate_them(mode):
    def f(x):
        x.cos().sum().backward()
        return x.grad

    traced = make_fx(f, tracing_mode=mode)(torch.ones(2, requires_grad=True))
    given = torch.zeros(2, requires_grad=True)

    assert torch.equal(traced(given), -given.sin())
    assert given.grad is None
    assert opwright.make_fx(f)(torch.ones(2, requires_grad=True))(given) is not None
    assert given.grad is not None


@pytest.mark.parametrize("mode", ["real", "fake", "symbolic"])
def test_a_number_computed_from_literals_is_read(mode):
    def f():
        value = torch.tensor(1.0)
        value.add_(2)
        (first,) = torch.unbind(torch.tensor([2]), 0)
        return torch.full((2,), value), first.item()

    traced = make_fx(f, tracing_mode=mode)()

    assert [traced()[0].tolist(), traced()[1]] == [[3.0, 3.0], 2]


@pytest.mark.parametrize("mode", ["real", "fake", "symbolic"])
def test_a_literal_that_was_overwritten_is_not_read(mode):
    def f(x):
        value = torch.tensor([1.0])
        value.expand(3)[0] = x
        return x * value.item()

    with pytest.raises(RuntimeError, match="cannot depend on data"):
        make_fx(f, tracing_mode=mode)(torch.tensor(2.0))


def test_a_size_from_data_is_the_same_until_the_data_change():
    def f(x):
        x = x.clone()
        assert x.nonzero().shape[0] == x.nonzero().shape[0]
        before = x.nonzero()
        x.normal_()
        with pytest.raises(RuntimeError, match="cannot decide"):
            bool(before.shape[0] == x.nonzero().shape[0])
        return before

    traced = make_fx(f, tracing_mode="symbolic")(torch.ones(4))

    assert tuple(traced(torch.tensor([1.0, 0, 2, 3])).shape) == (3, 1)


def test_guards_are_written_in_terms_of_the_arguments():
    def f(a):
        assert a.shape[0] > 12
        assert a.shape[1] > a.shape[0]
        return a.cos()

    traced = make_fx(f, tracing_mode="symbolic")(torch.ones(15, 20))
    values = fx_placeholder_vals(traced)

    assert traced.shape_env.produce_guards(values, ["a"]) == [
        "L['a'].size()[1] > L['a'].size()[0]",
        "13 <= L['a'].size()[0]",
        "14 <= L['a'].size()[1]",
    ]


def test_symbols_that_others_replace_are_listed():
    def f(a, b):
        return torch.cat([a, a]) + b

    env = make_fx(f, tracing_mode="symbolic")(torch.ones(3), torch.ones(6)).shape_env

    assert env.backed_var_to_val == {"s0": 3, "s1": 6}
    assert len(env.replacements) == 1
    assert env.get_nontrivial_guards() == []


def test_an_unbacked_symbol_may_be_any_int():
    env = ShapeEnv()

    number = env.create_unbacked_symint()

    assert (number.hint, env.range(number)) == (None, (None, None))


def test_the_node_of_a_size_has_its_expression():
    def f(a, b):
        return a.new_empty(a.shape[0] + b.shape[0])

    traced = make_fx(f, tracing_mode="symbolic")(torch.ones(5), torch.ones(4))
    (empty,) = traced.graph.find_nodes(op="call_function", target=torch.ops.aten.new_empty.default)

    node = empty.meta["val"].shape[0].node
    assert (node.expr, node.hint) == ("s0 + s1", 9)
    assert node.shape_env == traced.shape_env


@pytest.mark.parametrize("mode", ["real", "fake", "symbolic"])
def test_a_value_of_a_trace_changes_its_sizes_in_place(mode):
    def f(x):
        y = x.clone()
        y.unsqueeze_(0)
        return y

    traced = make_fx(f, tracing_mode=mode)(torch.ones(3, requires_grad=True))

    assert [tuple(n.meta["val"].shape) for n in traced.graph.nodes if "val" in n.meta] == [
        (3,),
        (3,),
        (1, 3),
    ]
    with pytest.raises(RuntimeError, match="cannot change inside of it"):
        make_fx(lambda x: x.unsqueeze_(0), tracing_mode=mode)(torch.ones(3))


def test_a_mode_records_calls_on_tensors_that_are_tracked():
    tracer = PythonKeyTracer()
    x, weight = torch.ones(2), torch.ones(2)
    track_tensor_tree(x, tracer.create_proxy("placeholder", "x", (), {}), tracer=tracer)
    table = {torch.ops.aten.tan.default: lambda x: x.sin() / x.cos()}

    with ProxyTorchDispatchMode(tracer, "real", decomposition_table=table):
        y = (x.tan() * weight).max(0)[0]
    tracer.graph.output(tracer.create_arg(y))
    traced = fx.GraphModule(tracer.root, tracer.graph)

    given = torch.tensor([0.5, 1.0])
    assert torch.allclose(traced(given), given.tan().max())
    assert [node.name for node in traced.graph.nodes if node.op == "call_function"] == [
        "sin",
        "cos",
        "div",
        "mul",
        "max_1",
        "getitem",
        "getitem_1",
    ]


def test_a_mode_uses_another_table_in_a_block():
    outer, inner = {}, {}
    mode = ProxyTorchDispatchMode(PythonKeyTracer(), "real", decomposition_table=outer)

    with mode.enable_decompositions(inner):
        assert mode.decomposition_table is inner
    assert mode.decomposition_table is outer


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
    assert isinstance(traced.true_graph_0, fx.GraphModule)


def test_a_traced_while_loop_runs():
    def f(n, x):
        return torch.while_loop(lambda n, x: n > 0, lambda n, x: (n - 1, x * 2), (n, x))

    traced = make_fx(f)(torch.tensor(1), torch.ones(2))

    assert traced(torch.tensor(3), torch.ones(2))[1].tolist() == [8.0, 8.0]


def test_an_unknown_tracing_mode_is_refused():
    with pytest.raises(ValueError, match="tracing_mode must be 'real', 'fake' or 'symbolic'"):
        make_fx(lambda x: x, tracing_mode="other")

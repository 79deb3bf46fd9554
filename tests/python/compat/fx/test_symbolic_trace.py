"""symbolic_trace: the code of a traced program is torch's."""

import collections
import functools
import pickle

import opwright.compat.torch as torch
import pytest
from opwright.compat.torch import fx
from opwright.compat.torch.fx.proxy import TraceError
from opwright.compat.torch.utils._pytree import tree_map

from .referee import run_in_both

Point = collections.namedtuple("Point", "x y")

PROGRAMS = {
    "functions, methods and operators": """
        def f(x, y):
            z = torch.relu(x + y).clamp(min=0.0, max=1.0)
            return -z @ y, z[0, 1:, None, ...], x.shape[0] // 2
        """,
    "a dict of results": """
        def f(x):
            return {"a": [x.sin(), 2], "b": (x.to(torch.float32), float("inf"))}
        """,
    "variable arguments": """
        def f(x, k=2, *args, key=None, **rest):
            return x + args[0] + rest["y"] * k
        """,
    "an unpacked argument": """
        def f(pair):
            a, b = pair
            return a * b
        """,
    "a module with parameters, buffers and layers": """
        class Model(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.w = torch.nn.Parameter(torch.ones(4))
                self.register_buffer("mean", torch.ones(4))
                self.layers = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.ReLU())

            def forward(self, x: torch.Tensor) -> torch.Tensor:
                return torch.nn.functional.relu(self.layers(x) - self.mean, inplace=False) * self.w
        f = Model()
        """,
    "numbers of sizes": """
        def f(x):
            n = x.shape[0]
            few = torch.sym_not(n > 2), torch.sym_ite(n > 2, 1, 2)
            return x[: torch.sym_min(n, 3)], torch.sym_max(n, 3), torch.sym_float(n), few
        """,
    "named results": """
        def f(x):
            return x.max(0).values + torch.sort(x).indices
        """,
    "operators of a namespace": """
        def f(x):
            return torch.ops.aten.add.Tensor(x, x) + torch.ops.aten.neg(x)
        """,
}


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_the_code_of_a_trace_is_that_of_torch(program):
    reference, ours = run_in_both(program)

    expected = reference["fx"].symbolic_trace(reference["f"])
    traced = fx.symbolic_trace(ours["f"])

    assert traced.code == expected.code
    assert str(traced.graph) == str(expected.graph)
    traced.graph.lint()


def test_a_decorated_function_keeps_its_keyword_only_arguments():
    def doubled(function):
        @functools.wraps(function)
        def call(*args, **kwargs):
            return function(*args, **kwargs) * 2

        return call

    @doubled
    def scale(x, *, by, offset=1):
        return x * by + offset

    traced = fx.symbolic_trace(scale)

    assert [node.target for node in traced.graph.nodes if node.op == "placeholder"] == [
        "x",
        "by",
        "offset",
    ]
    assert traced(3, by=2, offset=1) == 14


def test_concrete_arguments_are_checked_by_the_graph_as_in_torch():
    program = """
        def f(x, flag):
            return x["a"] + x["b"] if flag else x["a"]
        traced = fx.symbolic_trace(f, concrete_args={"x": {"a": fx.PH, "b": fx.PH}, "flag": True})
        """
    reference, ours = run_in_both(program)

    assert ours["traced"].code == reference["traced"].code
    assert ours["traced"]({"a": 1, "b": 2}, True) == 3
    with pytest.raises(AssertionError, match="flag has been specialized to have value True"):
        ours["traced"]({"a": 1, "b": 2}, False)


def test_concrete_variable_arguments_are_arguments_of_the_graph():
    class Sum(torch.nn.Module):
        def forward(self, *args, **kwargs):
            return args[0] + args[1]

    traced = fx.symbolic_trace(Sum(), concrete_args=(fx.PH, fx.PH))

    assert len(traced.graph.find_nodes(op="placeholder")) == 3
    assert traced(1, 2) == 3


def test_stack_traces_and_module_paths_are_in_the_metadata():
    class Inner(torch.nn.Module):
        def forward(self, x):
            return x + 1  # the traced line

    class Outer(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = Inner()

        def forward(self, x):
            return self.inner(x)

    tracer = fx.Tracer()
    tracer.record_stack_traces = True
    (node,) = tracer.trace(Outer()).find_nodes(op="call_function")

    assert node.meta["nn_module_stack"] == {"inner": ("inner", Inner)}
    assert "return x + 1  # the traced line" in node.stack_trace


def test_control_flow_on_a_proxy_is_refused():
    with pytest.raises(TraceError, match="cannot be used as inputs to control flow"):
        fx.symbolic_trace(lambda x: x if x.sum() > 0 else -x)


def test_a_loop_over_a_proxy_is_refused():
    with pytest.raises(TraceError, match=r"cannot be iterated.*torch\.fx\.wrap"):
        fx.symbolic_trace(lambda x: [each + 1 for each in x])


def test_the_package_is_as_before_after_a_trace_that_failed():
    before = (torch.nn.Module.__call__, torch.nn.Module.__getattr__, torch.nn.functional.relu)

    with pytest.raises(TraceError):
        fx.symbolic_trace(lambda x: torch.nn.functional.relu(x) if x else x)

    after = (torch.nn.Module.__call__, torch.nn.Module.__getattr__, torch.nn.functional.relu)
    assert after == before


def test_wrap_is_for_the_top_level_of_a_module():
    with pytest.raises(NotImplementedError, match="at the top level of a module"):
        fx.wrap("len")


def test_a_concrete_argument_keeps_its_default():
    traced = fx.symbolic_trace(add_if_given, concrete_args={"value": None})

    assert traced(torch.ones(2)).tolist() == [1.0, 1.0]
    with pytest.raises(AssertionError, match="value has been specialized to have value None"):
        traced(torch.ones(2), torch.ones(2))


def add_if_given(x, value=None):
    return x if value is None else x + value


@pytest.mark.parametrize(
    ("function", "given"),
    [
        (lambda x: x["a"] + sum(x["z"]), {"a": fx.PH, "z": []}),
        (lambda x: x.x + x.y, Point(fx.PH, fx.PH)),
        (lambda x: sum(x), [fx.PH]),
    ],
    ids=["a dict of one leaf", "a named tuple", "a list of one leaf"],
)
def test_a_container_stays_one_argument(function, given):
    traced = fx.symbolic_trace(function, concrete_args={"x": given})
    value = tree_map(lambda leaf: torch.ones(2), given)

    assert traced(value).tolist() == function(value).tolist()
    assert pickle.loads(pickle.dumps(traced))(value).tolist() == function(value).tolist()


def test_a_proxy_is_no_condition_of_cond():
    def choose(x):
        return torch.cond(x.sum() > 0, lambda x: x + 1, lambda x: x - 1, (x,))

    with pytest.raises(RuntimeError, match=r"Expected pred to be bool or tensor, but got Proxy"):
        fx.symbolic_trace(choose)

"""The checker of tensor types: the types of nodes and their symbols are those of torch's."""

import opwright.compat.torch as torch
import pytest
from opwright import nn
from opwright.compat.torch import fx
from opwright.compat.torch.fx.experimental.graph_gradual_typechecker import (
    GraphTypeChecker,
    register_inference_rule,
)
from opwright.compat.torch.fx.experimental.refinement_types import Equality
from opwright.compat.torch.fx.experimental.unification import Var
from opwright.compat.torch.fx.experimental.unify_refinements import unify_eq
from opwright.compat.torch.fx.tensor_type import Dyn, TensorType

from .referee import run_in_both

START = """
import importlib
package = fx.__name__
types = importlib.import_module(package + ".tensor_type")
checker = importlib.import_module(package + ".experimental.graph_gradual_typechecker")
unify = importlib.import_module(package + ".experimental.unify_refinements")
Dyn, Type = types.Dyn, types.TensorType

def types_of(f, *given, symbolic=False):
    traced = fx.symbolic_trace(f)
    for node, each in zip(traced.graph.nodes, given):
        node.type = each
    try:
        checker.GraphTypeChecker({}, traced).type_check()
    except TypeError:
        return "TypeError"
    if symbolic:
        unify.infer_symbolic_types(traced)
    return [str(tuple(node.type.dims)) for node in traced.graph.nodes]
"""
LAYERS = """
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = torch.nn.Conv2d(3, 6, 5, stride=2, padding=1)
        self.norm = torch.nn.BatchNorm2d(6)
        self.pool = torch.nn.MaxPool2d(2)
        self.relu = torch.nn.ReLU()
        self.linear = torch.nn.Linear(7, 9)
        self.mean = torch.nn.AdaptiveAvgPool2d((2, 3))

    def forward(self, x):
        y = self.relu(self.norm(self.conv(x)))
        y = self.mean(self.linear(self.pool(y)))
        return torch.flatten(y + y, 1)
"""
PROGRAMS = {
    "sums": """
        def add(x, y):
            return torch.add(x, y) + x
        pairs = [
            (Type((1, 2, 3, Dyn)), Type((2, 3, 4))),
            (Type((2, 1)), Type((1, 5))),
            (Type((2, 3)), Type((2, Dyn))),
            (Type((2, 3)), Type((3, 2))),
        ]
        found = [types_of(add, *pair) for pair in pairs]
        """,
    "transposes": """
        found = [
            types_of(lambda x: torch.transpose(x, 0, 1), Type((1, 2, Dyn))),
            types_of(lambda x: torch.transpose(x, 0, 9), Type((1, 2, 3))),
        ]
        """,
    "reshapes": """
        sizes = ([1, 2, 3], [1, 5, -1], [3, 2], [4, -1], [-1])
        found = [
            types_of(lambda x: torch.reshape(x, size), Type(given))
            for size in sizes for given in ((1, 6), (1, 5), (6, Dyn), (4, 3))
            if not (size == [1, 2, 3] and given == (4, 3))
            and not (size == [3, 2] and given == (4, 3))
        ]
        """,
    "flattened sizes": """
        found = [
            types_of(lambda x: torch.flatten(x, start, end), Type((2, 3, Dyn, 5)))
            for start, end in ((0, 1), (1, 2), (1, 3), (0, -1), (3, 3))
        ]
        """,
    "layers": LAYERS
    + """
found = [
    types_of(Net(), Type(sizes), symbolic=symbolic)
    for sizes in ((4, 3, 32, 31), (4, 5, 32, 31), (Dyn, 3, 32, 32), (1, 3, 32))
    for symbolic in (False, True)
]
""",
    "symbols of an unknown operand": """
        class Net(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.conv = torch.nn.Conv2d(2, 2, 3, padding=1)
                self.norm = torch.nn.BatchNorm2d(2)

            def forward(self, x):
                return self.norm(self.conv(x)) + x
        found = [types_of(Net(), Type((Dyn, 2, Dyn, Dyn)), symbolic=True)]
        """,
}


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_types_are_those_of_torch(program):
    import textwrap

    reference, ours = run_in_both(START + textwrap.dedent(program))

    assert ours["found"] == reference["found"]


def check(function, *types):
    traced = fx.symbolic_trace(function)
    for node, given in zip(traced.graph.nodes, types, strict=False):
        node.type = given
    GraphTypeChecker({}, traced).type_check()
    return [node.type for node in traced.graph.nodes][-1]


def test_a_reshape_to_another_number_of_elements_is_refused():
    with pytest.raises(TypeError, match=r"TensorType\[\(2, 3\)\] cannot be reshaped"):
        check(lambda x: torch.reshape(x, [12]), TensorType((2, 3)))


def test_each_side_of_a_window_has_its_stride():
    layer = nn.Conv2d(1, 1, 3, stride=(1, 2))

    assert check(nn.Sequential(layer), TensorType((1, 1, 9, 9))) == TensorType((1, 1, 7, 4))


def test_a_convolution_with_padding_same_keeps_sizes():
    layer = nn.Conv2d(1, 4, 3, padding="same")

    assert check(nn.Sequential(layer), TensorType((1, 1, 9, Dyn))) == TensorType((1, 4, 9, Dyn))


def test_a_pooling_that_rounds_up_counts_the_last_window():
    layer = nn.MaxPool2d(2, stride=2, ceil_mode=True)

    assert check(nn.Sequential(layer), TensorType((1, 1, 5, 4))) == TensorType((1, 1, 3, 2))


def test_the_rule_of_a_function_is_registered_once():
    def scale(x):
        return x * 2

    @register_inference_rule(scale)
    def check_scale(node):
        node.type = node.args[0].type

    with pytest.raises(RuntimeError, match="has a rule for its type already"):
        register_inference_rule(scale)(check_scale)


def test_an_operation_without_a_rule_is_refused():
    with pytest.raises(RuntimeError, match="no rule gives the type of"):
        check(lambda x: torch.sin(x), TensorType((2,)))


def test_sizes_that_cannot_be_equal_are_refused():
    with pytest.raises(TypeError, match="the sizes ~0 and 3 must be equal"):
        unify_eq([Equality(Var(0), 2), Equality(Var(0), 3)])


def test_a_rewriting_tracer_records_the_type_of_a_variable():
    from opwright.compat.torch.fx.experimental.rewriter import RewritingTracer

    graph = RewritingTracer().trace(annotated)

    assert [node.type for node in graph.nodes][1] == TensorType((2, Dyn))


def annotated(x):
    y: TensorType((2, Dyn)) = torch.sin(x)
    return y

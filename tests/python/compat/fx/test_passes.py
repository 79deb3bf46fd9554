"""Passes over graphs of torch.fx."""

import opwright.compat.torch as torch
import pytest
from opwright.compat.torch import fx
from opwright.compat.torch.fx.experimental.proxy_tensor import make_fx
from opwright.compat.torch.fx.passes.dialect.common.cse_pass import CSEPass
from opwright.compat.torch.fx.passes.tools_common import legalize_graph
from opwright.compat.torch.fx.passes.utils.matcher_with_name_node_map_utils import (
    SubgraphMatcherWithNameNodeMap,
)
from opwright.compat.torch.fx.passes.utils.source_matcher_utils import (
    check_subgraphs_connected,
    get_source_partitions,
)


def add_twice(x):
    return (x + 1) * (x + 1)


def count_calls(graph):
    return len(graph.find_nodes(op="call_function"))


def test_equal_calls_are_merged():
    traced = make_fx(add_twice)(torch.ones(2))

    result = CSEPass()(traced)

    assert result.modified
    assert count_calls(result.graph_module.graph) == 2


def test_a_banned_operator_is_not_merged_whatever_its_overload():
    traced = make_fx(add_twice)(torch.ones(2))

    result = CSEPass(banned_ops=[torch.ops.aten.add])(traced)

    assert not result.modified
    assert count_calls(result.graph_module.graph) == 3


def test_parts_are_found_by_the_name_of_a_function():
    def f(x, weight):
        hidden = torch.nn.functional.linear(x, weight).relu()
        return torch.nn.functional.linear(hidden, weight)

    program = torch.export.export(f, (torch.ones(1, 3), torch.ones(3, 3)))

    parts = get_source_partitions(program.graph, ["linear", "relu"])

    first, second = parts["linear"]
    (relu,) = parts["relu"]
    assert check_subgraphs_connected(first, relu)
    assert check_subgraphs_connected(relu, second)
    assert not check_subgraphs_connected(relu, first)


def test_nodes_are_sorted_so_that_they_can_run():
    traced = fx.symbolic_trace(lambda x, y: (x.sin() + y.cos()).relu())
    nodes = {node.name: node for node in traced.graph.nodes}
    nodes["relu"].append(nodes["sin"])
    nodes["relu"].append(nodes["x"])

    sorted_module = legalize_graph(traced)

    sorted_module.graph.lint()
    sorted_module.recompile()
    assert sorted_module(torch.zeros(1), torch.zeros(1)).tolist() == [1.0]


def test_a_cycle_has_no_order():
    traced = fx.symbolic_trace(lambda x: x.sin().cos())
    _, sin, cos, _ = traced.graph.nodes
    sin.args = (cos,)

    with pytest.raises(RuntimeError, match="the graph has a cycle through sin"):
        legalize_graph(traced)


def test_a_pattern_names_its_nodes_also_if_its_results_are_a_tree():
    def pattern(x):
        sine = x["a"].sin()
        return sine, {"sine": sine}

    traced = fx.symbolic_trace(pattern, concrete_args={"x": {"a": fx.PH}})
    graph = fx.symbolic_trace(lambda a, b: (a + b).sin() * 2).graph

    (match,) = SubgraphMatcherWithNameNodeMap(traced).match(graph)

    assert match.name_node_map["sine"].name == "sin"

"""Nodes of a graph that read and compute symbolic sizes."""

import operator

import opwright as ow
import pytest
from opwright.compat.torch import fx
from opwright.compat.torch.fx.experimental.proxy_tensor import make_fx
from opwright.symbolic import ShapeEnv


def graph_of_a_size():
    size = ShapeEnv().make_backed(8)
    graph = fx.Graph()
    node = graph.placeholder("n")
    node.meta["val"] = size
    return graph, size


def test_an_expression_becomes_nodes_that_compute_it():
    graph, size = graph_of_a_size()

    (made,) = graph.materialize_symints([3 * size + 1])
    graph.output(made)

    assert fx.GraphModule({}, graph)(5) == 16
    assert made.meta["val"].hint == 25


def test_a_part_that_two_sizes_share_is_computed_once():
    graph, size = graph_of_a_size()

    graph.materialize_symints([size + 1, (size + 1) // 2])

    assert len(graph.find_nodes(op="call_function", target=operator.add)) == 1


def test_constants_stay_numbers():
    graph, size = graph_of_a_size()

    assert graph.materialize_symints([5, size - size]) == [5, 0]


def test_a_symbol_that_no_node_has_is_refused():
    _, size = graph_of_a_size()

    with pytest.raises(AssertionError, match="there is no producer for"):
        fx.Graph().materialize_symints([size])


def test_a_size_of_a_tensor_is_read_from_it():
    traced = make_fx(lambda x: x + 1, tracing_mode="symbolic")(ow.ones(8, 4))
    x = next(iter(traced.graph.nodes))
    size = x.meta["val"].shape[0]
    output = traced.graph.output_node()

    with traced.graph.inserting_before(output):
        (made,) = traced.graph.materialize_symints([size * 2])
    output.args = (made,)
    traced.recompile()

    assert traced(ow.ones(5, 4)) == 10


@pytest.mark.parametrize("key", ["val", "example_value"])
def test_nodes_read_the_layout_of_a_tensor(key):
    graph = fx.Graph()
    x = graph.placeholder("x")
    x.meta[key] = ow.ones(2, 6)[:, 2:4]

    made = [
        graph.create_size_node(x, 1),
        graph.create_stride_node(x, 0),
        graph.create_storage_offset_node(x),
    ]
    graph.output(tuple(made))

    assert [node.meta[key] for node in made] == [2, 6, 2]
    assert fx.GraphModule({}, graph)(ow.ones(2, 6)[:, 1:4]) == (3, 6, 1)

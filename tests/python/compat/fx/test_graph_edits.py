"""Graphs of torch.fx are built, changed, interpreted, copied and pickled."""

import copy
import operator
import pickle

import opwright.compat.torch as torch
import pytest
from opwright.compat.torch import fx


def trace():
    return fx.symbolic_trace(lambda x, y: torch.sin(x) + y)


def test_a_graph_is_built_node_by_node():
    graph = fx.Graph()
    x = graph.placeholder("x")
    bias = graph.get_attr("bias")
    linear = graph.call_module("linear", (x,))
    total = graph.call_function(operator.add, (linear, bias))
    graph.output(graph.call_method("relu", (total,)))
    root = torch.nn.Module()
    root.linear = torch.nn.Linear(2, 2)
    root.bias = torch.nn.Parameter(torch.ones(2))

    module = fx.GraphModule(root, graph)

    module.graph.lint()
    given = torch.ones(1, 2)
    assert torch.equal(module(given), torch.relu(root.linear(given) + root.bias))


def test_a_target_and_metadata_are_assigned():
    traced = trace()
    (node,) = traced.graph.find_nodes(op="call_function", target=torch.sin)

    node.target = torch.cos
    node.meta["note"] = "changed"
    traced.recompile()

    assert traced(torch.zeros(1), 1.0).tolist() == [2.0]
    assert node.meta["note"] == "changed"


def test_new_nodes_go_where_they_are_inserted():
    traced = trace()
    (node,) = traced.graph.find_nodes(op="call_function", target=torch.sin)

    with traced.graph.inserting_after(node):
        doubled = traced.graph.call_function(operator.mul, (node, 2))
    node.replace_all_uses_with(doubled, delete_user_cb=lambda user: user is not doubled)
    traced.recompile()

    assert [each.name for each in traced.graph.nodes] == ["x", "y", "sin", "mul", "add", "output"]
    assert traced(torch.zeros(1), 1.0).tolist() == [1.0]


def test_a_node_that_is_used_is_not_erased():
    traced = trace()
    (node,) = traced.graph.find_nodes(op="call_function", target=torch.sin)

    with pytest.raises(RuntimeError, match="it still had 1 users in the graph"):
        traced.graph.erase_node(node)


def test_nodes_are_erased_during_a_loop_over_them():
    traced = fx.symbolic_trace(lambda x: (x.sin(), x.cos(), x)[2])

    for node in reversed(traced.graph.nodes):
        if node.op == "call_method":
            traced.graph.erase_node(node)

    assert [node.name for node in traced.graph.nodes] == ["x", "output"]


def test_dead_code_is_removed_and_writes_stay():
    traced = fx.symbolic_trace(lambda x: (x.sin(), x.add_(1), x)[2])

    assert traced.graph.eliminate_dead_code()

    assert [node.name for node in traced.graph.nodes] == ["x", "add_", "output"]


def test_lint_refuses_a_use_before_the_definition():
    traced = trace()
    sin, add = traced.graph.find_nodes(op="call_function")

    add.append(sin)

    with pytest.raises(RuntimeError, match="'sin' of Node 'add' was used before it has been"):
        traced.graph.lint()


def test_arguments_of_a_node_are_immutable():
    traced = fx.symbolic_trace(lambda x: torch.cat([x, x]))
    (node,) = traced.graph.find_nodes(op="call_function")

    with pytest.raises(TypeError, match=r"node\.args = new_args"):
        node.args[0].append(1)


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))])
def test_a_copy_has_its_own_graph_and_the_same_code(duplicate):
    traced = trace()

    made = duplicate(traced)

    assert made.graph is not traced.graph
    assert made.code == traced.code
    assert made(torch.zeros(1), 1.0).tolist() == [1.0]


def test_an_interpreter_runs_every_node():
    class Names(fx.Interpreter):
        def run_node(self, n):
            self.seen = [*getattr(self, "seen", []), n.name]
            return super().run_node(n)

    interpreter = Names(trace())

    assert interpreter.run(torch.zeros(1), 1.0).tolist() == [1.0]
    assert interpreter.seen == ["x", "y", "sin", "add", "output"]


def test_an_error_in_an_interpreted_node_names_the_node():
    with pytest.raises(TypeError) as failure:
        fx.Interpreter(trace()).run("a", "b")

    assert "While executing %sin" in failure.value.__notes__[0]


def test_a_transformer_makes_a_new_graph():
    class SinToCos(fx.Transformer):
        def call_function(self, target, args, kwargs):
            return super().call_function(torch.cos if target is torch.sin else target, args, kwargs)

    transformed = SinToCos(trace()).transform()

    assert transformed(torch.zeros(1), 1.0).tolist() == [2.0]


def test_a_pattern_is_replaced_everywhere():
    traced = fx.symbolic_trace(lambda x: torch.sin(x) + torch.sin(x + 1))

    replaced = fx.replace_pattern(traced, lambda x: torch.sin(x), lambda x: torch.cos(x))

    assert len(replaced) == 2
    assert not traced.graph.find_nodes(op="call_function", target=torch.sin)
    assert torch.allclose(
        traced(torch.zeros(1)), torch.cos(torch.zeros(1)) + torch.cos(torch.ones(1))
    )


def test_generated_lines_can_be_changed():
    traced = trace()

    with traced.graph.on_generate_code(lambda before: lambda body: ["y = 5.0\n", *body]):
        traced.recompile()

    assert traced(torch.zeros(1), 1.0).tolist() == [5.0]


def test_a_module_is_written_as_a_package(tmp_path, monkeypatch):
    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = torch.nn.Linear(2, 2)
            self.w = torch.nn.Parameter(torch.ones(2))

        def forward(self, x):
            return self.linear(x) * self.w

    traced = fx.symbolic_trace(Model())
    traced.to_folder(tmp_path / "written_model", "Written")
    monkeypatch.syspath_prepend(str(tmp_path))

    from written_model import Written

    given = torch.ones(1, 2)
    assert torch.equal(Written()(given), traced(given))

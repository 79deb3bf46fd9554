"""opwright.Graph: reading, changing, checking, running."""
# Covers: python/bindings/trace/*.

import copy
import inspect

import opwright as ow
import pytest
from opwright import _C

ADD = """graph(%x: float32[s0, 3], %y: float32[s0, 3]) -> (%neg) {
  symbol s0 in [2, 8], hint 5, from x.size(0)
  guard s0 <= 8  # model.py:12
  %add: float32[s0, 3] = aten::add.Tensor(%x, %y, alpha=2), in encoder  # model.py:13
  %neg: float32[s0, 3] = aten::neg(%add)  # model.py:14
}
"""
SPLIT = """graph(%x: float32[4]) -> (%high) {
  [%low: float32[2], %high: float32[2]] = aten::split.Tensor(%x, 2)
}
"""
MAX = """graph(%x: float32[4, 2]) -> (%values, %indices) {
  %values: float32[4], %indices: int64[4] = aten::max.dim(%x, 1)
}
"""


@pytest.fixture
def graph():
    return ow.Graph.parse(ADD)


def node(graph, name):
    (found,) = graph.find_nodes(name=name)
    return found


# ---- Text ----


def test_its_text_reads_back(graph):
    assert str(graph) == ADD
    assert repr(graph) == ADD
    assert ow.Graph.parse(str(graph)) == graph


def test_a_deep_copy_has_nodes_of_its_own(graph):
    other = copy.deepcopy(graph)

    assert other == graph
    assert other.nodes[0] != graph.nodes[0]


def test_graphs_that_differ_are_not_equal(graph):
    other = graph.copy()
    assert other == graph

    node(other, "neg").name = "result"

    assert other != graph
    assert graph != "graph"


def test_a_wrong_text_is_shown_with_the_part_underlined():
    with pytest.raises(ValueError, match="unknown dtype") as error:
        ow.Graph.parse("graph(%x: flaot32[2]) -> () {}")
    assert str(error.value) == (
        "graph: unknown dtype 'flaot32' at column 11\n"
        "    graph(%x: flaot32[2]) -> () {}\n"
        "              ^^^^^^^\n"
        "  did you mean 'float32'?"
    )


def test_the_suite_reads_every_graph_back():
    before = _C.num_checked_graph_texts()

    ow.Graph.parse(ADD)

    assert _C.num_checked_graph_texts() == before + 1


# ---- Reading ----


def test_nodes_are_as_in_torch_fx(graph):
    assert [(each.op, each.name) for each in graph.nodes] == [
        ("placeholder", "x"),
        ("placeholder", "y"),
        ("call_function", "add"),
        ("call_function", "neg"),
        ("output", "output"),
    ]
    add = node(graph, "add")
    assert add.target is ow.ops.aten.add.Tensor
    assert add.args == (node(graph, "x"), node(graph, "y"))
    assert add.kwargs == {"alpha": 2}
    assert list(add.users) == [node(graph, "neg")]
    assert add.all_input_nodes == [node(graph, "x"), node(graph, "y")]
    assert add.next == node(graph, "neg")
    assert add.prev == node(graph, "y")
    assert graph.nodes[0].prev is None
    assert graph.output_node.args == ((node(graph, "neg"),),)
    assert str(add) == "add"
    assert add.graph == graph
    assert len(graph) == 5


def test_meta_has_the_fake_tensor_the_line_and_the_module(graph):
    meta = node(graph, "add").meta

    assert str(meta["val"].shape[0]) == "s0"
    assert meta["val"].dtype is ow.float32
    assert isinstance(meta["val"], ow.FakeTensor)
    assert meta["location"] == "model.py:13"
    assert meta["module_path"] == "encoder"
    assert node(graph, "x").meta["location"] is None
    with pytest.raises(TypeError):
        meta["val"] = None


def test_find_nodes_looks_for_op_target_and_name(graph):
    assert graph.find_nodes(op="placeholder") == graph.inputs
    assert graph.find_nodes(op="call_function", target=ow.ops.aten.neg.default) == [
        node(graph, "neg")
    ]
    assert graph.find_nodes(name="nothing") == []


def test_symbols_and_guards_are_those_of_the_trace(graph):
    (symbol,) = graph.symbols
    assert symbol.name == "s0"
    assert symbol.hint == 5
    (guard,) = graph.guards
    assert str(guard.condition) == "s0 <= 8"
    assert "model.py:12" in str(graph)


def test_nodes_of_several_values_give_results():
    graph = ow.Graph.parse(MAX)
    maximum = graph.find_nodes(op="call_function")[0]

    values, indices = maximum.results

    assert (values.name, indices.name) == ("values", "indices")
    assert (values.node, values.index) == (maximum, 0)
    assert indices.val.dtype is ow.int64
    assert graph.outputs == (values, indices)
    assert list(indices.users) == [graph.output_node]
    assert [value.dtype for value in maximum.meta["val"]] == [ow.float32, ow.int64]
    assert ow.Graph.parse(SPLIT).nodes[1].results[0][1].name == "high"


# ---- Changing ----


def test_insert_call_computes_metadata_with_the_fake_kernel(graph):
    neg = node(graph, "neg")

    line = inspect.currentframe().f_lineno + 1
    total = graph.insert_call(ow.ops.aten.sum.dim_IntList, (neg, [1]), {"keepdim": True}, after=neg)

    assert total.name == "sum_1"
    assert [str(size) for size in total.meta["val"].shape] == ["s0", "1"]
    assert total.meta["location"].endswith(f"test_graph.py:{line}")
    assert neg.next == total
    graph.set_outputs(total, [neg, 1], None)
    graph.lint()
    assert graph.outputs == (total, [neg, 1], None)
    assert ow.Graph.parse(str(graph)) == graph


def test_calls_are_put_where_the_with_statement_says(graph):
    add, neg = node(graph, "add"), node(graph, "neg")

    with graph.inserting_before(neg):
        first = graph.insert_call("aten::exp", (add,))
        second = graph.insert_call("aten::exp.default", (first,), name="twice")
    with graph.inserting_after(neg):
        third = graph.insert_call(ow.ops.aten.exp.default, (neg,))
    last = graph.insert_call(ow.ops.aten.exp.default, (third,))

    names = [each.name for each in graph.nodes]
    assert names == ["x", "y", "add", "exp", "twice", "neg", "exp_1", "exp_2", "output"]
    assert last.next == graph.output_node
    assert second.args == (first,)


def test_calls_after_the_last_input_stand_behind_all_inputs(graph):
    first = graph.insert_call(ow.ops.aten.exp.default, (node(graph, "x"),), after=node(graph, "x"))

    assert [each.name for each in graph.nodes][:4] == ["x", "y", "exp", "add"]
    assert first.op == "call_function"


def test_replacing_uses_and_erasing(graph):
    add, neg = node(graph, "add"), node(graph, "neg")
    exp = graph.insert_call(ow.ops.aten.exp.default, (add,), before=neg)

    neg.replace_all_uses_with(exp)
    graph.erase_node(neg)

    assert graph.outputs == (exp,)
    assert neg.is_erased
    graph.lint()
    exp.replace_input_with(add, node(graph, "x"))
    assert exp.args == (node(graph, "x"),)
    graph.replace_all_uses(exp, node(graph, "y"))
    assert graph.outputs == (node(graph, "y"),)


def test_args_and_kwargs_can_be_set(graph):
    x, add = node(graph, "x"), node(graph, "add")

    add.args = (x, x)
    add.kwargs = {"alpha": 3}

    assert add.args == (x, x)
    assert add.kwargs == {"alpha": 3}
    assert list(node(graph, "y").users) == []
    graph.output_node.args = ((x, add),)
    assert graph.outputs == (x, add)


def test_a_used_node_cannot_be_erased(graph):
    with pytest.raises(
        ValueError, match=r"cannot be erased while '%neg = aten::neg\(%add\)' uses %add"
    ):
        graph.erase_node(node(graph, "add"))


def test_an_erased_node_is_an_error_wherever_it_is_used(graph):
    neg = node(graph, "neg")
    graph.set_outputs()
    graph.erase_node(neg)

    for use in (
        lambda: neg.name,
        lambda: neg.args,
        lambda: neg.users,
        lambda: neg.meta,
        lambda: neg.next,
        lambda: neg.results,
        lambda: repr(neg),
        lambda: graph.erase_node(neg),
        lambda: neg.replace_all_uses_with(node(graph, "x")),
        lambda: graph.insert_call(ow.ops.aten.neg.default, (neg,)),
        lambda: graph.insert_call(ow.ops.aten.neg.default, (node(graph, "x"),), before=neg),
        lambda: graph.set_outputs(neg),
    ):
        with pytest.raises(ValueError, match="erased"):
            use()
    assert neg == neg
    assert isinstance(hash(neg), int)


def test_nodes_keep_their_graph_alive():
    nodes = ow.Graph.parse(ADD).nodes

    assert nodes[2].args[0].name == "x"


def test_wrong_arguments_are_refused_by_name(graph):
    x = node(graph, "x")
    for args, kwargs, message in [
        ((x,), {}, "aten::add.Tensor is missing its argument 'other'"),
        ((x, x, x), {}, "aten::add.Tensor takes 2 arguments by position, got 3"),
        ((x, x), {"alhpa": 1}, "aten::add.Tensor has no argument 'alhpa'"),
        ((x, x), {"self": x}, "aten::add.Tensor: argument 'self' is given twice"),
        ((x, "a"), {}, "aten::add.Tensor: argument 'other' is Tensor, got str"),
        (
            (x, ow.ones(2)),
            {},
            "aten::add.Tensor: argument 'other' is a tensor; a graph takes tensors as nodes, so "
            "add it with add_input",
        ),
    ]:
        with pytest.raises(TypeError) as error:
            graph.insert_call(ow.ops.aten.add.Tensor, args, kwargs)
        assert str(error.value) == message
    with pytest.raises(TypeError, match="op must be an Operator such as"):
        graph.insert_call(3, (x,))
    with pytest.raises(ValueError, match="give one of before and after, not both"):
        graph.insert_call("aten::neg", (x,), before=x, after=x)
    with pytest.raises(ValueError, match="nothing can be inserted before the input %x"):
        graph.insert_call("aten::neg", (x,), before=x)


def test_values_of_another_graph_are_refused(graph):
    other = graph.copy()

    with pytest.raises(ValueError, match="%x is a value of another graph"):
        graph.insert_call("aten::neg", (node(other, "x"),))


def test_names_that_are_none_are_refused(graph):
    with pytest.raises(ValueError, match="the name %x is taken"):
        node(graph, "add").name = "x"
    with pytest.raises(ValueError, match="'lambda' cannot name a value"):
        node(graph, "add").name = "lambda"


def test_lint_names_the_fault_of_a_graph_edited_into_nonsense(graph):
    add, neg = node(graph, "add"), node(graph, "neg")
    graph.move_before(neg, add)

    with pytest.raises(ValueError, match="uses %add before") as error:
        graph.lint()

    assert str(error.value) == (
        "graph: '%neg = aten::neg(%add)' (model.py:14) uses %add before '%add = "
        "aten::add.Tensor(%x, %y, alpha=2)' computes it; move that node before this one"
    )


def test_a_graph_can_be_built_by_hand():
    graph = ow.Graph()
    with pytest.raises(ValueError, match="it has no outputs; call set_outputs"):
        graph.lint()
    x = graph.add_input("x", ow.FakeTensorMode().from_tensor(ow.ones(2, 3)))
    w = graph.add_input("w", ow.FakeTensorMode().from_tensor(ow.ones(3, 4)), role="captured")
    mm = graph.insert_call(ow.ops.aten.mm.default, (x, w))
    graph.set_outputs(mm)
    graph.lint()

    assert w.role == "captured"
    assert w.bound is None
    with pytest.raises(ValueError, match="captured input 'w' has no tensor"):
        graph(ow.ones(2, 3))
    w.bind(ow.ones(3, 4))
    assert graph(ow.ones(2, 3)).tolist() == [[3.0] * 4] * 2


# ---- Running ----


def test_it_runs_at_other_sizes_that_its_guards_admit(graph):
    x = ow.ones(7, 3)

    assert graph(x, x).tolist() == [[-3.0] * 3] * 7


def test_it_names_the_input_the_size_and_the_line_that_asked(graph):
    with pytest.raises(ValueError, match="it was traced under") as error:
        graph(ow.ones(9, 3), ow.ones(9, 3))
    assert str(error.value) == (
        "graph: it was traced under s0 <= 8, required at model.py:12, but is run with s0 = 9 "
        "(dimension 0 of input 'x')"
    )
    with pytest.raises(ValueError, match="dimension 1 of input 'x' must be 3, got 4"):
        graph(ow.ones(2, 4), ow.ones(2, 4))
    with pytest.raises(TypeError, match=r"it takes 2 inputs \(x, y\), got 1"):
        graph(ow.ones(2, 3))
    with pytest.raises(TypeError, match="another dtype"):
        graph(ow.ones(2, 3), ow.ones(2, 3, dtype=ow.int64))


def test_it_runs_on_fake_tensors_with_their_symbols(graph):
    mode = ow.FakeTensorMode()
    x = mode.from_tensor(ow.ones(6, 3), dynamic=True)

    with mode:
        result = graph(x, x)

    assert isinstance(result, ow.FakeTensor)
    assert result.shape[0] is not None
    assert str(result.shape[0]) == str(x.shape[0])


def test_operators_take_graphs_as_arguments():
    library = ow.library.Library("graph_test", "DEF")
    library.define("apply(Graph body, Tensor[] inputs) -> Tensor")
    library.impl("apply", lambda body, inputs: body(*inputs), "CPU")
    graph = ow.Graph.parse("""graph(%x: float32[2]) -> (%y) {
      %y: float32[2] = graph_test::apply(graph(%x: float32[2]) -> (%z) {
        %z: float32[2] = aten::neg(%x)
      }, [%x])
    }""")

    assert graph(ow.tensor([1.0, 2.0])).tolist() == [-1.0, -2.0]
    body = graph.nodes[1].args[0]
    assert isinstance(body, ow.Graph)
    assert body.nodes[1].target is ow.ops.aten.neg.default
    assert ow.ops.graph_test.apply(body, [ow.tensor([3.0, 4.0])]).tolist() == [-3.0, -4.0]
    assert graph.attributes["sub_graph_0"] == body


def test_several_outputs_are_a_tuple():
    values, indices = ow.Graph.parse(MAX)(ow.tensor([[1.0, 2.0]] * 4))

    assert values.tolist() == [2.0] * 4
    assert indices.tolist() == [1] * 4


# ---- Passes ----


def test_passes_tell_how_many_nodes_went():
    graph = ow.Graph.parse("""graph(%x: float32[2]) -> (%d) {
      %a: float32[2] = aten::full([2], 2.0)
      %b: float32[2] = aten::neg(%x)
      %c: float32[2] = aten::neg(%x)
      %d: float32[2] = aten::mul.Tensor(%b, %a)
      %e: float32[2] = aten::add.Tensor(%c, %b)
    }""")

    assert graph.eliminate_common_subexpressions() == 1
    assert graph.fold_constants() == 1
    assert graph.eliminate_dead_code() == 1
    assert graph(ow.tensor([1.0, 2.0])).tolist() == [-2.0, -4.0]
    assert graph.find_nodes(name="a")[0].role == "constant"

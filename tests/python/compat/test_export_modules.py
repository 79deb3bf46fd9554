"""Graphs, modules and numbers from data of torch.export: PyTorch, the referee, and compat."""

import copy
import operator
import pickle

import opwright.compat.torch as compat
import pytest


@pytest.fixture(params=["torch", "compat"])
def torch(request):
    return compat if request.param == "compat" else pytest.importorskip("torch")


def module_of(torch, function):
    class Module(torch.nn.Module):
        def forward(self, x):
            return function(x)

    return Module()


def targets(graph):
    return [node.target for node in graph.nodes if node.op == "call_function"]


# ---- module() ----


class Counter:
    """A model that adds to a buffer."""

    @staticmethod
    def make(torch):
        class Model(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.linear = torch.nn.Linear(2, 2)
                self.register_buffer("total", torch.zeros(2))

            def forward(self, x, *, scale):
                self.total.add_(x[0])
                return {"out": self.linear(x) * scale, "kept": [x]}

        return Model(), (torch.ones(3, 2),), {"scale": torch.ones(2)}


def test_the_module_of_a_program_is_a_graph_module_with_the_code_of_torch():
    torch = pytest.importorskip("torch")
    codes = []
    for each in (torch, compat):
        model = each.nn.Sequential(each.nn.Linear(3, 2), each.nn.ReLU())
        module = each.export.export(model, (each.ones(4, 3),)).module()
        assert isinstance(module, each.fx.GraphModule)
        codes.append(module.code.replace('getattr(self, "0")', "self.0").split())

    assert codes[1] == codes[0]


def test_edits_of_the_graph_take_effect_after_recompile(torch):
    module = torch.export.export(module_of(torch, lambda x: x.sin()), (torch.ones(2),)).module()
    (node,) = [node for node in module.graph.nodes if node.name == "sin"]

    node.target = torch.ops.aten.cos.default
    module.recompile()

    assert module(torch.zeros(2)).tolist() == [1.0, 1.0]


def test_the_code_of_a_module_writes_its_buffers(torch):
    model, args, kwargs = Counter.make(torch)
    module = torch.export.export(model, args, kwargs).module()

    first = module(*args, **kwargs)
    module.recompile()
    second = module(*args, **kwargs)

    assert module.total.tolist() == [2.0, 2.0]
    assert torch.equal(first["out"], second["out"])
    assert torch.equal(second["kept"][0], args[0])


def test_the_code_of_a_module_checks_its_arguments(torch):
    module = torch.export.export(module_of(torch, lambda x: x + 1), (torch.ones(2),)).module()
    module.recompile()

    with pytest.raises(AssertionError):
        module(torch.ones(3))


def test_a_module_is_copied():
    model, args, kwargs = Counter.make(compat)
    module = compat.export.export(model, args, kwargs).module()

    for again in (copy.deepcopy(module), pickle.loads(pickle.dumps(module))):
        result = again(*args, **kwargs)["out"]
        assert compat.equal(result, model.linear(args[0]))
        assert again.total.tolist() == [1.0, 1.0]
        assert again.code == module.code
    assert module.total.tolist() == [0.0, 0.0]


# ---- The graph ----


def test_a_number_as_an_operand_is_an_argument_of_the_overload_for_tensors(torch):
    program = torch.export.export(module_of(torch, lambda x: (2 * x + 1 - 3) / 4), (torch.ones(2),))

    assert [each.name() for each in targets(program.graph)] == [
        f"aten::{base}.Tensor" for base in ("mul", "add", "sub", "div")
    ]


def test_conditions_on_numbers_from_data_are_nodes_of_the_graph(torch):
    def function(x):
        n = x.item()
        torch._check(n >= 4)
        torch._check(n <= 7)
        return torch.ones(n)

    program = torch.export.export(module_of(torch, function), (torch.tensor(5),))

    assert program.graph_module.code.count("torch.ops.aten._assert_scalar.default") == 2
    assert tuple(program.module()(torch.tensor(6)).shape) == (6,)
    with pytest.raises(RuntimeError):
        program.module()(torch.tensor(9))


def test_the_code_of_a_module_checks_joined_conditions():
    def function(x):
        n = x.item()
        compat._check(n >= 0)
        compat._check((n <= 4) | (n == 7))
        return compat.ones(n)

    module = compat.export.export(module_of(compat, function), (compat.tensor(2),)).module()
    module.recompile()

    assert tuple(module(compat.tensor(7)).shape) == (7,)
    with pytest.raises(RuntimeError, match=r"Runtime assertion failed for expression .* or "):
        module(compat.tensor(6))


def test_sizes_are_read_with_sym_size(torch):
    dynamic = ({0: torch.export.Dim("n")},)
    program = torch.export.export(
        torch.nn.Flatten(0, 1), (torch.ones(3, 2),), dynamic_shapes=dynamic
    ).run_decompositions({})
    again = torch.export.export(
        module_of(torch, lambda x: x.view(2 * x.shape[0])),
        (torch.ones(3, 2),),
        dynamic_shapes=dynamic,
    )

    assert tuple(program.module()(torch.ones(5, 2)).shape) == (10,)
    assert torch.ops.aten.sym_size.int in targets(again.graph)
    assert operator.mul in targets(again.graph)


def test_branches_of_cond_are_named_modules(torch):
    def function(x):
        return torch.cond(x.sum() > 0, lambda x: x.sin(), lambda x: x.cos(), (x,))

    program = torch.export.export(module_of(torch, function), (torch.ones(2),))

    assert "torch.ops.higher_order.cond" in program.graph_module.code
    assert "aten.sin" in program.graph_module.true_graph_0.code
    assert "aten.cos" in program.graph_module.false_graph_0.code
    assert program.module()(-torch.ones(2)).tolist() == (-torch.ones(2)).cos().tolist()


def test_cond_of_a_condition_on_a_dynamic_size_keeps_both_branches(torch):
    def function(x):
        return torch.cond(x.shape[0] > 4, lambda x: x.sum() * 2, lambda x: x.sum(), (x,))

    dynamic = ({0: torch.export.Dim("n", min=2)},)
    program = torch.export.export(
        module_of(torch, function), (torch.ones(6),), dynamic_shapes=dynamic
    )

    assert program.module()(torch.ones(5)).item() == 10
    assert program.module()(torch.ones(3)).item() == 3


def test_cond_of_a_number_of_found_elements(torch):
    def function(x):
        found = x.nonzero()
        return torch.cond(found.size(0) > 2, lambda y: y.sum() + 1, lambda y: y.sum(), (found,))

    program = torch.export.export(module_of(torch, function), (torch.ones(4),))

    assert program.module()(torch.tensor([1.0, 0, 0, 1])).item() == 3
    assert program.module()(torch.ones(4)).item() == 7


def test_cond_of_a_constant_warns(torch):
    def function(x):
        return torch.cond(True, lambda x: x.sin(), lambda x: x.cos(), (x,))

    with pytest.warns(UserWarning, match="Pred is a Python constant"):
        torch.export.export(module_of(torch, function), (torch.ones(2),))


def test_a_region_without_gradients_is_a_module(torch):
    def function(x):
        with torch.no_grad():
            y = x.sin()
        return y + x

    program = torch.export.export(module_of(torch, function), (torch.ones(2),))

    code = program.graph_module.code
    assert code.count("torch.ops.higher_order.wrap_with_set_grad_enabled") == 1
    x = torch.ones(2, requires_grad=True)
    program.module()(x).sum().backward()
    assert x.grad.tolist() == [1.0, 1.0]


def test_annotations_are_metadata_of_nodes(torch):
    def function(x):
        with torch.fx.traceback.annotate({"stage": 0}):
            x = x + 1
        return x * 2

    with torch.fx.traceback.preserve_node_meta():
        program = torch.export.export(module_of(torch, function), (torch.ones(2),))

    for each in (program, program.run_decompositions()):
        nodes = {node.name: node for node in each.graph.nodes}
        assert nodes["add"].meta["custom"]["stage"] == 0
        assert "stage" not in nodes["mul"].meta.get("custom", {})


def test_a_number_is_a_draw_of_the_plain_operator(torch):
    program = torch.export.export(module_of(torch, lambda x: x + torch.randn(2)), (torch.ones(2),))

    assert "torch.ops.aten.randn.default" in program.graph_module.code
    assert len(program.graph_signature.user_inputs) == 1
    torch.manual_seed(0)
    expected = torch.ones(2) + torch.randn(2)
    torch.manual_seed(0)
    assert torch.equal(program.module()(torch.ones(2)), expected)


# ---- Decompositions ----


def test_the_core_operators_are_those_of_torch(torch):
    model = torch.nn.Linear(3, 2)
    program = torch.export.export(
        module_of(torch, lambda x: x.t().sum() + x.transpose(0, 1).sum()), (torch.ones(2, 2),)
    ).run_decompositions()
    linear = torch.export.export(model, (torch.ones(4, 3),)).run_decompositions()

    assert {each.name() for each in targets(program.graph)} == {
        "aten::permute",
        "aten::sum.dim_IntList",
        "aten::add.Tensor",
    }
    assert [each.name() for each in targets(linear.graph)] == ["aten::permute", "aten::addmm"]


def test_a_given_decomposition_replaces_that_of_a_composite(torch):
    table = torch.export.default_decompositions()
    table[torch.ops.aten.linear.default] = lambda x, weight, bias: x + bias
    program = torch.export.export(torch.nn.Linear(2, 2), (torch.ones(2, 2),))

    decomposed = program.run_decompositions(table)

    assert [each.name() for each in targets(decomposed.graph)] == ["aten::add.Tensor"]


def test_a_removed_operator_has_no_decomposition(torch):
    table = torch.export.default_decompositions()
    table.pop(torch.ops.aten.linear.default)

    with pytest.raises(KeyError, match=r"aten\.linear"):
        table.pop(torch.ops.aten.linear.default)


# ---- Numbers from data ----


def test_a_float_from_data(torch):
    program = torch.export.export(
        module_of(torch, lambda x: -(x.max().item() / 2) + x), (torch.ones(3),)
    )

    x = torch.tensor([1.0, 5.0, 2.0])
    assert program.module()(x).tolist() == (x - 2.5).tolist()


@pytest.mark.parametrize("data", [[3.25], [True]])
def test_a_number_from_data_is_a_result(torch, data):
    program = torch.export.export(module_of(torch, lambda x: x.item()), (torch.tensor(data),))

    result = program.module()(torch.tensor(data))
    assert (result, type(result)) == (data[0], type(data[0]))


def test_a_branch_on_a_bool_from_a_buffer_is_an_error(torch):
    class Module(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("flag", torch.tensor(True))

        def forward(self, x):
            return x + 1 if self.flag.item() else x

    with pytest.raises(RuntimeError):
        torch.export.export(Module(), (torch.ones(2),))


def test_a_number_from_a_buffer_follows_the_buffer(torch):
    class Module(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("scale", torch.tensor(2))

        def forward(self, x):
            return x * self.scale.item()

    module = torch.export.export(Module(), (torch.ones(2),)).module()
    module.load_state_dict({"scale": torch.tensor(5)})

    assert module(torch.ones(2)).tolist() == [5.0, 5.0]


def test_the_greater_of_two_tensors_is_recorded(torch):
    program = torch.export.export(
        module_of(torch, lambda x: max(x, x) + max(x, 5)), (torch.tensor(4),)
    )

    names = [each.name() for each in targets(program.graph)]
    assert names == ["aten::maximum", "aten::clamp", "aten::add.Tensor"]
    assert program.module()(torch.tensor(7)).item() == 14


# Apart, because pytest rewrites the asserts of a test.
ASSERTING = """
def function(x):
    assert x.max().item() > 0, "positive"
    return x + 1
"""


def test_an_assert_on_a_number_from_data_is_checked_when_the_program_runs():
    names = {}
    exec(ASSERTING, names)
    module = module_of(compat, names["function"])
    program = compat.export.export(module, (compat.tensor([1, 2]),))

    assert program.module()(compat.tensor([3, -4])).tolist() == [4, -3]
    with pytest.raises(RuntimeError, match="an assert statement of the function does not hold"):
        program.module()(compat.tensor([-3, -4]))


def test_other_branches_on_a_number_from_data_are_an_error(torch):
    def function(x):
        return x + 1 if x.max().item() > 0 else x

    with pytest.raises(RuntimeError):
        torch.export.export(module_of(torch, function), (torch.tensor([1, 2]),))


# ---- Attributes and shapes ----


def test_a_tensor_that_is_set_as_an_attribute_is_lost_with_a_warning(torch):
    class Module(torch.nn.Module):
        def forward(self, x):
            self.last = x.sum()
            return x + 2

    with pytest.warns(UserWarning, match="The tensor attribute self.last was assigned during"):
        program = torch.export.export(Module(), (torch.ones(2),))
    assert program.module()(torch.ones(2)).tolist() == [3.0, 3.0]


def test_equal_sizes_have_one_range(torch):
    class Module(torch.nn.Module):
        def forward(self, x, y):
            return x + y

    dynamic = ((torch.export.Dim.DYNAMIC,), (torch.export.Dim.DYNAMIC,))
    program = torch.export.export(Module(), (torch.ones(4), torch.ones(4)), dynamic_shapes=dynamic)

    assert len(program.range_constraints) == 1


def test_keyword_arguments_are_inputs_in_the_order_of_the_call(torch):
    class Module(torch.nn.Module):
        def forward(self, a, b, c):
            return a - b + c

    kwargs = {"c": torch.ones(2), "b": torch.zeros(2)}
    program = torch.export.export(Module(), (torch.ones(2),), kwargs)

    assert program.graph_signature.user_inputs == ("a", "c", "b")
    assert program.module()(torch.ones(2), **kwargs).tolist() == [2.0, 2.0]


# ---- unflatten ----


def test_a_module_of_a_tree_has_its_part_of_the_graph():
    torch = pytest.importorskip("torch")
    texts = []
    for each in (torch, compat):
        model = each.nn.Sequential(each.nn.Linear(3, 2), each.nn.ReLU())
        tree = each.export.unflatten(each.export.export(model, (each.ones(4, 3),)))
        texts.append([str(getattr(tree, name).graph) for name in ("0", "1")])

    assert texts[1] == texts[0]


def test_a_tree_of_modules_draws_random_numbers(torch):
    model = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.Dropout(0.5), torch.nn.ReLU())
    tree = torch.export.unflatten(torch.export.export(model, (torch.ones(4, 3),)))
    x = torch.ones(4, 3)

    torch.manual_seed(0)
    expected = model(x)
    torch.manual_seed(0)
    assert torch.equal(tree(x), expected)


def test_the_fixed_size_of_an_example_may_have_bounds(torch):
    fixed = torch.export.Dim.STATIC
    model = module_of(torch, lambda x: x + 1)

    torch.export.export(model, (torch.ones(4),), dynamic_shapes=((fixed(min=2, max=8),),))
    with pytest.raises(ValueError, match="4"):
        torch.export.export(model, (torch.ones(4),), dynamic_shapes=((fixed(min=6, max=8),),))


def test_an_overload_for_tensors_takes_a_number(torch):
    x = torch.tensor([5.0, 7.0])

    assert torch.ops.aten.add.Tensor(x, 2, alpha=3).tolist() == [11.0, 13.0]
    assert torch.ops.aten.div.Tensor_mode(x, 2, rounding_mode="floor").tolist() == [2.0, 3.0]
    with pytest.raises((TypeError, RuntimeError)):
        torch.ops.aten.mm.default(x, 2)


def test_compile_inside_an_export_is_ignored_with_a_warning(torch):
    def function(x):
        return torch.compile(lambda y: y.sin())(x) + x

    with pytest.warns(UserWarning, match=r"torch\.compile is ignored"):
        program = torch.export.export(module_of(torch, function), (torch.ones(2),))

    assert "sin" in program.graph_module.code


def test_metadata_of_nodes_survives_decompositions():
    program = compat.export.export(compat.nn.Linear(2, 2), (compat.ones(1, 2),))
    for node in program.graph.nodes:
        node.meta["custom"] = {"part": "head"}

    decomposed = program.run_decompositions()

    assert all(node.meta["custom"] == {"part": "head"} for node in decomposed.graph.nodes)


def test_calls_of_a_module_made_in_forward_belong_to_its_caller(torch):
    class Inner(torch.nn.Module):
        def forward(self, x):
            return x.sin()

    program = torch.export.export(module_of(torch, lambda x: Inner()(x)), (torch.ones(2),))

    (node,) = [node for node in program.graph.nodes if node.op == "call_function"]
    ((path, kind),) = node.meta["nn_module_stack"].values()
    assert (path, kind.rpartition(".")[2]) == ("", "Module")


def test_calls_of_a_shared_module_have_the_names_that_sequential_has(torch):
    relu = torch.nn.ReLU()
    model = torch.nn.Sequential(relu, torch.nn.Tanh(), relu)
    program = torch.export.export(model, (torch.ones(2),))

    paths = [
        [*node.meta["nn_module_stack"].values()][-1][0]
        for node in program.graph.nodes
        if node.op == "call_function"
    ]
    assert paths == ["0", "1", "2"]


def test_a_constant_has_all_its_paths(torch):
    class Holder(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.table = torch.ones(2)
            self.inner = torch.nn.Module()
            self.inner.table = self.table

        def forward(self, x):
            return x + self.table + self.inner.table

    program = torch.export.export(Holder(), (torch.ones(2),))

    assert sorted(program.constants) == ["inner.table", "table"]


def test_operators_of_a_namespace_can_be_listed(torch):
    assert "aten" not in set(torch.ops.nothing_here)

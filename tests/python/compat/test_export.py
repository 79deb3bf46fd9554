"""torch.export: the same models exported by PyTorch, the referee, and by compat."""

import copy
import dataclasses
import importlib
import io

import opwright.compat.torch as compat
import pytest


@pytest.fixture(params=["torch", "compat"])
def torch(request):
    return compat if request.param == "compat" else pytest.importorskip("torch")


def linear(torch):
    return torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.ReLU()), (torch.ones(4, 3),)


def counter(torch):
    class Counter(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("count", torch.zeros(3))

        def forward(self, x):
            self.count.add_(x)
            return x.sin(), self.count

    return Counter(), (torch.ones(3),)


def writer(torch):
    class Writer(torch.nn.Module):
        def forward(self, x, y):
            x.mul_(y)
            return x.cos(), 5

    return Writer(), (torch.ones(3), torch.ones(3))


def constant(torch):
    class Constant(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = torch.nn.Module()
            self.inner.table = torch.ones(3)

        def forward(self, pair, *, mode):
            return {"sum": pair[0] + pair[1] * self.inner.table}

    return Constant(), ([torch.ones(3), torch.ones(3)],), {"mode": "fast"}


@pytest.mark.parametrize("model", [linear, counter, writer, constant])
def test_the_code_of_the_graph_is_that_of_torch(model):
    torch = pytest.importorskip("torch")

    # A graph of ours has no writes from the start.
    expected = torch.export.export(*model(torch)).run_decompositions({}).graph_module.code.split()
    actual = compat.export.export(*model(compat)).graph_module.code.split()

    assert actual == expected


@pytest.mark.parametrize("model", [linear, counter, writer, constant])
def test_the_signature_is_that_of_torch(model):
    torch = pytest.importorskip("torch")
    state = ["parameters", "buffers", "inputs_to_parameters", "inputs_to_buffers"]
    written = ["buffers_to_mutate", "user_inputs_to_mutate"]
    names = ["user_inputs", "user_outputs", "inputs_to_lifted_tensor_constants", *state, *written]

    expected = torch.export.export(*model(torch)).run_decompositions({}).graph_signature
    actual = compat.export.export(*model(compat)).graph_signature

    for name in names:
        assert getattr(actual, name) == getattr(expected, name), name


def test_modules_in_which_a_call_was_made_are_known(torch):
    class Inner(torch.nn.Module):
        def forward(self, x):
            return x.sin()

    model = torch.nn.Sequential(torch.nn.Sequential(Inner()))
    program = torch.export.export(model, (torch.ones(2),))

    (node,) = [node for node in program.graph.nodes if node.op == "call_function"]
    stack = list(node.meta["nn_module_stack"].values())
    assert [path for path, _ in stack] == ["", "0", "0.0"]
    assert stack[-1][1].endswith("Inner")


def test_the_graph_module_runs_with_the_state_as_arguments(torch):
    model, args = linear(torch)
    program = torch.export.export(model, args)

    results = program.graph_module(*program.parameters(), *args)

    assert torch.allclose(results[0], model(*args))


def test_operators_are_decomposed_on_request(torch):
    model, args = linear(torch)
    program = torch.export.export(model, args)
    table = torch.export.default_decompositions()
    del table[torch.ops.aten.linear.default]

    kept = program.run_decompositions(table)
    taken_apart = program.run_decompositions()

    assert "aten.linear" in kept.graph_module.code
    assert "aten.addmm" in taken_apart.graph_module.code
    assert torch.allclose(taken_apart.module()(*args), model(*args))


def test_a_program_is_copied_and_saved(torch):
    model, args = linear(torch)
    program = torch.export.export(model, args)
    file = io.BytesIO()
    torch.export.save(program, file)
    file.seek(0)

    for again in (torch.export.load(file), copy.deepcopy(program)):
        assert torch.allclose(again.module()(*args), model(*args))
        assert again.graph_signature.parameters == program.graph_signature.parameters


def test_a_dataclass_is_registered_before_it_is_an_argument(torch):
    @dataclasses.dataclass
    class Pair:
        x: torch.Tensor
        y: torch.Tensor

    class Module(torch.nn.Module):
        def forward(self, pair):
            return pair.x + pair.y

    torch.export.register_dataclass(Pair)
    program = torch.export.export(Module(), (Pair(torch.ones(2), torch.ones(2)),))

    assert program.module()(Pair(torch.ones(2), torch.zeros(2))).tolist() == [1.0, 1.0]


def test_what_differs_between_calls_is_dynamic(torch):
    class Module(torch.nn.Module):
        def forward(self, x, n):
            return x + n

    others = torch.export.AdditionalInputs()
    others.add((torch.ones(5, 3), 7))
    program = torch.export.export(Module(), (torch.ones(4, 3), 2), dynamic_shapes=others)

    assert tuple(program.module()(torch.ones(6, 3), 9).shape) == (6, 3)
    with pytest.raises(AssertionError):
        program.module()(torch.ones(6, 4), 9)


def test_example_inputs_can_be_set(torch):
    model, args = linear(torch)
    program = torch.export.export(model, args)

    program.example_inputs = ((torch.zeros(4, 3),), {})

    assert program.example_inputs[0][0].sum().item() == 0
    with pytest.raises(ValueError, match="tuple"):
        program.example_inputs = (torch.zeros(4, 3),)


@pytest.mark.parametrize("function", [min, max])
def test_the_least_and_greatest_of_a_number_from_data(torch, function):
    class Module(torch.nn.Module):
        def forward(self, x):
            return torch.ones(4) * __builtins__[function.__name__](x.item(), 3)

    program = torch.export.export(Module(), (torch.tensor(5),))

    for number in (2, 7):
        result = program.module()(torch.tensor(number))
        assert result.tolist() == [float(function(number, 3))] * 4
    assert max(2, 3) == 3


def test_a_slice_up_to_a_tensor(torch):
    class Module(torch.nn.Module):
        def forward(self, x, end):
            return x[:end].sum()

    program = torch.export.export(Module(), (torch.arange(6), torch.tensor(2)))

    assert program.module()(torch.arange(6), torch.tensor(4)).item() == 6


def test_a_node_knows_its_line(torch):
    class Module(torch.nn.Module):
        def forward(self, x):
            return x.sin() * 2

    program = torch.export.export(Module(), (torch.ones(2),))

    (node,) = [node for node in program.graph.nodes if node.name == "sin"]
    assert "test_export.py" in node.meta["stack_trace"]
    assert "return x.sin() * 2" in node.meta["stack_trace"]


def test_an_exported_graph_module_keeps_the_lines_of_its_nodes(torch):
    make_fx = importlib.import_module(f"{torch.__name__}.fx.experimental.proxy_tensor").make_fx

    class Module(torch.nn.Module):
        def forward(self, x):
            y = x.sin()  # the traced line
            return y * 2

    traced = make_fx(Module(), record_stack_traces=True)(torch.ones(2))
    program = torch.export.export(traced, (torch.ones(2),))

    (node,) = [node for node in program.graph.nodes if node.name == "sin"]
    assert "y = x.sin()" in node.meta["stack_trace"]
    assert "test_export.py" in node.meta["stack_trace"]


def test_a_handler_of_torchs_errors_sees_a_refused_export(torch):
    class Module(torch.nn.Module):
        def forward(self, x):
            return x @ torch.ones(4)

    shapes = ({0: torch.export.Dim.DYNAMIC},)

    with pytest.raises(torch._dynamo.exc.UserError, match=r"Dim\.DYNAMIC"):
        torch.export.export(Module(), (torch.ones(4),), dynamic_shapes=shapes)


def test_map_calls_a_function_with_each_slice(torch):
    mapped = importlib.import_module(f"{torch.__name__}._higher_order_ops").map

    class Module(torch.nn.Module):
        def forward(self, xs, y):
            return mapped(lambda x, y: {"product": x["a"] * y, "sum": x["a"].sum()}, {"a": xs}, y)

    args = (torch.tensor([[1.0, 2.0], [3.0, 4.0]]), torch.tensor([1.0, 10.0]))
    program = torch.export.export(Module(), args, dynamic_shapes=({0: torch.export.Dim("n")}, None))

    found = program.module()(torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), args[1])
    assert found["product"].tolist() == [[1.0, 20.0], [3.0, 40.0], [5.0, 60.0]]
    assert found["sum"].tolist() == [3.0, 7.0, 11.0]


def test_the_number_of_bins_may_be_data(torch):
    class Bins(torch.nn.Module):
        def forward(self, counts):
            count, least = counts.tolist()
            return torch.bincount(torch.ones(count, dtype=torch.int64), minlength=least)

    program = torch.export.export(Bins(), (torch.tensor([20, 10]),))

    assert program.module()(torch.tensor([5, 3])).tolist() == [0, 5, 0]
    assert program.module()(torch.tensor([4, 1])).tolist() == [0, 4]


def test_the_lesser_of_two_numbers_is_a_node(torch):
    class Kth(torch.nn.Module):
        def forward(self, x, k):
            return x.kthvalue(min(k.item(), 128), dim=0, keepdim=True).values

    program = torch.export.export(Kth(), (torch.arange(64), torch.tensor([32])))

    assert "torch.sym_min" in str(program.graph)
    assert program.module()(torch.arange(64), torch.tensor([32])).tolist() == [31]

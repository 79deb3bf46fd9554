"""Programs as trees of modules; each test runs with PyTorch, the referee, and with compat."""

import opwright
import opwright.compat.torch as compat
import pytest
from opwright import nn
from opwright.export import export, unflatten


@pytest.fixture(params=["torch", "compat"])
def torch(request):
    return compat if request.param == "compat" else pytest.importorskip("torch")


def switch_of(torch):
    class Switch(torch.nn.Module):
        def forward(self, x, is_on):
            return x + 1 if is_on else x + 2

    return Switch()


def twice_of(torch):
    class Twice(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.n = switch_of(torch)

        def forward(self, x):
            return self.n(self.n(x + 3, True) * 4, False) - 5

    return Twice()


def counting_of(torch):
    class Counter(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("count", torch.zeros(1))

        def forward(self, x):
            self.count.add_(1)
            return x * 2

    class Reader(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.counter = Counter()

        def forward(self, x):
            x = self.counter(x) + self.counter.count
            return self.counter(x) + self.counter.count

    return Reader(), Counter


def test_the_tree_computes_what_the_program_computes(torch):
    model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU(), torch.nn.Linear(4, 2))
    x = torch.randn(5, 3)

    tree = torch.export.unflatten(torch.export.export(model, (x,)))

    assert torch.allclose(tree(x), model(x))
    assert [name for name, _ in tree.named_parameters()] == [
        name for name, _ in model.named_parameters()
    ]


def test_the_tree_trains(torch):
    model = torch.nn.Sequential(torch.nn.Linear(3, 2))
    x = torch.randn(5, 3)
    tree = torch.export.unflatten(torch.export.export(model, (x,)))

    tree(x).sum().backward()
    model(x).sum().backward()

    actual = dict(tree.named_parameters())["0.weight"].grad
    assert torch.allclose(actual, model[0].weight.grad)


def test_each_call_of_a_module_has_a_path_of_its_own(torch):
    x = torch.ones(2)

    tree = torch.export.unflatten(torch.export.export(twice_of(torch), (x,)))

    assert tree(x).tolist() == twice_of(torch)(x).tolist()
    assert "n@1" in dict(tree.named_modules())


def test_a_replaced_call_gets_the_tensors_that_the_call_used(torch):
    class Zero(torch.nn.Module):
        def forward(self, x):
            return x * 0

    x = torch.ones(2)
    tree = torch.export.unflatten(torch.export.export(twice_of(torch), (x,)))

    tree.set_submodule("n@1", Zero())

    assert tree(x).tolist() == [-5.0, -5.0]


def test_a_module_with_a_preserved_signature_is_called_as_in_the_function(torch):
    class Other(torch.nn.Module):
        def forward(self, x, is_on):
            return x * 10 if is_on else x * 100

    x = torch.ones(2)
    options = {"preserve_module_call_signature": ("n",)}
    tree = torch.export.unflatten(torch.export.export(twice_of(torch), (x,), **options))
    assert tree(x).tolist() == twice_of(torch)(x).tolist()

    tree.set_submodule("n", Other())

    assert tree(x).tolist() == [16000 - 5.0] * 2


def test_a_replaced_module_keeps_its_own_buffers(torch):
    x = torch.ones(1)
    model, counter_type = counting_of(torch)
    expected = counting_of(torch)[0](x).tolist()
    options = {"preserve_module_call_signature": ("counter",)}
    tree = torch.export.unflatten(torch.export.export(model, (x,), **options))
    assert tree(x).tolist() == expected

    tree.set_submodule("counter", counter_type())

    assert tree(x).tolist() == expected


def test_a_replaced_module_may_write_its_argument(torch):
    class Child(torch.nn.Module):
        def forward(self, x):
            return x.add_(3) - 2

    class Parent(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.child = Child()

        def forward(self, x):
            return self.child(x) + x * 4

    options = {"preserve_module_call_signature": ("child",)}
    program = torch.export.export(Parent(), (torch.ones(2),), **options)
    tree = torch.export.unflatten(program)
    tree.set_submodule("child", Child())

    assert tree(torch.ones(2)).tolist() == Parent()(torch.ones(2)).tolist()


def test_sizes_are_computed_from_those_of_the_call(torch):
    class Pad(torch.nn.Module):
        def forward(self, x):
            return torch.cat([x, torch.zeros(2 * x.shape[0] - 1)])

    model = torch.nn.Sequential(Pad(), Pad())
    shapes = ({0: torch.export.Dim("n", min=2)},)
    program = torch.export.export(model, (torch.ones(4),), dynamic_shapes=shapes)

    tree = torch.export.unflatten(program)

    assert tree(torch.ones(3)).tolist() == model(torch.ones(3)).tolist()


def test_the_tree_checks_its_arguments():
    tree = unflatten(export(opwright.nn.ReLU(), (opwright.ones(2),)))

    with pytest.raises(ValueError, match="dimension 0 of the argument 'input' must be 2, got 3"):
        tree(opwright.ones(3))


def test_a_replaced_call_must_return_what_others_use():
    model, _ = counting_of(opwright)
    tree = unflatten(export(model, (opwright.ones(1),)))

    class Other(opwright.nn.Module):
        def forward(self, *values):
            return values[0]

    tree.set_submodule("counter", Other())

    message = "the module at 'counter' must return 2 values for add, mul, got 1; with its path in"
    with pytest.raises(ValueError, match=message):
        tree(opwright.ones(1))


class Noise(nn.Module):
    def forward(self, x):
        return x + opwright.rand(2)


def test_a_tree_draws_the_random_numbers_of_the_program():
    model = nn.Sequential(Noise(), nn.ReLU(), Noise())
    program = export(model, (opwright.ones(2),))
    tree = unflatten(program)

    opwright.manual_seed(0)
    expected = model(opwright.ones(2))
    opwright.manual_seed(0)
    assert opwright.equal(tree(opwright.ones(2)), expected)
    opwright.manual_seed(0)
    assert opwright.equal(program(opwright.ones(2)), expected)


def test_a_module_that_replaces_another_draws_from_the_same_generator():
    model = nn.Sequential(Noise(), nn.ReLU(), Noise())
    tree = unflatten(export(model, (opwright.ones(2),), preserve_module_call_signature=("0",)))
    tree.set_submodule("0", Noise())

    opwright.manual_seed(0)
    expected = model(opwright.ones(2))
    opwright.manual_seed(0)
    assert opwright.equal(tree(opwright.ones(2)), expected)

"""The modules that an exported function calls: nodes have the path of the call."""

import opwright
import opwright.compat.torch as compat
import pytest


@pytest.fixture(params=["torch", "compat"])
def torch(request):
    return compat if request.param == "compat" else pytest.importorskip("torch")


def shared_of(torch):
    """Return a module that holds another one under two names and calls it under both."""

    class Step(torch.nn.Module):
        def forward(self, x, is_on):
            return x + 1 if is_on else x * 2

    class Shared(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.first = Step()
            self.second = self.first

        def forward(self, x):
            x = self.first(x, True)
            x = self.second(x, False)
            return self.first(x, False)

    return Shared()


def paths_of(program):
    calls = [node for node in program.graph.nodes if node.op == "call_function"]
    paths = [list(node.meta["nn_module_stack"].values())[-1][0] for node in calls]
    return [path.partition("@")[0] for path in paths]  # of the module: not which of its calls


def test_a_module_with_two_names_has_the_one_that_was_called(torch):
    program = torch.export.export(shared_of(torch), (torch.ones(2),))

    assert paths_of(program) == ["first", "second", "first"]


def test_a_tree_of_a_module_with_two_names_computes_the_same(torch):
    model = shared_of(torch)
    x = torch.ones(2)

    tree = torch.export.unflatten(torch.export.export(model, (x,)))

    assert tree(x).tolist() == model(x).tolist() == [8.0, 8.0]


def test_names_are_noted_only_while_calls_are_recorded():
    model = shared_of(compat)
    compat.export.export(model, (compat.ones(2),))
    opwright.make_fx(model)(opwright.ones(2))

    from opwright.nn import traced_call

    assert traced_call.num_recorders == 0
    assert not traced_call._callers.names_read

"""Sequential, lists and dicts of modules and parameters."""

from collections import OrderedDict

import opwright as ow
import pytest
import torch
from opwright import nn


def names_of(module):
    return [type(each).__name__ for each in module]


def test_sequential_takes_names_from_an_ordered_dict():
    model = nn.Sequential(OrderedDict(first=nn.ReLU(), second=nn.Tanh()))

    assert repr(model.second) == "Tanh()"
    assert repr(model[:1]) == "Sequential(\n  (first): ReLU()\n)"


def test_sequential_is_indexed_and_sliced_like_a_list():
    model = nn.Sequential(nn.ReLU(), nn.Tanh(), nn.Sigmoid())

    assert names_of(model[1:]) == ["Tanh", "Sigmoid"]
    assert repr(model[-1]) == "Sigmoid()"
    assert len(model) == 3
    with pytest.raises(IndexError, match="index 3 is out of range for 3 modules"):
        model[3]


def test_sequential_is_changed_like_a_list():
    model = nn.Sequential(nn.ReLU(), nn.Tanh())

    model.append(nn.GELU()).insert(0, nn.Identity())
    model.extend([nn.SiLU()])
    model[1] = nn.ELU()
    del model[2]
    popped = model.pop(0)

    assert repr(popped) == "Identity()"
    assert names_of(model) == ["ELU", "GELU", "SiLU"]
    assert [name for name, _ in model.named_children()] == ["0", "1", "2"]


def test_sequentials_are_added_and_repeated():
    model = nn.Sequential(nn.ReLU()) + nn.Sequential(nn.Tanh())

    assert names_of(model * 2) == ["ReLU", "Tanh", "ReLU", "Tanh"]


@pytest.mark.parametrize("make", [lambda: nn.Sequential(3), lambda: nn.ModuleList([3])])
def test_something_else_than_a_module_is_refused(make):
    with pytest.raises(TypeError, match=r"got int"):
        make()


def test_a_list_of_modules_is_changed_like_a_list():
    modules = nn.ModuleList([nn.ReLU(), nn.Tanh()])

    modules.insert(1, nn.GELU())
    modules += [nn.ELU()]
    del modules[0]
    last = modules.pop(-1)

    assert repr(last) == "ELU(alpha=1.0)"
    assert names_of(modules) == ["GELU", "Tanh"]
    assert names_of(modules + nn.ModuleList([nn.SiLU()])) == ["GELU", "Tanh", "SiLU"]
    assert isinstance(modules[:1], nn.ModuleList)
    assert [name for name, _ in modules.named_children()] == ["0", "1"]


def test_the_text_of_a_list_shows_equal_neighbours_once():
    def make(library):
        layers = [library.LayerNorm(3) for _ in range(3)]
        return library.ModuleList([library.ReLU(), *layers, library.Sequential(library.ReLU())])

    assert repr(make(nn)) == repr(make(torch.nn))


def test_the_text_of_nested_modules_is_that_of_torch():
    def make(library):
        return library.ModuleDict(
            {
                "body": library.Sequential(library.Flatten(), library.Sequential(library.ReLU())),
                "empty": library.Sequential(),
                "head": library.ModuleList([]),
            }
        )

    assert repr(make(nn)) == repr(make(torch.nn))


def test_a_dict_of_modules_is_used_like_a_dict():
    modules = nn.ModuleDict([("a", nn.ReLU()), ("b", nn.Tanh())])

    modules.update({"c": nn.GELU()})
    popped = modules.pop("a")
    del modules["b"]

    assert repr(popped) == "ReLU()"
    assert list(modules.keys()) == ["c"]
    assert [name for name, _ in modules.items()] == ["c"]
    assert names_of(modules.values()) == ["GELU"]
    assert "c" in modules
    assert len(modules) == 1


def test_a_list_of_parameters_makes_parameters_of_tensors():
    parameters = nn.ParameterList([ow.ones(2), nn.Parameter(ow.zeros(3))])

    parameters.append(ow.ones(1))
    parameters[0] = ow.zeros(4)

    assert [tuple(each.shape) for each in parameters.parameters()] == [(4,), (3,), (1,)]
    assert list(parameters.state_dict()) == ["0", "1", "2"]
    assert len(parameters[1:]) == 2


def test_a_dict_of_parameters_is_used_like_a_dict():
    parameters = nn.ParameterDict({"a": ow.ones(2)})

    parameters["b"] = ow.zeros(3)
    popped = parameters.pop("a")

    assert popped.tolist() == [1.0, 1.0]
    assert list(parameters) == ["b"]
    assert list(parameters.state_dict()) == ["b"]
    with pytest.raises(KeyError, match="missing"):
        parameters["missing"]


def test_the_text_of_parameters_is_that_of_torch():
    ours = nn.ParameterList([ow.ones(2, 3), ow.ones(1)])
    theirs = torch.nn.ParameterList([torch.ones(2, 3), torch.ones(1)])

    assert repr(ours) == repr(theirs).replace("torch.", "opwright.")

"""The attribute epoch of a module moves with all that its forward pass may see."""

import copy
from collections.abc import Callable

import opwright as ow
import pytest
from opwright import nn


def make():
    model = nn.Sequential(nn.LayerNorm(2), nn.ReLU())
    model.register_buffer("mean", ow.zeros(2))
    model.scale = 1.0
    return model


def replace_child(model):
    model[0] = nn.Identity()


CHANGES: dict[str, Callable] = {
    "an attribute is set": lambda m: setattr(m, "scale", 2.0),
    "an attribute is deleted": lambda m: delattr(m, "scale"),
    "a parameter is set": lambda m: setattr(m, "bias", nn.Parameter(ow.ones(1))),
    "a parameter is registered": lambda m: m.register_parameter("bias", None),
    "a buffer is set": lambda m: setattr(m, "mean", ow.ones(2)),
    "a buffer is registered": lambda m: m.register_buffer("variance", ow.ones(2)),
    "a buffer is deleted": lambda m: delattr(m, "mean"),
    "a module is added": lambda m: m.add_module("tail", nn.ReLU()),
    "a module is set": lambda m: setattr(m, "tail", nn.ReLU()),
    "a module is appended": lambda m: m.append(nn.ReLU()),
    "a module is inserted": lambda m: m.insert(0, nn.ReLU()),
    "a module is replaced": replace_child,
    "a module is removed": lambda m: m.pop(0),
    "a module is deleted": lambda m: m.__delitem__(0),
    "a state is loaded": lambda m: m.load_state_dict(m.state_dict()),
    "training is switched on": lambda m: m.train(),
    "training is switched off": lambda m: m.eval(),
    "the dtype is changed": lambda m: m.double(),
    "a hook is added": lambda m: m.register_forward_hook(lambda *_: None),
    "a pre-hook is added": lambda m: m.register_forward_pre_hook(lambda *_: None),
}


@pytest.mark.parametrize("change", CHANGES)
def test_it_is_raised_when(change):
    model = make()
    before = model._attribute_epoch

    CHANGES[change](model)

    assert model._attribute_epoch > before


@pytest.mark.parametrize(
    "change", ["a state is loaded", "training is switched off", "the dtype is changed"]
)
def test_it_is_raised_in_children_too_when(change):
    model = make()
    before = [module._attribute_epoch for module in model.modules()]

    CHANGES[change](model)

    after = [module._attribute_epoch for module in model.modules()]
    assert all(new > old for new, old in zip(after, before, strict=True))


def test_it_is_raised_when_a_hook_is_removed():
    model = make()
    handle = model.register_forward_hook(lambda *_: None)
    before = model._attribute_epoch

    handle.remove()

    assert model._attribute_epoch > before


def test_it_is_raised_when_a_dict_of_modules_changes():
    modules = nn.ModuleDict({"a": nn.ReLU()})
    epochs = [modules._attribute_epoch]

    modules["b"] = nn.ReLU()
    epochs.append(modules._attribute_epoch)
    modules.pop("a")
    epochs.append(modules._attribute_epoch)
    modules.clear()
    epochs.append(modules._attribute_epoch)

    assert epochs == sorted(set(epochs))


def test_it_is_raised_when_a_list_of_parameters_changes():
    parameters = nn.ParameterList([ow.ones(1)])
    before = parameters._attribute_epoch

    parameters[0] = ow.zeros(1)

    assert parameters._attribute_epoch > before


def test_a_change_of_a_child_is_told_by_the_child():
    model = make()
    before = model[1]._attribute_epoch

    model[1].inplace = True

    assert model[1]._attribute_epoch > before


def test_a_pass_and_a_look_leave_it_as_it_is():
    model = make().eval()
    before = model._attribute_epoch

    model(ow.ones(2))
    model.state_dict()
    repr(model)

    assert model._attribute_epoch == before


def test_no_two_modules_have_the_same():
    model = make()
    twin = copy.deepcopy(model)
    modules = [*model.modules(), *twin.modules()]

    assert len({module._attribute_epoch for module in modules}) == len(modules)

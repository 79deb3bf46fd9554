"""Hooks around state_dict and load_state_dict, extra state, and states of older classes."""

import gc

import opwright as ow
import opwright.compat.torch as compat
import pytest
import torch
from opwright import nn


def saved_with_hooks(library):
    seen = []
    model = library.nn.Sequential(library.nn.Linear(1, 1))
    model[0].register_state_dict_pre_hook(
        lambda module, prefix, keep_vars: seen.append((prefix, keep_vars))
    )

    def add(module, state, prefix, metadata):
        state[prefix + "note"] = metadata["version"]

    model[0].register_state_dict_post_hook(add)
    state = model.state_dict()
    return seen, list(state), state["0.note"], dict(state._metadata)


def loaded_with_hooks(library):
    seen = []
    model = library.nn.Sequential(library.nn.Linear(1, 1, bias=False))

    def rename(module, state, prefix, *rest):
        seen.append(prefix)
        state[prefix + "weight"] = state.pop(prefix + "w")

    model[0].register_load_state_dict_pre_hook(rename)
    model.register_load_state_dict_post_hook(
        lambda module, keys: seen.append((list(keys.missing_keys), list(keys.unexpected_keys)))
    )
    model.load_state_dict({"0.w": library.full((1, 1), 5.0), "more": library.ones(1)}, strict=False)
    return seen, model[0].weight.item()


def extra_state(library):
    class Named(library.nn.Module):
        name = "first"

        def get_extra_state(self):
            return self.name

        def set_extra_state(self, state):
            self.name = state

    model = library.nn.Sequential(Named())
    state = model.state_dict()
    state["0._extra_state"] = "second"
    model.load_state_dict(state)
    return list(state), model[0].name


def own_saving(library):
    class Shifted(library.nn.Module):
        def __init__(self):
            super().__init__()
            self.value = library.nn.Parameter(library.ones(1))

        def _save_to_state_dict(self, destination, prefix, keep_vars):
            destination[prefix + "shifted"] = self.value.detach() + 1

        def _load_from_state_dict(self, state, prefix, *rest):
            self.value.data.copy_(state[prefix + "shifted"] - 1)

    model = library.nn.Sequential(Shifted())
    state = model.state_dict()
    state["0.shifted"] = library.full((1,), 9.0)
    model.load_state_dict(state)
    return list(state), model[0].value.item()


@pytest.mark.parametrize("program", [saved_with_hooks, loaded_with_hooks, extra_state, own_saving])
def test_states_and_hooks_are_those_of_torch(program):
    assert program(compat) == program(torch)


def test_a_post_hook_may_forgive_missing_keys():
    layer = nn.Linear(1, 1)
    layer.register_load_state_dict_post_hook(lambda module, keys: keys.missing_keys.clear())

    layer.load_state_dict({"weight": ow.full((1, 1), 5.0)})

    assert layer.weight.item() == 5.0


def test_a_post_hook_of_state_dict_returns_nothing():
    layer = nn.Identity()
    layer.register_state_dict_post_hook(lambda *_: {})

    with pytest.raises(RuntimeError, match="state_dict post-hook must return None"):
        layer.state_dict()


def test_a_state_from_before_the_count_of_batches_loads():
    norm = nn.BatchNorm1d(2)
    state = norm.state_dict()
    del state["num_batches_tracked"]
    state._metadata[""]["version"] = 1

    norm(ow.ones(3, 2))
    norm.load_state_dict(state)

    assert norm.num_batches_tracked.item() == 1


def test_a_state_from_before_the_count_of_batches_loads_into_a_module_on_meta():
    state = nn.BatchNorm1d(2).state_dict()
    del state["num_batches_tracked"]
    state._metadata[""]["version"] = 1
    norm = nn.BatchNorm1d(2, device="meta")

    norm.load_state_dict(state, assign=True)

    assert norm.num_batches_tracked.item() == 0


def test_a_state_on_meta_is_replaced_only_with_assign():
    layer = nn.Linear(2, 1, device="meta")
    state = nn.Linear(2, 1).state_dict()

    with pytest.warns(UserWarning, match="for weight: copying from a non-meta parameter"):
        layer.load_state_dict(state)
    layer.load_state_dict(state, assign=True)

    assert layer.weight.device.type == "cpu"


def test_loading_a_state_leaves_no_garbage():
    model = nn.LSTM(2, 2, bidirectional=True)
    state = model.state_dict()
    gc.collect()

    model.load_state_dict(state)

    assert gc.collect() == 0

"""The state of optimizers: against torch, in state dicts, in files, in copies."""

import copy
import io
import pickle
import re
from collections import defaultdict

import numpy as np
import opwright as ow
import pytest
import torch

from .test_optimizers import ADAM, COMPLEX, SGD, Twins, from_ours

# One of each class, with settings that fill its state.
EACH = {
    "SGD": {"lr": 0.1, "momentum": 0.9},
    "Adam": {"lr": 0.02, "amsgrad": True},
    "AdamW": {"lr": 0.02},
    "RMSprop": {"lr": 0.02, "momentum": 0.5, "centered": True},
    "Adagrad": {"lr": 0.02},
    "Adadelta": {"lr": 0.5},
    "Adamax": {"lr": 0.02},
    "NAdam": {"lr": 0.02},
    "RAdam": {"lr": 0.02},
    "Rprop": {"lr": 0.02},
    "ASGD": {"lr": 0.02, "t0": 2},
    "Adafactor": {"lr": 0.02},
    "Muon": {"lr": 0.02},
    "LBFGS": {"lr": 0.1, "max_iter": 2},
}


def map_state(state_dict, function, kind):
    """Return a state dict with its tensors converted to the other package."""
    state = {
        number: {key: function(v) if isinstance(v, kind) else v for key, v in own.items()}
        for number, own in state_dict["state"].items()
    }
    return {"state": state, "param_groups": state_dict["param_groups"]}


@pytest.mark.parametrize("name", dict(COMPLEX))
def test_a_loaded_state_of_complex_parameters_keeps_its_dtypes(name):
    value = np.random.default_rng(0).standard_normal((4, 2)).view(np.complex128)[..., 0]

    def run(library):
        parameters = [library.nn.Parameter(library.tensor(value)) for _ in range(2)]
        first, second = (getattr(library.optim, name)([each], lr=0.02) for each in parameters)
        parameters[0].grad = library.tensor(value)
        first.step()
        second.load_state_dict(first.state_dict())
        parameters[1].grad = library.tensor(value)
        second.step()
        return parameters[1].tolist(), second.state[parameters[1]]

    (ours, state), (theirs, torch_state) = run(ow), run(torch)

    assert ours == pytest.approx(theirs)
    assert {key: str(each.dtype).split(".")[1] for key, each in state.items()} == {
        key: str(each.dtype).split(".")[1] for key, each in torch_state.items()
    }


@pytest.mark.parametrize(("name", "settings"), [("SGD", SGD), ("Adam", ADAM), ("AdamW", ADAM)])
def test_state_dicts_have_the_layout_of_torch(name, settings):
    twins = Twins(name, settings)
    twins.step()
    ours, theirs = twins.optimizer.state_dict(), twins.torch_optimizer.state_dict()
    assert ours["state"].keys() == theirs["state"].keys()
    for number, state in theirs["state"].items():
        assert ours["state"][number].keys() == state.keys()
        for key, value in state.items():
            torch.testing.assert_close(from_ours(ours["state"][number][key]), value)
    assert ours["param_groups"][0].items() <= theirs["param_groups"][0].items()


@pytest.mark.parametrize(("name", "settings"), [("SGD", SGD), ("Adam", ADAM), ("AdamW", ADAM)])
def test_state_dicts_load_both_ways(name, settings):
    twins = Twins(name, settings)
    twins.step()
    into_torch = map_state(twins.optimizer.state_dict(), from_ours, ow.Tensor)
    into_ours = map_state(twins.torch_optimizer.state_dict(), ow.from_dlpack, torch.Tensor)
    twins.optimizer = getattr(ow.optim, name)(twins.ours, lr=9.0)
    twins.torch_optimizer = getattr(torch.optim, name)(twins.theirs, lr=9.0)
    twins.optimizer.load_state_dict(into_ours)
    twins.torch_optimizer.load_state_dict(into_torch)
    for _ in range(5):
        twins.step()
    twins.expect_equal(rtol=2e-5, atol=2e-6)


def test_a_loaded_state_is_a_copy_in_the_dtype_of_the_parameter():
    source = ow.nn.Parameter(ow.ones(2))
    first = ow.optim.Adam([source])
    source.grad = ow.ones(2)
    first.step()
    saved = first.state_dict()

    target = ow.nn.Parameter(ow.ones(2, dtype=ow.float64))
    second = ow.optim.Adam([target])
    second.load_state_dict(saved)
    target.grad = ow.ones(2, dtype=ow.float64)
    second.step()

    state = second.state[target]
    assert (state["exp_avg"].dtype, state["step"].dtype) == (ow.float64, ow.float32)
    assert (state["step"].item(), first.state[source]["step"].item()) == (2.0, 1.0)


def make_stepped(name):
    """Return a parameter, its optimizer, and a function that performs a step."""
    parameter = ow.nn.Parameter(ow.tensor([[1.0, -2.0], [0.5, 3.0]]))
    optimizer = getattr(ow.optim, name)([parameter], **EACH[name])

    def step(optimizer=optimizer):
        (own,) = optimizer.param_groups[0]["params"]

        def closure():
            optimizer.zero_grad()
            loss = (own * own * ow.tensor([[1.0, 2.0], [3.0, 4.0]])).sum()
            loss.backward()
            return loss

        optimizer.step(closure)
        return own.tolist()

    return parameter, optimizer, step


def through_a_file(value):
    file = io.BytesIO()
    ow.save(value, file)
    return ow.load(io.BytesIO(file.getvalue()))


@pytest.mark.parametrize("name", EACH)
def test_an_optimizer_continues_from_a_saved_state_dict(name):
    parameter, optimizer, step = make_stepped(name)
    for _ in range(3):
        step()
    saved = through_a_file(optimizer.state_dict())
    value = parameter.detach().clone()
    expected = [step() for _ in range(3)]

    target = ow.nn.Parameter(value)
    other = getattr(ow.optim, name)([target], lr=9.0)
    other.load_state_dict(saved)

    assert [step(other) for _ in range(3)] == expected


@pytest.mark.parametrize("name", EACH)
def test_a_loaded_state_shares_nothing_with_the_state_dict(name):
    _, optimizer, step = make_stepped(name)
    for _ in range(3):
        step()
    optimizer.param_groups[0]["tags"] = ["first"]
    saved = optimizer.state_dict()
    before = through_a_file(saved)

    target = ow.nn.Parameter(ow.ones(2, 2))
    other = getattr(ow.optim, name)([target], **EACH[name])
    other.load_state_dict(saved)
    other.param_groups[0]["tags"].append("second")
    for _ in range(3):
        step(other)

    assert repr(saved) == repr(before)
    assert optimizer.param_groups[0]["tags"] == ["first"]


COPIES = {"deepcopy": copy.deepcopy, "pickle": lambda each: pickle.loads(pickle.dumps(each))}


@pytest.mark.parametrize("copied", COPIES)
@pytest.mark.parametrize("name", EACH)
def test_a_copy_of_an_optimizer_steps_parameters_of_its_own(name, copied):
    parameter, optimizer, step = make_stepped(name)
    for _ in range(2):
        step()

    other = COPIES[copied](optimizer)
    stayed = parameter.tolist()
    moved = step(other)

    assert parameter.tolist() == stayed != moved
    assert step() == moved
    assert type(other.state) is defaultdict


def test_a_subclass_may_extend_the_state_that_it_loads_as_in_torch():
    def make(library):
        class Older(library.optim.SGD):
            def __setstate__(self, state):
                super().__setstate__(state)
                for group in self.param_groups:
                    group.setdefault("added", 7)

        return Older([library.nn.Parameter(library.ones(1))], lr=0.5)

    for library in (ow, torch):
        optimizer = make(library)
        optimizer.load_state_dict(optimizer.state_dict())
        assert optimizer.param_groups[0]["added"] == 7
        assert copy.deepcopy(optimizer).param_groups[0]["added"] == 7


@pytest.mark.parametrize("library", [ow, torch], ids=["opwright", "torch"])
def test_the_state_has_an_entry_for_every_key_that_is_read(library):
    weight = library.nn.Parameter(library.ones(1))
    optimizer = library.optim.Adam([weight])
    optimizer.state["note"]["epoch"] = 3
    assert optimizer.state[weight] == {}
    weight.grad = library.ones(1)
    optimizer.step()

    saved = optimizer.state_dict()
    other = library.optim.Adam([weight])
    other.load_state_dict(saved)

    assert saved["state"]["note"] == {"epoch": 3}
    assert other.state["note"] == {"epoch": 3}
    assert other.state["missing"] == {}
    assert set(saved["state"]) == {"note", 0}


def test_lbfgs_starts_from_a_state_that_was_read():
    _, optimizer, step = make_stepped("LBFGS")
    (parameter,) = optimizer.param_groups[0]["params"]

    assert optimizer.state[parameter] == {}
    step()

    assert optimizer.state[parameter]["n_iter"] >= 1


def test_a_state_dict_of_other_groups_is_refused():
    one, two = ow.nn.Parameter(ow.ones(1)), ow.nn.Parameter(ow.ones(1))
    saved = ow.optim.SGD([one]).state_dict()
    message = "SGD: the state dict has groups of [1] parameters, but the optimizer has [2]"
    with pytest.raises(ValueError, match=re.escape(message)):
        ow.optim.SGD([one, two]).load_state_dict(saved)

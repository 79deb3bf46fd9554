"""swap_in_optimizer_params_and_state: a step on other parameters and state."""

import opwright as ow
import pytest
import torch


def step_on_copies(lib) -> list[list[float]]:
    weight = lib.nn.Parameter(lib.tensor([1.0, 2.0]))
    optimizer = lib.optim.Adam([weight], lr=0.1)
    weight.grad = lib.tensor([1.0, -1.0])
    optimizer.step()
    state = optimizer.state_dict()
    state["state"][0] = {
        key: value.clone() if isinstance(value, lib.Tensor) else value
        for key, value in state["state"][0].items()
    }
    state["param_groups"][0]["lr"] = 0.5
    other = lib.nn.Parameter(lib.tensor([5.0, 6.0]))
    other.grad = lib.tensor([2.0, 2.0])

    with lib.optim.swap_in_optimizer_params_and_state(optimizer, {"weight": other}, state):
        optimizer.step()
        inside = optimizer.param_groups[0]["lr"]
    optimizer.step()

    return [
        weight.tolist(),
        other.tolist(),
        state["state"][0]["exp_avg"].tolist(),
        [inside, optimizer.param_groups[0]["lr"]],
    ]


def test_a_step_inside_changes_only_what_was_swapped_in_as_in_torch():
    ours, theirs = step_on_copies(ow), step_on_copies(torch)

    for mine, other in zip(ours, theirs, strict=True):
        assert mine == pytest.approx(other)


def test_an_error_inside_restores_the_optimizer():
    weight, other = ow.nn.Parameter(ow.ones(1)), ow.nn.Parameter(ow.zeros(1))
    optimizer = ow.optim.SGD([weight], lr=0.1)
    swap = ow.optim.swap_in_optimizer_params_and_state

    with (
        pytest.raises(RuntimeError, match="stop"),
        swap(optimizer, {"w": other}, optimizer.state_dict()),
    ):
        raise RuntimeError("stop")

    assert optimizer.param_groups[0]["params"][0] is weight


def test_other_keys_of_the_state_stay():
    optimizer = ow.optim.SGD([ow.nn.Parameter(ow.ones(1))], lr=0.1)
    optimizer.state["note"]["epoch"] = 3
    other = ow.nn.Parameter(ow.zeros(1))
    swap = ow.optim.swap_in_optimizer_params_and_state

    with swap(optimizer, {"w": other}, optimizer.state_dict()):
        assert optimizer.state["note"] == {"epoch": 3}
        assert optimizer.state[other] == {}


def test_the_numbers_of_parameters_must_agree():
    optimizer = ow.optim.SGD([ow.nn.Parameter(ow.ones(1))], lr=0.1)
    swap = ow.optim.swap_in_optimizer_params_and_state

    with (
        pytest.raises(ValueError, match="the optimizer has 1 parameters, got 2"),
        swap(optimizer, {"a": ow.ones(1), "b": ow.ones(1)}, optimizer.state_dict()),
    ):
        pass

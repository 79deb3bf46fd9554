"""Averages of weights are those of torch.optim.swa_utils."""

import opwright as ow
import pytest
import torch
from opwright.optim import averaging
from torch.optim import swa_utils

LIBRARIES = ((ow, averaging), (torch, swa_utils))


def averaged(lib, functions, make_settings, use_buffers=False):
    """Return the weights and the running mean of an average of three models."""
    model = lib.nn.Sequential(lib.nn.Linear(2, 2), lib.nn.BatchNorm1d(2))
    model[1].num_batches_tracked = None  # an int, which one function of PyTorch cannot average
    average = functions.AveragedModel(model, use_buffers=use_buffers, **make_settings(functions))
    for value in (1.0, 3.0, 8.0):
        lib.nn.init.constant_(model[0].weight, value)
        model[1].running_mean.fill_(value)
        average.update_parameters(model)
    module = average.module
    return module[0].weight.tolist(), module[1].running_mean.tolist(), int(average.n_averaged)


@pytest.mark.parametrize("use_buffers", [False, True])
@pytest.mark.parametrize(
    "make_settings",
    [
        lambda functions: {},
        lambda functions: {"avg_fn": functions.get_ema_avg_fn(0.5)},
        lambda functions: {"multi_avg_fn": functions.get_ema_multi_avg_fn(0.25)},
        lambda functions: {"multi_avg_fn": functions.get_swa_multi_avg_fn()},
    ],
)
@pytest.mark.filterwarnings("ignore")
def test_averages_of_models_are_those_of_torch(make_settings, use_buffers):
    own, expected = (
        averaged(lib, functions, make_settings, use_buffers) for lib, functions in LIBRARIES
    )

    assert own[2] == expected[2] == 3
    torch.testing.assert_close(torch.tensor(own[0]), torch.tensor(expected[0]))
    torch.testing.assert_close(torch.tensor(own[1]), torch.tensor(expected[1]))


def test_batch_norms_get_the_statistics_of_all_batches():
    batches = [[[1.0, 2.0], [3.0, 5.0]], [[0.0, 1.0], [4.0, 4.0]], [[7.0, 1.0], [1.0, 2.0]]]
    found = []
    for lib, functions in LIBRARIES:
        model = lib.nn.Sequential(lib.nn.BatchNorm1d(2)).eval()
        functions.update_bn([(lib.tensor(each), None) for each in batches], model)
        found.append((model[0].running_mean, model[0].running_var))
        assert not model.training
        assert model[0].momentum == 0.1

    for own, expected in zip(*found, strict=True):
        torch.testing.assert_close(torch.tensor(own.tolist()), expected)


@pytest.mark.parametrize("anneal_strategy", ["cos", "linear"])
@pytest.mark.parametrize("anneal_epochs", [0, 1, 4])
def test_the_rates_are_those_of_torch(anneal_epochs, anneal_strategy):
    rates = []
    for lib, functions in LIBRARIES:
        groups = [{"params": [lib.nn.Parameter(lib.ones(1))], "lr": lr} for lr in (0.1, 0.2)]
        optimizer = lib.optim.SGD(groups, lr=0.1)
        scheduler = functions.SWALR(optimizer, [0.5, 0.01], anneal_epochs, anneal_strategy)
        rates.append([])
        for _ in range(6):
            optimizer.step()
            scheduler.step()
            rates[-1] += scheduler.get_last_lr()

    assert rates[0] == pytest.approx(rates[1])


def test_wrong_settings_are_refused():
    with pytest.raises(ValueError, match="Invalid decay value 2 provided"):
        averaging.get_ema_avg_fn(2)
    with pytest.raises(AssertionError, match="only one of avg_fn and multi_avg_fn"):
        averaging.AveragedModel(ow.nn.Linear(1, 1), None, lambda *a: a[0], lambda *a: None)
    optimizer = ow.optim.SGD([ow.nn.Parameter(ow.ones(1))], lr=0.1)
    with pytest.raises(ValueError, match="anneal_strategy must be one of 'cos' or 'linear'"):
        averaging.SWALR(optimizer, 0.1, anneal_strategy="steps")
    with pytest.raises(ValueError, match="anneal_epochs must be equal or greater than 0"):
        averaging.SWALR(optimizer, 0.1, anneal_epochs=-1)

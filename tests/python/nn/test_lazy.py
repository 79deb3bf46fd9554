"""Lazy modules take their sizes from the first input, as those of PyTorch do."""

import copy

import opwright as ow
import pytest
import torch
from opwright import nn

from .torch_twin import assert_same, shapes_of, to_ours

LAYERS = {
    "LazyLinear": ((5,), (2, 3)),
    "LazyConv1d": ((4, 3), (2, 3, 8)),
    "LazyConv2d": ((4, 3), (2, 3, 8, 8)),
    "LazyConv3d": ((4, 3), (1, 3, 4, 4, 4)),
    "LazyConvTranspose1d": ((4, 3), (2, 3, 8)),
    "LazyConvTranspose2d": ((4, 3), (2, 3, 8, 8)),
    "LazyConvTranspose3d": ((4, 3), (1, 3, 4, 4, 4)),
    "LazyBatchNorm1d": ((), (2, 3)),
    "LazyBatchNorm2d": ((), (2, 3, 4, 4)),
    "LazyBatchNorm3d": ((), (2, 3, 4, 4, 4)),
    "LazyInstanceNorm1d": ((), (2, 3, 4)),
    "LazyInstanceNorm2d": ((), (2, 3, 4, 4)),
    "LazyInstanceNorm3d": ((), (2, 3, 4, 4, 4)),
}
EACH = pytest.mark.parametrize("name", LAYERS)


def make(name):
    args, size = LAYERS[name]
    return getattr(nn, name)(*args), ow.ones(size)


@EACH
def test_the_first_input_gives_the_sizes_and_the_class(name):
    layer, x = make(name)
    args, size = LAYERS[name]
    theirs = getattr(torch.nn, name)(*args)

    result = layer(x)
    expected = theirs(torch.ones(size))

    assert type(layer) is getattr(nn, name.removeprefix("Lazy"))
    assert shapes_of(layer.state_dict()) == shapes_of(theirs.state_dict())
    assert tuple(result.shape) == tuple(expected.shape)
    assert repr(layer) == repr(theirs)


@EACH
def test_before_the_first_input_it_looks_like_that_of_torch(name):
    layer, _ = make(name)
    theirs = getattr(torch.nn, name)(*LAYERS[name][0])

    assert list(layer.state_dict()) == list(theirs.state_dict())
    assert repr(layer).partition("(")[0] == repr(theirs).partition("(")[0]
    assert layer.has_uninitialized_params()


@EACH
def test_a_state_dict_gives_the_sizes(name):
    source, x = make(name)
    source(x)
    layer, _ = make(name)

    layer.load_state_dict(source.state_dict())

    assert not layer.has_uninitialized_params()
    assert_same(layer.eval()(x).detach(), torch.from_numpy(source.eval()(x).detach().numpy()))
    assert type(layer) is type(source)


def test_it_trains_with_an_optimizer_that_was_made_before_the_first_input():
    layer = nn.LazyLinear(1)
    optimizer = ow.optim.SGD(layer.parameters(), lr=0.1)
    layer(ow.ones(1, 2))
    before = layer.weight.detach().clone()

    layer(ow.ones(1, 2)).sum().backward()
    optimizer.step()

    assert_same(layer.weight.detach(), torch.tensor(before.tolist()) - 0.1)


def test_conversions_and_copies_stay_without_sizes():
    layer = copy.deepcopy(nn.LazyLinear(2)).double()

    layer(ow.ones(1, 3, dtype=ow.float64))

    assert layer.weight.dtype is ow.float64


def test_a_parameter_without_sizes_refuses_computations():
    weight = nn.LazyLinear(2).weight

    with pytest.raises(RuntimeError, match="UninitializedParameter: it has no sizes yet, so its"):
        weight.shape  # noqa: B018
    with pytest.raises(ValueError, match="so 'sum' cannot be used; call the lazy module once"):
        weight.sum()
    with pytest.raises(ValueError, match="so '__add__' cannot be used"):
        weight + 1


def test_a_convolution_refuses_an_input_of_other_dimensions():
    with pytest.raises(RuntimeError, match="LazyConv2d: input must have 3 or 4 dimensions, got"):
        nn.LazyConv2d(4, 3)(ow.ones(2, 3))
    with pytest.raises(ValueError, match="in_channels must be divisible by groups, got 3 and 2"):
        nn.LazyConv1d(4, 3, groups=2)(ow.ones(1, 3, 8))


def test_a_state_without_sizes_cannot_be_loaded_into_an_ordinary_layer():
    with pytest.raises(RuntimeError, match="it has no sizes yet"):
        nn.Linear(2, 2).load_state_dict(nn.LazyLinear(2).state_dict())


def test_batch_norm_over_processes_is_that_of_one_process():
    ours, theirs = nn.SyncBatchNorm(3), torch.nn.BatchNorm1d(3)
    x = torch.randn(4, 3, generator=torch.Generator().manual_seed(0))

    assert_same(ours(to_ours(x)), theirs(x))
    assert_same(ours.running_var, theirs.running_var)


def test_batch_norms_are_converted_with_their_weights():
    model = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3))
    weight = model[1].weight

    converted = nn.SyncBatchNorm.convert_sync_batchnorm(model)

    assert isinstance(converted[1], nn.SyncBatchNorm)
    assert converted[1].weight is weight


def test_a_group_of_processes_is_refused():
    with pytest.raises(NotImplementedError, match="a process_group is not supported"):
        nn.SyncBatchNorm(3, process_group=object())

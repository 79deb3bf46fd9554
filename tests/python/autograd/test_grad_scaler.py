"""The scaling of losses does what torch.amp.GradScaler does."""

import opwright as ow
import opwright.compat.torch as compat
import pytest
import torch

LIBRARIES = (ow, torch)


def make(lib, **settings):
    weight = lib.nn.Parameter(lib.ones(2))
    optimizer = lib.optim.SGD([weight], lr=0.125)
    return weight, optimizer, lib.amp.GradScaler("cpu", **settings)


def train(lib, factors, **settings):
    """Return the weight and the scale after each step; a factor scales the loss."""
    weight, optimizer, scaler = make(lib, **settings)
    found = []
    for factor in factors:
        optimizer.zero_grad()
        scaler.scale((weight * factor).sum()).backward()
        scaler.step(optimizer)
        scaler.update()
        found.append((weight.tolist(), scaler.get_scale()))
    return found, scaler.state_dict()


@pytest.mark.parametrize(
    ("factors", "settings"),
    [
        ([1.0, 2.0], {}),
        ([1.0, float("inf"), 1.0, float("nan")], {"init_scale": 8.0}),
        ([1.0] * 5, {"init_scale": 8.0, "growth_interval": 2, "growth_factor": 4.0}),
        ([1.0, 1.0], {"init_scale": 2.0**127, "growth_interval": 1}),
        ([1.0], {"enabled": False}),
    ],
)
def test_weights_and_scales_are_those_of_torch(factors, settings):
    assert train(ow, factors, **settings) == train(torch, factors, **settings)


@pytest.mark.parametrize("lib", LIBRARIES)
def test_unscaled_gradients_can_be_changed_before_the_step(lib):
    weight, optimizer, scaler = make(lib)
    scaler.scale((weight * 4).sum()).backward()

    scaler.unscale_(optimizer)
    assert weight.grad.tolist() == [4.0, 4.0]
    weight.grad.mul_(0.5)
    scaler.step(optimizer)

    assert weight.tolist() == [0.75, 0.75]
    with pytest.raises(RuntimeError, match=r"unscale_\(\) is being called after step"):
        scaler.unscale_(optimizer)
    with pytest.raises(RuntimeError, match=r"step\(\) has already been called since the last"):
        scaler.step(optimizer)


@pytest.mark.parametrize("lib", LIBRARIES)
def test_lists_of_losses_are_scaled(lib):
    _, _, scaler = make(lib, init_scale=4.0)

    scaled = scaler.scale([lib.tensor(1.0), (lib.tensor(2.0),)])

    assert [scaled[0].item(), scaled[1][0].item()] == [4.0, 8.0]
    with pytest.raises(ValueError, match="outputs must be a Tensor or an iterable of Tensors"):
        scaler.scale(3)


@pytest.mark.parametrize("lib", LIBRARIES)
def test_wrong_uses_are_refused(lib):
    _, optimizer, scaler = make(lib)

    with pytest.raises(RuntimeError, match="Closure use is not currently supported"):
        scaler.step(optimizer, closure=lambda: None)
    with pytest.raises(AssertionError):
        scaler.step(optimizer)
    scaler.scale(lib.ones(1))
    with pytest.raises(AssertionError, match="No inf checks were recorded prior to update"):
        scaler.update()
    with pytest.raises(AssertionError):
        lib.amp.GradScaler("cpu", growth_factor=1.0)
    half = lib.nn.Parameter(lib.ones(1, dtype=lib.float16))
    half.grad = lib.ones(1, dtype=lib.float16)
    with pytest.raises(ValueError, match="Attempting to unscale FP16 gradients"):
        scaler.unscale_(lib.optim.SGD([half], lr=0.1))


def test_a_state_dict_restores_the_scale():
    _, _, scaler = make(ow, init_scale=4.0, growth_interval=7)
    _, _, other = make(ow)

    other.load_state_dict(scaler.state_dict())

    assert (other.get_scale(), other.get_growth_interval()) == (4.0, 7)
    with pytest.raises(RuntimeError, match="the state dict is empty"):
        other.load_state_dict({})


def test_without_cuda_a_scaler_for_it_is_disabled_with_a_warning():
    if ow.is_available("cuda"):
        pytest.skip("there is a CUDA device")
    with pytest.warns(UserWarning, match=r"CUDA is not available\.  Disabling\."):
        assert not ow.amp.GradScaler().is_enabled()


def test_autocast_is_available_on_the_cpu():
    assert ow.amp.is_autocast_available("cpu")
    with pytest.raises(RuntimeError):
        ow.amp.is_autocast_available("no_device")


def test_the_older_names_for_cuda_warn():
    with pytest.warns(FutureWarning, match=r"Please use `torch.amp.GradScaler\('cuda', args"):
        scaler = compat.cuda.amp.GradScaler(enabled=False)
    with pytest.warns(FutureWarning, match=r"Please use `torch.amp.autocast\('cuda', args"):
        compat.cuda.amp.autocast(enabled=False)

    assert isinstance(scaler, ow.amp.GradScaler)
    assert compat.GradScaler is ow.amp.GradScaler

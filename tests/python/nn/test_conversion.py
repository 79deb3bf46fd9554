"""Conversions of entire modules: dtype, device, memory format."""

import opwright as ow
import pytest
from opwright import nn


def make():
    """A model with a parameter, a buffer of floats and one of ints."""
    return nn.Sequential(nn.BatchNorm1d(2), nn.LayerNorm(2))


def dtypes_of(model):
    return {str(each.dtype).removeprefix("opwright.") for each in model.state_dict().values()}


@pytest.mark.parametrize("name", ["half", "bfloat16", "float", "double"])
def test_a_cast_reaches_floating_tensors_alone(name):
    dtype = getattr(ow, name)

    model = getattr(make(), name)()

    assert dtypes_of(model) == {str(dtype).removeprefix("opwright."), "int64"}


@pytest.mark.parametrize(
    ("args", "kwargs"),
    [
        ((ow.float64,), {}),
        (("cpu", ow.float64), {}),
        ((ow.ones(1, dtype=ow.float64),), {}),
        ((), {"dtype": ow.float64}),
        ((), {"device": "cpu", "dtype": ow.float64, "non_blocking": True}),
        ((None, ow.float64, True), {}),
    ],
)
def test_to_takes_device_dtype_or_another_tensor(args, kwargs):
    assert make().to(*args, **kwargs)[1].weight.dtype == ow.float64


def test_to_returns_the_module_itself_and_keeps_requires_grad():
    model = make()
    model[1].weight.requires_grad_(False)

    assert model.to(ow.float64) is model
    assert not model[1].weight.requires_grad
    assert model[1].bias.requires_grad


def test_a_tensor_that_needs_no_change_stays_the_same_object():
    model = make()
    weight = model[1].weight

    model.to(ow.float32)

    assert model[1].weight is weight


def test_shared_parameters_stay_shared():
    model = nn.Sequential(nn.LayerNorm(2), nn.LayerNorm(2))
    model[1].weight = model[0].weight

    model.double()

    assert model[1].weight is model[0].weight


def test_a_dtype_of_ints_is_refused():
    with pytest.raises(TypeError, match="of a floating or complex dtype, got"):
        make().to(ow.int64)


def test_arguments_that_to_does_not_know_are_refused():
    with pytest.raises(TypeError, match=r"Module\.to: there is no argument 'dtpe'"):
        make().to(dtpe=ow.float64)
    with pytest.raises(TypeError, match="4 positional arguments are too many"):
        make().to("cpu", ow.float64, True, True)


def test_a_module_moves_to_meta_and_gets_memory_again():
    model = make().to("meta")

    assert model[1].weight.is_meta
    assert not model.to_empty(device="cpu")[1].weight.is_meta
    assert isinstance(model[1].weight, nn.Parameter)


def test_a_module_can_be_made_on_meta_and_with_another_dtype():
    layer = nn.LayerNorm(2, device="meta", dtype=ow.float64)

    assert layer.weight.is_meta
    assert layer.weight.dtype == ow.float64


def test_a_memory_format_is_for_tensors_of_four_dimensions():
    model = nn.Module()
    model.window = nn.Parameter(ow.ones(2, 3, 4, 4))
    model.bias = nn.Parameter(ow.ones(2))

    model.to(memory_format=ow.channels_last)

    assert model.window.is_contiguous(memory_format=ow.channels_last)


def test_the_type_of_all_tensors_can_be_set():
    assert dtypes_of(make().type(ow.float64)) == {"float64"}

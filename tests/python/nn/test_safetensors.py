"""Weights in files of the format safetensors, exchanged with PyTorch."""

import sys

import opwright as ow
import pytest
import safetensors.torch
import torch
from opwright import nn

from .torch_twin import to_ours

DTYPES = [
    "bool",
    "uint8",
    "int8",
    "uint16",
    "int16",
    "uint32",
    "int32",
    "uint64",
    "int64",
    "float8_e4m3fn",
    "float8_e5m2",
    "float16",
    "bfloat16",
    "float32",
    "float64",
    "complex64",
]


def all_bits(dtype):
    """Every pattern of the lowest 16 bits, as elements of a dtype."""
    name = "uint8" if dtype == "bool" else dtype
    patterns = torch.arange(1 << 16, dtype=torch.int32).to(torch.int16)
    values = patterns.view(torch.uint8)
    if dtype == "bool":
        return values % 2 == 1
    return values.view(getattr(torch, name))


@pytest.mark.parametrize("dtype", DTYPES)
def test_what_torch_writes_is_read_bit_for_bit(dtype, tmp_path):
    expected = all_bits(dtype).reshape(2, -1)
    safetensors.torch.save_file({"x": expected}, tmp_path / "x.safetensors")

    found = ow.safetensors.load_file(tmp_path / "x.safetensors")["x"]

    assert found.dtype == getattr(ow, dtype)
    assert tuple(found.shape) == tuple(expected.shape)
    assert bytes(memoryview_of(found)) == expected.view(torch.uint8).numpy().tobytes()


@pytest.mark.parametrize("dtype", DTYPES)
def test_what_is_written_is_read_by_torch_bit_for_bit(dtype, tmp_path):
    given = all_bits(dtype)
    ours = ow.safetensors.load(safetensors.torch.save({"x": given}))

    ow.safetensors.save_file(ours, tmp_path / "x.safetensors")
    found = safetensors.torch.load_file(tmp_path / "x.safetensors")["x"]

    assert found.dtype == given.dtype
    assert torch.equal(found.view(torch.uint8), given.view(torch.uint8))


def memoryview_of(tensor):
    """The bytes of a tensor of any dtype."""
    import ctypes

    return (ctypes.c_uint8 * tensor.nbytes).from_address(tensor.data_ptr())


@pytest.mark.parametrize("sizes", [(), (0,), (2, 0, 3), (3,)])
def test_empty_and_zero_dimensional_tensors_come_back(sizes):
    found = ow.safetensors.load(ow.safetensors.save({"x": ow.ones(sizes)}))["x"]

    assert tuple(found.shape) == sizes
    assert found.sum().item() == len(sizes) * 0 + found.numel()


def test_a_tensor_that_is_not_contiguous_is_written_by_its_elements():
    given = ow.arange(6.0).reshape(2, 3).T

    found = ow.safetensors.load(ow.safetensors.save({"x": given, "part": given[1:, 1]}))

    assert found["x"].tolist() == given.tolist()
    assert found["part"].tolist() == [4.0, 5.0]


def test_what_was_read_can_be_written_to():
    found = ow.safetensors.load(ow.safetensors.save({"x": ow.ones(2)}))["x"]

    found.add_(1)

    assert found.tolist() == [2.0, 2.0]


def test_metadata_is_written(tmp_path):
    path = tmp_path / "x.safetensors"

    ow.safetensors.save_file({"x": ow.ones(1)}, path, metadata={"epoch": "3"})

    with safetensors.safe_open(path, framework="pt") as file:
        assert file.metadata() == {"epoch": "3"}


def test_weights_of_a_torch_model_are_loaded_from_its_file(tmp_path):
    theirs = torch.nn.Sequential(torch.nn.LayerNorm(3), torch.nn.Embedding(4, 3))
    safetensors.torch.save_model(theirs, tmp_path / "model.safetensors")
    ours = nn.Sequential(nn.LayerNorm(3), nn.Embedding(4, 3))

    keys = ow.safetensors.load_model(ours, tmp_path / "model.safetensors")

    assert repr(keys) == "<All keys matched successfully>"
    assert ours[1].weight.tolist() == theirs[1].weight.tolist()


def test_a_torch_model_loads_the_weights_of_ours(tmp_path):
    ours, theirs = nn.Embedding(4, 3), torch.nn.Embedding(4, 3)
    ow.safetensors.save_model(ours, tmp_path / "model.safetensors")

    safetensors.torch.load_model(theirs, tmp_path / "model.safetensors")

    assert theirs.weight.tolist() == ours.weight.tolist()


def test_a_shared_weight_is_written_once_and_read_for_all(tmp_path):
    model = nn.Sequential(nn.LayerNorm(2), nn.LayerNorm(2))
    model[1].weight = model[0].weight
    model[0].weight.detach().fill_(7)
    path = tmp_path / "model.safetensors"
    ow.safetensors.save_model(model, path)

    model[0].weight.detach().fill_(0)
    ow.safetensors.load_model(model, path)

    assert "1.weight" not in ow.safetensors.load_file(path)
    assert model[1].weight.tolist() == [7.0, 7.0]


def test_a_file_that_does_not_fit_says_what_is_wrong(tmp_path):
    ow.safetensors.save_file({"other": ow.ones(1)}, tmp_path / "x.safetensors")

    with pytest.raises(RuntimeError, match='Missing key\\(s\\) in state_dict: "weight", "bias"'):
        ow.safetensors.load_model(nn.LayerNorm(2), tmp_path / "x.safetensors")


@pytest.mark.parametrize(
    ("value", "error", "message"),
    [
        (3, TypeError, "'x' must be a tensor, got int"),
        (ow.ones(1, device="meta"), ValueError, "'x' is on the device meta and has no values"),
        (ow.ones(1, dtype=ow.complex128), ValueError, "the format has no opwright.complex128"),
    ],
)
def test_what_cannot_be_written_is_refused(value, error, message):
    with pytest.raises(error, match=message):
        ow.safetensors.save({"x": value})


def test_bytes_that_are_no_such_file_are_refused():
    with pytest.raises(Exception, match="header"):
        ow.safetensors.load(b"not a file of tensors")


def test_without_the_package_the_error_says_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "safetensors", None)

    with pytest.raises(ImportError, match=r"pip install opwright\[safetensors\]"):
        ow.safetensors.save({"x": ow.ones(1)})


def test_weights_of_half_precision_go_through_a_module(tmp_path):
    theirs = torch.nn.LayerNorm(3).bfloat16()
    torch.nn.init.uniform_(theirs.weight)
    safetensors.torch.save_file(theirs.state_dict(), tmp_path / "x.safetensors")
    ours = nn.LayerNorm(3).bfloat16()

    ours.load_state_dict(ow.safetensors.load_file(tmp_path / "x.safetensors"))

    assert ours.weight.tolist() == to_ours(theirs.weight).tolist()

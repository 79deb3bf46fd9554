"""What Opwright leaves out for good says so, and names what to use instead."""

import importlib
import inspect

import opwright.compat.torch as torch
import pytest
from opwright.compat._not_wanted import NOT_WANTED, NotWantedError, refusal_of

NAMES = {
    "utils.data": "from_numpy or from_dlpack",
    "distributions": "draw numbers with randn",
    "ao": "float8_e4m3fn",
    "quantization": "custom operator for a quantized product",
    "quantize_per_tensor": "int8, uint8",
    "qint8": "int8, uint8",
    "sparse": "index_add, scatter and embedding",
    "sparse_coo_tensor": "index_add, scatter and embedding",
    "optim.SparseAdam": "torch.optim.Adam",
    "jit.script": "torch.export",
    "distributed.all_reduce": "communication library",
    "nn.DataParallel": "communication library",
}


def get(path):
    value = torch
    for name in path.split("."):
        value = getattr(value, name)
    return value


@pytest.mark.parametrize(("path", "way_out"), NAMES.items())
def test_asking_for_it_says_what_to_use(path, way_out):
    with pytest.raises(NotWantedError) as failure:
        get(path)

    assert str(failure.value).startswith(f"torch.{path} is not wanted in Opwright: ")
    assert way_out in str(failure.value)


@pytest.mark.parametrize(("path", "way_out"), NAMES.items())
def test_importing_it_says_what_to_use(path, way_out):
    owner, _, name = f"opwright.compat.torch.{path}".rpartition(".")

    with pytest.raises(ImportError) as failure:
        exec(f"from {owner} import {name}")

    assert str(failure.value).startswith(f"torch.{path} is not wanted in Opwright: ")
    assert way_out in str(failure.value)


def test_importing_from_a_module_that_is_left_out_says_why():
    with pytest.raises(ImportError, match=r"torch\.utils\.data is not wanted in Opwright: loading"):
        importlib.import_module("opwright.compat.torch.utils.data")


def test_a_feature_test_finds_nothing():
    assert not hasattr(torch, "sparse_coo_tensor")
    assert not torch.distributed.is_available()
    assert not torch.jit.is_scripting()


def test_a_name_that_is_there_is_not_refused():
    refused = [name for name in dir(torch) if refusal_of(f"torch.{name}") is not None]

    assert refused == ["distributed", "jit"]  # of which only questions are answered


def test_a_missing_name_of_another_subject_is_not_refused():
    assert refusal_of("torch.quantile") is None
    assert refusal_of("torch.q") is None
    assert refusal_of("torch.Tensor.sparsify") is None


def test_every_entry_is_a_name_of_torch():
    real = pytest.importorskip("torch", minversion="2.13")

    def exists(entry):
        owner, _, name = entry.removeprefix("torch.").rpartition(".")
        found = real
        for part in owner.split(".") if owner else ():
            found = getattr(found, part)
        names = dir(found)
        if name.endswith("*"):
            return any(each.startswith(name[:-1]) for each in names)
        return name in names or inspect.ismodule(importlib.import_module(entry))

    for entry in NOT_WANTED:
        assert exists(entry), entry

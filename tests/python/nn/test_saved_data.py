"""save and load: data comes back as it was, and nothing but data is written or read."""

import collections
import io
import json
import pickle
import zipfile

import numpy as np
import opwright as ow
import opwright.compat.torch as compat
import pytest
import torch
from opwright import nn

DTYPES = [
    *("bool", "uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64"),
    *("float16", "bfloat16", "float32", "float64", "complex64", "complex128"),
    *("float8_e4m3fn", "float8_e5m2"),
]


def written(value):
    file = io.BytesIO()
    ow.save(value, file)
    return file.getvalue()


def round_trip(value, **settings):
    return ow.load(io.BytesIO(written(value)), **settings)


@pytest.mark.parametrize("name", DTYPES)
def test_tensors_of_every_dtype_come_back_bit_for_bit(name):
    dtype = getattr(ow, name)
    data = bytearray(range(48)) if name != "bool" else bytearray([0, 1] * 24)
    tensor = ow.frombuffer(data, dtype).reshape(3, -1)

    loaded = round_trip(tensor)

    assert (loaded.dtype, loaded.shape) == (dtype, tensor.shape)
    assert bytes(loaded.untyped_storage()) == bytes(data)


@pytest.mark.parametrize("sizes", [(), (0,), (2, 0, 3)])
def test_empty_and_zero_dimensional_tensors_come_back(sizes):
    assert round_trip(ow.ones(sizes)).shape == sizes


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        -3,
        10**30,
        1.5,
        float("inf"),
        2 - 1j,
        "text \ud800 \u20ac",
        b"\x00\xff",
        [1, [2, (3, ())]],
        {"a": {1: "b", (2, 3): None, "$tensor": 0}},
        {1, 2},
        frozenset({"x"}),
        collections.OrderedDict(b=1, a=2),
        ow.Size([2, 3]),
        ow.bfloat16,
        ow.device("cpu"),
        {},
    ],
)
def test_containers_and_plain_values_come_back_with_their_types(value):
    loaded = round_trip(value)

    assert loaded == value
    assert type(loaded) is type(value)


def test_nan_comes_back():
    assert np.isnan(round_trip([float("nan")])[0])


def test_the_state_of_a_model_and_of_its_optimizer_continues_a_training():
    def train(model, optimizer):
        model(ow.ones(2, 3)).sum().backward()
        optimizer.step()

    def make():
        model = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4))
        return model, ow.optim.Adam(model.parameters())

    first, second = make(), make()
    train(*first)

    saved = round_trip({"model": first[0].state_dict(), "optimizer": first[1].state_dict()})
    second[0].load_state_dict(saved["model"])
    second[1].load_state_dict(saved["optimizer"])
    for model, optimizer in (first, second):
        optimizer.zero_grad()
        train(model, optimizer)

    assert saved["model"]._metadata["1"] == {"version": 2}
    for name, tensor in first[0].state_dict().items():
        assert ow.equal(tensor, second[0].state_dict()[name]), name


def test_parameters_and_gradients_keep_their_kind():
    frozen = nn.Parameter(ow.ones(2), requires_grad=False)
    leaf = ow.ones(2, requires_grad=True)

    loaded = round_trip([frozen, leaf, ow.ones(2)])

    assert [type(each) for each in loaded] == [nn.Parameter, ow.Tensor, ow.Tensor]
    assert [each.requires_grad for each in loaded] == [False, True, False]


def test_a_tensor_that_occurs_twice_is_written_once_and_stays_shared():
    weight = ow.ones(1000)

    loaded = round_trip({"a": weight, "b": [weight]})

    assert len(written([weight, weight])) < len(written(weight)) + 100
    loaded["a"].zero_()
    assert loaded["b"][0].sum().item() == 0


def test_a_view_is_written_without_the_rest_of_its_memory():
    loaded = round_trip(ow.arange(10000).reshape(100, 100).t()[1:3])

    assert loaded.tolist() == [list(range(1, 10000, 100)), list(range(2, 10000, 100))]
    assert loaded.is_contiguous()


def test_the_same_data_gives_the_same_bytes(tmp_path):
    ow.save({"x": ow.ones(3)}, tmp_path / "data")

    assert (tmp_path / "data").read_bytes() == written({"x": ow.ones(3)})
    assert ow.load(str(tmp_path / "data"))["x"].tolist() == [1, 1, 1]


def test_the_tensors_in_the_file_are_a_safetensors_file():
    safetensors = pytest.importorskip("safetensors.torch")
    archive = zipfile.ZipFile(io.BytesIO(written([ow.ones(2), ow.zeros(3, dtype=ow.int8)])))

    found = safetensors.load(archive.read("tensors.safetensors"))

    assert {name: (each.tolist(), each.dtype) for name, each in found.items()} == {
        "0": ([1, 1], torch.float32),
        "1": ([0, 0, 0], torch.int8),
    }


def test_a_safetensors_file_of_torch_is_read(tmp_path):
    safetensors = pytest.importorskip("safetensors.torch")
    safetensors.save_file({"weight": torch.arange(3)}, tmp_path / "x.safetensors")

    assert ow.load(tmp_path / "x.safetensors")["weight"].tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    "map_location",
    ["cpu", ow.device("cpu"), {"cuda:0": "cpu"}, lambda tensor, device: tensor],
)
def test_tensors_of_a_missing_device_go_elsewhere(map_location):
    changed = rewritten(written(ow.ones(2)), "cpu", "cuda:0")

    assert ow.load(io.BytesIO(changed), map_location).device.type == "cpu"


def rewritten(data, old, new):
    """Return the file with a replacement in its structure."""
    source, target = zipfile.ZipFile(io.BytesIO(data)), io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        text = source.read("structure.json").decode()
        assert old in text
        archive.writestr("structure.json", text.replace(old, new))
        archive.writestr("tensors.safetensors", source.read("tensors.safetensors"))
    return target.getvalue()


def test_a_missing_device_is_named_with_the_way_out():
    changed = rewritten(written(ow.ones(2)), "cpu", "cuda:7")

    with pytest.raises(ValueError, match="'cuda:7', which is not available; pass map_location"):
        ow.load(io.BytesIO(changed))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"f": [print]}, r"the value at \['f'\]\[0\] is a builtins.builtin_function_or_method"),
        (nn.Linear(1, 1), r"which is not data; save its state_dict\(\), or a program"),
        (np.ones(2), "save opwright.as_tensor of it"),
        (collections.namedtuple("Pair", "a b")(1, 2), "save it as a tuple or a dict"),
        (nn.LazyLinear(2).weight, "the value is a UninitializedParameter; save its detach"),
    ],
)
def test_what_is_not_data_is_refused_with_its_place(value, text):
    with pytest.raises(TypeError, match=text):
        written(value)


def test_tensors_without_values_and_loops_are_refused():
    loop = []
    loop.append(loop)

    with pytest.raises(ValueError, match="is a tensor without values"):
        written([ow.empty(2, device="meta")])
    with pytest.raises(ValueError, match=r"the value at \[0\] contains itself"):
        written(loop)


class Runs:
    def __reduce__(self):
        return print, ("code ran",)


@pytest.mark.parametrize("is_zip", [False, True])
def test_a_pickle_is_refused_with_the_way_out_and_runs_no_code(is_zip, tmp_path, capfd):
    torch.save({"x": Runs()}, tmp_path / "x.pt", _use_new_zipfile_serialization=is_zip)

    with pytest.raises(ValueError, match="which can run any code when it is read; in PyTorch"):
        ow.load(tmp_path / "x.pt")
    assert "code ran" not in capfd.readouterr().out


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        ('"version":1', '"version":9', "written by a newer release"),
        ('"opwright.data"', '"other"', "its format is 'other'"),
        ('"$tensor":0', '"$tensor":4', "is damaged"),
        ('"$tensor":0', '"$code":0', "'\\$code' is not known to this release"),
        ('"device"', '"hook"', "properties that are not known to this release"),
    ],
)
def test_a_changed_structure_is_refused(old, new, text):
    with pytest.raises(ValueError, match=text):
        ow.load(io.BytesIO(rewritten(written(ow.ones(2)), old, new)))


@pytest.mark.parametrize(
    ("entry", "text"),
    [
        ({"dtype": "F32", "shape": [3], "data_offsets": [0, 8]}, "does not lie where its sizes"),
        ({"dtype": "F32", "shape": [-1, -2], "data_offsets": [0, 8]}, "does not lie where its"),
        ({"dtype": "F32", "shape": [9], "data_offsets": [0, 36]}, "tensor 0 is cut off"),
        ({"dtype": "X", "shape": [2], "data_offsets": [0, 8]}, "'X'"),
    ],
)
def test_a_changed_header_of_the_tensors_is_refused(entry, text):
    header = json.dumps({"0": entry}).encode()
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        source = zipfile.ZipFile(io.BytesIO(written(ow.ones(2))))
        archive.writestr("structure.json", source.read("structure.json"))
        block = len(header).to_bytes(8, "little") + header + bytes(8)
        archive.writestr("tensors.safetensors", block)

    with pytest.raises(ValueError, match=text):
        ow.load(io.BytesIO(file.getvalue()))


@pytest.mark.parametrize("length", [0, 1, 10, 100, 300])
def test_a_file_that_is_cut_off_is_refused(length):
    with pytest.raises(ValueError, match="load: the file is"):
        ow.load(io.BytesIO(written(ow.ones(20))[:length]))


def test_pickle_settings_of_torch_are_refused():
    assert compat.load(io.BytesIO(written(3)), weights_only=True, mmap=False) == 3
    with pytest.raises(ValueError, match="load: pickle_module is not supported"):
        compat.load(io.BytesIO(b""), pickle_module=pickle)
    with pytest.raises(ValueError, match="save: pickle_module is not supported"):
        compat.save(1, io.BytesIO(), pickle_module=pickle)

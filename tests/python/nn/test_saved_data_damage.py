"""load refuses files that were cut, changed, or made to use much memory."""

import io
import json
import tracemalloc
import warnings
import zipfile
from collections import OrderedDict

import opwright as ow
import pytest


def written(value):
    file = io.BytesIO()
    ow.save(value, file)
    return file.getvalue()


def rich_file():
    state = OrderedDict(weight=ow.arange(6.0).reshape(2, 3), mask=ow.ones(3, dtype=ow.bool))
    return written({"state": state, "rest": [(1, 2.5, None, "é"), b"bytes", {3: ow.zeros(0)}]})


def zip_of(*members, **settings):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", **settings) as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # two members of one name
        for name, data in members:
            archive.writestr(name, data)
    return file.getvalue()


def parts_of(data):
    archive = zipfile.ZipFile(io.BytesIO(data))
    return {name: archive.read(name) for name in archive.namelist()}


def file_of(value, header=None, data=b""):
    """Return a file with any structure and header of the tensors."""
    form = {"format": "opwright.data", "version": 1, "value": value}
    text = json.dumps({} if header is None else header).encode()
    block = len(text).to_bytes(8, "little") + text + data
    return zip_of(("structure.json", json.dumps(form)), ("tensors.safetensors", block))


def problem(data):
    """Return the text of the error that loading the data raises; none: empty."""
    try:
        ow.load(io.BytesIO(data))
    except ValueError as error:
        return str(error)
    return ""


def refusal(data):
    with pytest.raises(ValueError, match="load: the file") as caught:
        ow.load(io.BytesIO(data))
    return str(caught.value)


def test_a_file_cut_anywhere_is_refused():
    data = rich_file()
    for length in range(len(data)):
        refusal(data[:length])


@pytest.mark.parametrize("change", [0x01, 0x80, 0xFF])
def test_any_changed_byte_gives_data_or_an_error(change):
    data = rich_file()
    for place in range(len(data)):
        changed = bytearray(data)
        changed[place] ^= change
        assert problem(bytes(changed))[:6] in ("", "load: ")


def test_any_changed_byte_of_its_texts_gives_data_or_an_error():
    parts = parts_of(rich_file())
    for name in parts:
        for place in range(min(len(parts[name]), 600)):
            for sign in b'0"-]':
                text = bytearray(parts[name])
                text[place] = sign
                changed = zip_of(*{**parts, name: bytes(text)}.items())
                assert problem(changed)[:6] in ("", "load: ")


def test_compressed_parts_are_refused():
    parts = parts_of(rich_file())

    text = refusal(zip_of(*parts.items(), compression=zipfile.ZIP_DEFLATED))

    assert text == "load: the file is damaged: its parts are compressed"


def test_a_part_that_occurs_twice_is_refused():
    parts = parts_of(rich_file())

    text = refusal(zip_of(*parts.items(), ("structure.json", "{}")))

    assert text == "load: the file is damaged: one of its parts occurs twice"


def test_parts_that_overlap_are_refused():
    data = bytearray(rich_file())
    first = data.find(b"PK\1\2")
    size = len(data) - 10
    data[first + 20 : first + 28] = size.to_bytes(4, "little") * 2

    text = refusal(bytes(data))

    assert text == "load: the file is damaged: its parts are longer than the file, or overlap"


def test_other_members_are_neither_read_nor_written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    parts = parts_of(written(3))

    data = zip_of(*parts.items(), ("../outside", "x"), ("/absolute", "x"))

    assert ow.load(io.BytesIO(data)) == 3
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"$tensor": -1, "device": "cpu"}, "there is no tensor -1, as there are 0"),
        ({"$tensor": True, "device": "cpu"}, "there is no tensor True, as there are 0"),
        ({"$tensor": 0, "device": "cpu"}, "there is no tensor 0, as there are 0"),
        ({"$bytes": "no base64"}, "is damaged"),
        ({"$dtype": "nn"}, "there is no dtype 'nn'"),
        ({"$dict": [[1]]}, "is damaged"),
    ],
)
def test_values_of_another_form_are_refused(value, text):
    assert text in refusal(file_of(value))


@pytest.mark.parametrize(
    ("shape", "end"), [([0, 2**63], 0), ([2**62, 4], 2**66), ([2**40], 2**42), ([0, 2**200], 0)]
)
def test_sizes_that_overflow_are_refused(shape, end):
    header = {"0": {"dtype": "F32", "shape": shape, "data_offsets": [0, end]}}

    refusal(file_of({"$tensor": 0, "device": "cpu"}, header))


def test_structures_that_are_nested_deep_are_refused():
    deep = "[" * 100_000 + "]" * 100_000
    form = '{"format":"opwright.data","version":1,"value":' + deep + "}"
    block = (2).to_bytes(8, "little") + b"{}"

    refusal(zip_of(("structure.json", form), ("tensors.safetensors", block)))


def huge_sizes():
    huge = {"dtype": "F32", "shape": [2**40], "data_offsets": [0, 2**42]}
    return file_of({"$tensor": 0, "device": "cpu"}, {"0": huge})


def many_members():
    return zip_of(*((f"{i}", b"") for i in range(20_000)))


def many_lists():
    return file_of([[] for _ in range(100_000)])


def compressed_zeros():
    zeros = bytes(50_000_000)
    return zip_of(
        ("structure.json", zeros),
        ("tensors.safetensors", zeros),
        compression=zipfile.ZIP_DEFLATED,
        compresslevel=1,
    )


@pytest.mark.parametrize("bomb", [huge_sizes, many_members, many_lists, compressed_zeros])
def test_a_file_uses_memory_in_proportion_to_its_length(bomb):
    data = bomb()
    tracemalloc.start()
    problem(data)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert peak < 40 * len(data) + 1_000_000

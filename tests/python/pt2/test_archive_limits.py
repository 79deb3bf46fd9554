"""Archives made to use much memory are refused in memory of the order of their length."""
# Covers: src/pt2/container/zip_archive, src/pt2/container/json, src/pt2/pt2_file,
# src/pt2/replay/higher_order.

import json
import subprocess
import sys
import warnings
import zipfile

import opwright as ow
import pytest
from opwright.export import load

MEGABYTE = 1 << 20

# Loads each file and prints the error and by how much memory the peak rose, in KiB.
MEASURE = """
import resource, sys
from opwright.export import load

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

for path in sys.argv[1:]:
    before = peak()
    try:
        load(path)
        print(peak() - before, "loaded", sep="\\t")
    except Exception as error:
        text = str(error).replace("\\n", " ")
        print(peak() - before, type(error).__name__ + ": " + text[-400:], sep="\\t")
"""


def make(path, *members, **settings):
    with zipfile.ZipFile(path, "w", **settings) as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # two members of one name
        for name, data in members:
            archive.writestr(zipfile.ZipInfo(f"m/{name}") if not settings else f"m/{name}", data)
    return path


def program(size):
    """Return the text of a program with an input of such a size, which is its result."""
    leaf = '{"type": null, "context": null, "children_spec": []}'
    arguments = f'{{"type": "builtins.tuple", "context": "null", "children_spec": [{leaf}]}}'
    keywords = '{"type": "builtins.dict", "context": "[]", "children_spec": []}'
    call = (
        f'"type": "builtins.tuple", "context": "null", "children_spec": [{arguments}, {keywords}]'
    )
    signature = {"in_spec": f"[1, {{{call}}}]", "out_spec": f"[1, {leaf}]", "inputs": []}
    value = {"dtype": 7, "sizes": [size], "strides": [{"as_int": 1}], "layout": 7}
    value |= {"storage_offset": {"as_int": 0}, "requires_grad": False}
    value["device"] = {"type": "cpu", "index": None}
    x = {"as_tensor": {"name": "x"}}
    graph = {"inputs": [x], "outputs": [x], "nodes": [], "tensor_values": {"x": value}}
    specs = {
        "input_specs": [{"user_input": {"arg": x}}],
        "output_specs": [{"user_output": {"arg": x}}],
    }
    return json.dumps(
        {
            "graph_module": {
                "graph": graph | {"sym_int_values": {}},
                "signature": specs,
                "module_call_graph": [{"fqn": "", "signature": signature}],
            },
            "range_constraints": {},
            "schema_version": {"major": 8, "minor": 20},
        }
    )


def nested_maps(depth):
    """Return the text of a program that maps over each dimension but the last, in each other."""
    document = json.loads(program({"as_int": 2}))
    module = document["graph_module"]
    value = module["graph"]["tensor_values"]["x"]
    value["sizes"] = [{"as_int": 2}] * (depth + 1)
    value["strides"] = [{"as_int": 2**place} for place in reversed(range(depth + 1))]
    x, y = {"as_tensor": {"name": "x"}}, {"as_tensor": {"name": "y"}}
    graph = {"inputs": [x], "outputs": [x], "nodes": [], "tensor_values": {}, "sym_int_values": {}}
    for _ in range(depth):
        arguments = [
            {"as_graph": {"name": "step", "graph": graph}},
            {"as_tensors": [{"name": "x"}]},
            {"as_tensors": []},
        ]
        node = {
            "target": "torch.ops.higher_order.map_impl",
            "inputs": [{"name": "", "arg": argument, "kind": 1} for argument in arguments],
            "outputs": [y],
            "metadata": {},
        }
        graph = graph | {"nodes": [node], "outputs": [y]}
    module["graph"] = graph | {"tensor_values": {"x": value}}
    module["signature"]["output_specs"] = [{"user_output": {"arg": y}}]
    return json.dumps(document)


def bombs(folder):
    """Yield a path, and what its error says."""
    zeros = bytes(200 * MEGABYTE)
    yield (
        make(folder / "zip.pt2", ("models/m.json", zeros), compression=zipfile.ZIP_DEFLATED),
        "is compressed; store it",
    )
    yield make(folder / "many.pt2", *((f"{i}", b"") for i in range(50_000))), "it has no entry"
    lists = "[" + ",".join(["[]"] * 500_000) + "]"
    yield make(folder / "lists.pt2", ("models/m.json", lists)), "an object is expected, got a list"
    yield make(folder / "deep.pt2", ("models/m.json", "[" * MEGABYTE)), "nested deeper than 256"
    yield (
        make(folder / "text.pt2", ("models/m.json", '"' + "x" * MEGABYTE)),
        "a string does not end",
    )
    nested = {"as_expr": {"expr_str": "Mul(" * 100_000, "hint": {"as_int": 1}}}
    yield make(folder / "size.pt2", ("models/m.json", program(nested))), "less nesting is expected"
    huge = make(folder / "huge.pt2", ("models/m.json", program({"as_int": 2**61})))
    yield huge, "has more than 2^62 bytes"
    yield (
        make(folder / "maps.pt2", ("models/m.json", nested_maps(24))),
        "24 loops over tensors (scan, map) in each other are not supported, at most 4 are",
    )
    data = make(folder / "length.pt2", ("models/m.json", "{}")).read_bytes()
    place = data.find(b"PK\1\2") + 20
    changed = data[:place] + (2**32 - 2).to_bytes(4, "little") * 2 + data[place + 8 :]
    (folder / "length.pt2").write_bytes(changed)
    yield folder / "length.pt2", "4294967294 bytes at"


def test_four_loops_in_each_other_are_read(tmp_path):
    path = make(tmp_path / "maps.pt2", ("models/m.json", nested_maps(4)))
    x = ow.randn(2, 2, 2, 2, 2)
    assert ow.equal(load(path)(x), x)


@pytest.mark.own_process
def test_the_memory_of_a_load_is_in_proportion_to_the_file(tmp_path):
    made = list(bombs(tmp_path))
    command = [sys.executable, "-c", MEASURE, *(path for path, _ in made)]

    done = subprocess.run(command, check=True, capture_output=True, text=True)

    for (path, text), line in zip(made, done.stdout.splitlines(), strict=True):
        rise, error = line.split("\t")
        assert text in error, path.name
        assert int(rise) * 1024 < 40 * path.stat().st_size + 20 * MEGABYTE, path.name

"""The wire form of GE graphs, read by protobuf from the fields that the document lists."""

import os
import re
import struct
import subprocess
from pathlib import Path

import pytest

descriptor_pb2 = pytest.importorskip("google.protobuf.descriptor_pb2")
from google.protobuf import descriptor_pool, message_factory  # noqa: E402

ROOT = Path(__file__).parents[3]
BUILD = Path(os.environ.get("OPWRIGHT_BUILD", ROOT / "build" / "release"))
KINDS = {"string": 9, "bytes": 12, "int64": 3, "uint32": 13, "float": 2, "bool": 8}

GRAPH = """graph(%x: float32[s0, 4], %w: float32[4, 2]) -> (%total, %pool) {
  symbol s0 in [2, inf], hint 6, from x.size(0)
  %mm: float32[s0, 2] = aten::mm(%x, %w)
  %view: float32[2*s0] = aten::view(%mm, [2*s0])
  %add: float32[2*s0] = aten::add.Scalar(%view, 1.5)
  %total: float32[] = aten::sum(%add)
  %gelu: float32[s0, 4] = aten::gelu(%x)
  %unsqueeze: float32[1, 1, s0, 4] = aten::view(%gelu, [1, 1, s0, 4])
  %pool: float32[1, 1, s0, 4] = aten::max_pool2d(%unsqueeze, [1, 1])
}
"""


def documented_messages():
    """Lines "| OpDef | input | 5 | repeated string |" of the document, by message."""
    messages = {}
    text = (ROOT / "docs/concepts/ge_graph.md").read_text()
    for line in re.findall(r"^\| (\w+) \| `?(\w+)`? \| (\d+) \| ([\w., ]+?) \|", text, re.M):
        message, field, number, kind = line
        messages.setdefault(message, []).append((field, int(number), kind))
    return messages


def model_class():
    file = descriptor_pb2.FileDescriptorProto(
        name="documented_ge_ir.proto", package="ge.documented", syntax="proto3"
    )
    for name, fields in documented_messages().items():
        message = file.message_type.add(name=name)
        for field, number, kind in fields:
            added = message.field.add(name=field, number=number, label=1)
            words = kind.split()
            if words[0] in ("repeated", "map"):
                added.label = 3
            if words[0] == "map":
                entry = message.nested_type.add(name=field.title().replace("_", "") + "Entry")
                entry.options.map_entry = True
                entry.field.add(name="key", number=1, label=1, type=9)
                entry.field.add(
                    name="value", number=2, label=1, type=11, type_name=f".ge.documented.{words[1]}"
                )
                added.type, added.type_name = 11, f".ge.documented.{name}.{entry.name}"
            elif words[-1] in KINDS:
                added.type = KINDS[words[-1]]
            else:
                added.type, added.type_name = 11, f".ge.documented.{words[-1]}"
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName("ge.documented.ModelDef"))


@pytest.fixture(scope="module")
def model():
    run = subprocess.run(
        [BUILD / "convert_graph", "ge-bytes"], input=GRAPH.encode(), capture_output=True, check=True
    )
    parsed = model_class()()
    parsed.ParseFromString(run.stdout)
    return parsed


def unknown_fields(message):
    """Names of messages that hold a field which the document does not list."""
    from google.protobuf.unknown_fields import UnknownFieldSet

    found = [message.DESCRIPTOR.name] if len(UnknownFieldSet(message)) else []
    for field, value in message.ListFields():
        if field.message_type is None:
            continue
        if field.message_type.GetOptions().map_entry:
            parts = value.values()
        else:
            parts = (
                value if hasattr(value, "__len__") and not hasattr(value, "ListFields") else [value]
            )
        for part in parts:
            found += unknown_fields(part)
    return found


def ops_of(model):
    return {op.name: op for op in model.graph[0].op}


def test_every_field_that_is_written_is_documented(model):
    assert unknown_fields(model) == []


def test_graph_names_its_inputs_and_outputs(model):
    graph = model.graph[0]
    assert (model.name, graph.name) == ("g", "g")
    assert list(graph.input) == ["x:0", "w:0"]
    assert list(graph.output) == ["ReduceSum:0", "MaxPoolV3:0"]


def test_op_names_what_it_reads_and_describes_it(model):
    product = ops_of(model)["MatMulV2"]
    assert product.type == "MatMulV2"
    assert list(product.input) == ["x:0", "w:0"]
    assert [each.name for each in product.input_desc] == ["x1", "x2"]
    assert [list(each.shape.dim) for each in product.input_desc] == [[-1, 4], [4, 2]]
    (output,) = product.output_desc
    assert (output.name, output.dtype, output.layout) == ("y", 1, "ND")
    assert list(output.shape.dim) == [-1, 2]


def test_op_lists_the_names_of_its_inputs_and_outputs(model):
    attributes = ops_of(model)["MatMulV2"].attr
    assert list(attributes["_input_name_key"].list.s) == [b"x1", b"x2"]
    assert attributes["_input_name_key"].list.val_type == 1
    assert list(attributes["_output_name_value"].list.i) == [0]


def test_data_has_its_place_and_a_descriptor_of_what_it_is_given(model):
    data = ops_of(model)["w"]
    assert (data.type, data.attr["index"].i) == ("Data", 1)
    assert data.input_desc[0].name == "x"
    assert data.output_desc[0].device_type == "NPU"


def test_constant_holds_its_bytes(model):
    ops = ops_of(model)
    value = ops[ops["Add"].input[1].split(":")[0]].attr["value"].t
    assert value.data == struct.pack("<f", 1.5)
    assert (value.desc.dtype, list(value.desc.shape.dim)) == (1, [])


def test_attributes_have_their_kinds(model):
    ops = ops_of(model)
    assert ops["GeluV2"].attr["approximate"].s == b"none"
    assert ops["ReduceSum"].attr["keep_dims"].b is False
    assert list(ops["MaxPoolV3"].attr["ksize"].list.i) == [1, 1, 1, 1]
    assert ops["MaxPoolV3"].attr["ksize"].list.val_type == 2
    assert ops["Shape"].attr["dtype"].i == 9


def test_net_output_comes_last_and_reads_the_outputs(model):
    last = model.graph[0].op[-1]
    assert last.type == "NetOutput"
    assert list(last.input) == ["ReduceSum:0", "MaxPoolV3:0"]
    assert [each.name for each in last.input_desc] == ["input0", "input1"]

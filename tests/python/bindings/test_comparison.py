"""Comparing objects of the bindings with other classes: `==`, `!=`, and which side decides."""

from unittest import mock

import opwright as ow
import pytest
from opwright import convert, ge, onnx, pytree
from opwright.export import Dim

GRAPH = ow.make_fx(lambda x: ow.ops.aten.max.dim(x, 0))(ow.ones(2)).graph
SIZE = ow.ShapeEnv().make_size(8, "x.size(0)")
SCHEMA = ow.ops.aten.mm.default.schema

OBJECTS = {
    "device": ow.device("cpu"),
    "dtype": ow.float32,
    "layout": ow.strided,
    "memory_format": ow.contiguous_format,
    "SymInt": SIZE,
    "SymBool": SIZE > 4,
    "Operator": ow.ops.aten.mm.default,
    "OperatorPacket": ow.ops.aten.mm,
    "OperatorNamespace": ow.ops.aten,
    "Generator": ow.Generator(),
    "ShapeEnv": SIZE.shape_env,
    "Schema": SCHEMA,
    "Argument": SCHEMA.arguments[0],
    "Return": SCHEMA.returns[0],
    "Dim": Dim("rows"),
    "Tensor": ow.ones(2),
    "Graph": GRAPH,
    "Node": GRAPH.nodes[0],
    "NodeValue": GRAPH.outputs[0],
    "TreeSpec": pytree.tree_flatten([1, 2])[1],
}
FOREIGN = [None, "cpu", object(), [1]]


def compare_with_foreign(thing):
    return [(thing == other, thing != other, other == thing) for other in FOREIGN]


ALL_DIFFER = [(False, True, False)] * len(FOREIGN)


@pytest.mark.parametrize("thing", OBJECTS.values(), ids=OBJECTS)
def test_an_object_of_another_class_is_not_equal(thing):
    assert compare_with_foreign(thing) == ALL_DIFFER


@pytest.mark.parametrize("thing", OBJECTS.values(), ids=OBJECTS)
def test_an_object_that_can_compare_itself_is_asked(thing):
    assert thing == mock.ANY


@pytest.mark.parametrize("name", OBJECTS)
def test_an_object_of_another_class_has_no_order(name):
    with pytest.raises(TypeError, match="'<' not supported between instances of"):
        OBJECTS[name] < None  # noqa: B015


def test_devices_are_compared_by_type_and_index():
    assert ow.device("cpu") == ow.device("cpu", 0)
    assert ow.device("cuda", 1) == ow.device("cuda:1")
    assert ow.device("cuda", 1) != ow.device("cuda", 0)
    assert ow.device("cuda") != ow.device("cpu")


@pytest.fixture
def twin():
    """Return an operator without kernels on a device, for converters."""
    with ow.library.Library("compared", "DEF") as library:
        library.define("twin(Tensor x) -> Tensor")
        library.impl("twin", lambda x: ow.empty_like(x), "Meta")
        yield library


def test_a_value_of_a_vendors_graph_differs_from_objects_of_other_classes(twin):
    seen = []

    def convert_twin(x, meta_outputs=None):
        seen.extend(compare_with_foreign(x))
        return ge.custom_op("Twin", inputs={"x": x}, outputs=["y"])

    convert.register_converter("compared::twin", "ge", convert_twin, lib=twin)
    ge.convert(lambda x: ow.ops.compared.twin(x), (ow.ones(2),))

    assert seen == ALL_DIFFER


def test_a_value_of_an_onnx_model_differs_from_objects_of_other_classes(twin):
    seen = []

    def twin_symbolic(g, x):
        seen.extend(compare_with_foreign(x))
        return g.op("compared::Twin", x)

    onnx.register_custom_op_symbolic("compared::twin", twin_symbolic, 12)
    try:
        onnx.export(lambda x: ow.ops.compared.twin(x), (ow.ones(2),), opset_version=12)
    finally:
        onnx.unregister_custom_op_symbolic("compared::twin", 12)

    assert seen == ALL_DIFFER

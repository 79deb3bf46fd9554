"""Symbolics: what Python functions make of calls."""
# Covers: python/bindings/onnx/*.

import gc
import weakref
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import onnx as reader
import opwright as ow
import pytest
from opwright import onnx
from opwright.onnx import symbolic_helper
from opwright.onnx.scalar_type import JitScalarType
from opwright.onnx.symbolic_helper import parse_args


@pytest.fixture(autouse=True)
def operators() -> Iterator[None]:
    with ow.library.Library("symb", "DEF") as library:
        library.define("pair(Tensor x, Tensor y, float alpha=1.0) -> (Tensor, Tensor)")
        library.impl("pair", lambda x, y, alpha: (ow.empty_like(x), ow.empty_like(y)), "Meta")
        library.define(
            "all(Tensor x, int i, str s, bool b, int[] sizes, float[] fs, Tensor? w) -> Tensor"
        )
        library.impl("all", lambda x, *rest: ow.empty_like(x), "Meta")
        library.define("join(Tensor[] xs, int dim) -> Tensor")
        library.impl("join", lambda xs, dim: ow.empty_like(xs[0]), "Meta")
        library.define("resize(Tensor x, SymInt[] sizes) -> Tensor")
        library.impl("resize", lambda x, sizes: x.new_empty(sizes), "Meta")
        library.define("scale_(Tensor(a!) x, float factor) -> Tensor(a!)")
        library.impl("scale_", lambda x, factor: x, "Meta")
        library.define("fill(Tensor(a!) x, Tensor y) -> ()")
        library.impl("fill", lambda x, y: None, "Meta")
        library.define("cast(Tensor x, ScalarType dtype) -> Tensor")
        library.impl("cast", lambda x, dtype: ow.empty_like(x, dtype=dtype), "Meta")
        yield


@pytest.fixture
def symbolic() -> Iterator[Any]:
    """Register for the length of a test."""
    registered = []

    def register(name: str, function: Any, opset: int = 12) -> None:
        onnx.register_custom_op_symbolic(name, function, opset)
        registered.append((name, opset))

    yield register
    for name, opset in registered:
        onnx.unregister_custom_op_symbolic(name, opset)


X = ow.ones(2, 3)


def pair(x, y):
    return ow.ops.symb.pair(x, y, 0.5)


def nodes_of(model: onnx.OnnxModel) -> list[str]:
    return [line.strip() for line in model.text().splitlines() if " = " in line]


def test_a_symbolic_names_the_node_and_its_attributes(symbolic):
    @parse_args("v", "v", "f")
    def convert(g, x, y, alpha):
        return g.op("vendor::Pair", x, y, alpha_f=alpha, outputs=2)

    symbolic("symb::pair", convert)

    model = onnx.export(pair, (X, X), opset_version=12)

    assert nodes_of(model) == ["output_0, output_1 = vendor::Pair<alpha=0.5>(x, y)"]
    reader.checker.check_model(model.model_proto, full_check=True)


def test_attributes_have_the_kind_of_their_suffix(symbolic):
    @parse_args("v", "v", "f")
    def convert(g, x, y, alpha):
        return g.op(
            "vendor::Pair",
            x,
            y,
            one_i=1,
            many_i=[1, 2],
            half_f=0.5,
            whole_f=2,
            floats_f=(1, 0.5),
            mode_s="up",
            modes_s=["a", "b"],
            table_t=ow.tensor([1, 2]),
            tables_t=[ow.tensor(1), ow.tensor(2)],
            left_out_i=None,
            outputs=2,
        )

    symbolic("symb::pair", convert)

    (node,) = onnx.export(pair, (X, X)).model_proto.graph.node

    kinds = {
        each.name: reader.AttributeProto.AttributeType.Name(each.type) for each in node.attribute
    }
    assert kinds == {
        "one": "INT",
        "many": "INTS",
        "half": "FLOAT",
        "whole": "FLOAT",
        "floats": "FLOATS",
        "mode": "STRING",
        "modes": "STRINGS",
        "table": "TENSOR",
        "tables": "TENSORS",
    }
    values = {each.name: reader.helper.get_attribute_value(each) for each in node.attribute}
    assert (values["many"], values["floats"]) == ([1, 2], [1.0, 0.5])
    assert (values["mode"], values["modes"]) == (b"up", [b"a", b"b"])


def test_descriptors_give_python_objects(symbolic):
    seen = []

    @parse_args("v", "i", "s", "b", "is", "fs", "v")
    def convert(g, x, i, s, b, sizes, fs, w):
        seen.append((i, s, b, sizes, fs, symbolic_helper._is_none(w)))
        return x

    symbolic("symb::all", convert)

    onnx.export(lambda x: ow.ops.symb.all(x, 3, "up", True, [1, 2], [0.5], None), (X,))

    assert seen == [(3, "up", True, [1, 2], [0.5], True)]


def test_without_parse_args_constants_are_values_that_can_be_inputs(symbolic):
    def convert(g, x, i, s, b, sizes, fs, w):
        assert s.toIValue() == "up"
        assert symbolic_helper._maybe_get_const(i, "i") == 3
        assert symbolic_helper._get_const(fs, "fs", "fs") == [0.5]
        assert w.node().mustBeNone()
        return g.op("vendor::All", x, i, sizes, fs, w, 7, 0.25, [1, 2], ow.tensor([True]))

    symbolic("symb::all", convert)

    model = onnx.export(lambda x: ow.ops.symb.all(x, 3, "up", True, [1, 2], [0.5], None), (X,))

    graph = model.model_proto.graph
    values = {each.name: reader.numpy_helper.to_array(each) for each in graph.initializer}
    inputs = graph.node[0].input
    assert [inputs[0], inputs[4]] == ["x", ""]
    assert [values[name].tolist() for name in [*inputs[1:4], *inputs[5:]]] == [
        3,
        [1, 2],
        [0.5],
        7,
        0.25,
        [1, 2],
        [True],
    ]


def test_values_tell_their_sizes_and_dtypes(symbolic):
    seen = {}

    def convert(g, x, y, alpha):
        kind = x.type()
        seen["sizes"] = (kind.sizes(), kind.dim(), kind.scalarType(), kind.dtype())
        seen["symbols"] = [str(size) for size in kind.sym_sizes]
        seen["nodes"] = [x.node().kind(), alpha.node().kind(), x.debugName(), repr(x)]
        relu = g.op("Relu", x)  # a node of ONNX itself, so its type is known
        seen["made"] = (relu.type().sizes(), relu.node().kind(), relu.node().input() == x)
        relu.setType(kind)
        seen["set"] = relu.type().sizes()
        leaky = g.op("LeakyRelu", relu, alpha_f=0.5)
        seen["attribute"] = (leaky.node().f("alpha"), leaky.node().attributeNames())
        return leaky, y

    symbolic("symb::pair", convert)

    model = onnx.export(pair, (X, X), dynamic_axes={"x": {0: "batch"}, "y": {0: "batch"}})

    assert seen == {
        "sizes": ([None, 3], 2, "Float", ow.float32),
        "symbols": ["batch", "3"],
        "nodes": ["prim::Param", "onnx::Constant", "x", "%x: float32[batch, 3]"],
        "made": ([None, 3], "onnx::Relu", True),
        "set": [None, 3],
        "attribute": (0.5, ["alpha"]),
    }
    assert nodes_of(model)[-1].startswith("output_1 = Identity")


def test_constants_that_g_op_makes_can_be_read(symbolic):
    def convert(g, x, y, alpha):
        axes = g.op("onnx::Constant", value_t=ow.tensor([0, 1]))
        assert symbolic_helper._maybe_get_const(axes, "is") == [0, 1]
        assert axes.node().kind() == "onnx::Constant"
        assert axes.node().t("value").tolist() == [0, 1]
        return g.op("ReduceSum", x, axes), y

    symbolic("symb::pair", convert, 13)

    reader.checker.check_model(onnx.export(pair, (X, X)).model_proto)


def test_lists_of_tensors_are_unpacked(symbolic):
    @parse_args("v", "i")
    def convert(g, xs, dim):
        assert symbolic_helper._is_packed_list(xs)
        return g.op("Concat", *symbolic_helper._unpack_list(xs), axis_i=dim)

    symbolic("symb::join", convert)

    model = onnx.export(lambda x, y: ow.ops.symb.join([x, y], 0), (X, X))

    assert nodes_of(model) == ["output_0 = Concat<axis=0>(x, y)"]


def test_sizes_that_change_are_computed_inputs(symbolic):
    def convert(g, x, sizes):
        return g.op("vendor::Resize", x, sizes)

    symbolic("symb::resize", convert)

    model = onnx.export(
        lambda x: ow.ops.symb.resize(x, [x.shape[0], 2]), (X,), dynamic_axes={"x": {0: "n"}}
    )

    reader.checker.check_model(model.model_proto)
    assert "Shape" in model.text()
    assert "output output_0: float32[n, 2]" in model.text()


def test_the_symbolic_of_an_operator_that_writes_gives_the_new_values(symbolic):
    symbolic("symb::scale_", lambda g, x, factor: g.op("vendor::Scale", x))
    symbolic("symb::fill", lambda g, x, y: g.op("vendor::Fill", x, y))

    def f(x):
        y = ow.ops.symb.scale_(x.clone(), 2.0)
        z = y.flip(0)
        ow.ops.symb.fill(z, y)
        return z

    nodes = nodes_of(onnx.export(f, (X,)))

    assert nodes[0].endswith("= vendor::Scale(x)")
    assert "= vendor::Fill(" in nodes[-1]


def test_a_dtype_is_pytorchs_number_of_it(symbolic):
    @parse_args("v", "i")
    def convert(g, x, dtype):
        return g.op("Cast", x, to_i=symbolic_helper.scalar_type_to_onnx[dtype])

    symbolic("symb::cast", convert)

    model = onnx.export(lambda x: ow.ops.symb.cast(x, ow.float64), (X,))

    reader.checker.check_model(model.model_proto, full_check=True)


def test_the_newest_opset_that_is_not_too_new_counts(symbolic):
    for opset in (12, 15):
        symbolic(
            "symb::pair",
            lambda g, x, y, alpha, opset=opset: g.op(f"vendor::Since{opset}", x, y, outputs=2),
            opset,
        )

    names = [
        onnx.export(pair, (X, X), opset_version=opset).model_proto.graph.node[0].op_type
        for opset in (12, 14, 15, 20)
    ]

    assert names == ["Since12", "Since12", "Since15", "Since15"]


def test_a_symbolic_that_is_registered_anew_replaces_the_older():
    for name in ("First", "Second"):
        onnx.register_custom_op_symbolic(
            "symb::pair",
            lambda g, x, y, alpha, name=name: g.op(f"vendor::{name}", x, y, outputs=2),
            12,
        )
    assert "vendor::Second" in onnx.export(pair, (X, X)).text()

    onnx.unregister_custom_op_symbolic("symb::pair", 12)

    assert "symb::pair<alpha=0.5>(x, y)" in onnx.export(pair, (X, X)).text()


def test_a_rule_of_the_core_is_replaced(symbolic):
    symbolic("aten::sum", lambda g, x, *rest: g.op("vendor::Sum", x))

    assert nodes_of(onnx.export(lambda x: x.sum(), (X,))) == ["output_0 = vendor::Sum(x)"]


def test_the_rule_of_the_core_is_back_afterwards():
    assert "ReduceSum" in onnx.export(lambda x: x.sum(), (X,)).text()


def test_a_symbolic_may_stand_before_its_operator():
    onnx.register_custom_op_symbolic("symb_late::one", lambda g, x: g.op("vendor::Late", x), 12)
    with ow.library.Library("symb_late", "DEF") as library:
        library.define("one(Tensor x) -> Tensor")
        library.impl("one", lambda x: ow.empty_like(x), "Meta")

        model = onnx.export(lambda x: ow.ops.symb_late.one(x), (X,))

    assert nodes_of(model) == ["output_0 = vendor::Late(x)"]


def test_helpers_write_the_form_of_the_opset(symbolic):
    def convert(g, x, y, alpha):
        wide = symbolic_helper._unsqueeze_helper(g, x, [0])
        narrow = symbolic_helper._squeeze_helper(g, wide, [0])
        total = symbolic_helper._reducesum_helper(g, narrow, axes_i=[1], keepdims_i=0)
        first = symbolic_helper._select_helper(g, y, 0, 0)
        part = symbolic_helper._slice_helper(g, y, [1], [0], [2])
        size = symbolic_helper._size_helper(g, y, 0)
        flat = symbolic_helper._reshape_helper(g, part, [-1])
        g.op("vendor::Unused", total, first, size)
        return total, flat

    symbolic("symb::pair", convert)

    for opset in (12, 13, 20):
        model = onnx.export(pair, (X, X), opset_version=opset).model_proto
        reader.checker.check_model(model)
        unsqueeze = next(node for node in model.graph.node if node.op_type == "Unsqueeze")
        assert len(unsqueeze.input) == (1 if opset == 12 else 2)


def test_helpers_answer_questions(symbolic):
    def convert(g, x, y, alpha):
        assert symbolic_helper._get_tensor_rank(x) == 2
        assert symbolic_helper._get_tensor_sizes(x) == [None, 3]
        assert symbolic_helper._get_tensor_sizes(x, allow_nonstatic=False) is None
        assert symbolic_helper._get_tensor_dim_size(x, 1) == 3
        assert symbolic_helper._try_get_scalar_type(x) == "Float"
        assert symbolic_helper._is_fp(x)
        assert not symbolic_helper._is_bool(x)
        assert symbolic_helper._is_constant(alpha)
        assert not symbolic_helper._is_constant(x)
        assert symbolic_helper._is_value(x)
        assert symbolic_helper._is_tensor(x)
        assert symbolic_helper._maybe_get_scalar(alpha).item() == 0.5
        assert symbolic_helper._maybe_get_const(x, "i") == x
        assert symbolic_helper.args_have_same_dtype([x, y])
        assert symbolic_helper._if_scalar_type_as(2, x).dtype == ow.float32
        assert symbolic_helper.cast_pytorch_to_onnx["Float"] == 1
        return x, y

    symbolic("symb::pair", convert)

    assert onnx.export(pair, (X, X), dynamic_axes={"x": [0]}).input_names == ["x", "y"]


def test_scalar_types_have_pytorchs_names(symbolic):
    def convert(g, x, y, alpha):
        kind = JitScalarType.from_value(x)
        assert (kind, kind.scalar_name(), kind.dtype()) == (6, "Float", ow.float32)
        assert JitScalarType.from_name("Long").onnx_type() == 7
        unknown = g.op("symb::other", x)
        assert JitScalarType.from_value(unknown, JitScalarType.HALF) == JitScalarType.HALF
        return g.op("Cast", x, to_i=kind.onnx_type()), y

    symbolic("symb::pair", convert)

    reader.checker.check_model(onnx.export(pair, (X, X)).model_proto)
    with pytest.raises(ValueError, match="there is no scalar type 'Number'"):
        JitScalarType.from_name("Number")


def test_a_symbolic_that_was_removed_is_dropped():
    def make() -> weakref.ref:
        def convert(g, x, y, alpha):
            return x, y

        onnx.register_custom_op_symbolic("symb::pair", convert, 12)
        onnx.export(pair, (X, X))
        onnx.unregister_custom_op_symbolic("symb::pair", 12)
        return weakref.ref(convert)

    dropped = make()
    gc.collect()

    assert dropped() is None


def test_symbolics_run_in_several_threads(symbolic):
    symbolic("symb::pair", lambda g, x, y, alpha: g.op("vendor::Pair", x, y, outputs=2))

    with ThreadPoolExecutor(4) as pool:
        texts = list(pool.map(lambda _: nodes_of(onnx.export(pair, (X, X))), range(16)))

    assert texts == [["output_0, output_1 = vendor::Pair(x, y)"]] * 16

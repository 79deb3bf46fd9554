"""register_fx_node_ge_converter: what a converter receives, creates and returns."""

import re

import opwright as ow
import pytest
from opwright import convert, ge


@pytest.fixture
def converter(npu):
    """Register a function as the converter of trial_ge::add_custom, for the length of a test."""

    def register(function):
        return convert.register_converter("trial_ge::add_custom", "ge", function, lib=npu)

    return register


def make(*args, **kwargs):
    return ge.convert(lambda x, y: ow.ops.trial_ge.add_custom(x, y), args, **kwargs)


def types(graph):
    return [op.type for op in graph.ops]


def test_a_call_is_the_op_that_its_converter_makes(converter):
    @converter
    def convert_add(x: ge.Tensor, y: ge.Tensor, z: ge.Tensor = None, meta_outputs=None):
        assert z is None
        return ge.custom_op("TrialAdd", inputs={"x": x, "y": y}, outputs=["z"])

    graph = make(ow.ones(2), ow.ones(2))

    assert types(graph) == ["Data", "Data", "TrialAdd", "NetOutput"]
    op = graph.ops[2]
    assert op.inputs == [f"{name}:0" for name in graph.input_names]
    assert op.output_descriptors == [("z", ow.float32, [2])]
    assert [name for name, _, _ in op.input_descriptors] == ["x", "y"]


def test_a_tensor_shows_dtype_sizes_and_where_it_comes_from(converter):
    seen = {}

    @converter
    def convert_add(x, y, meta_outputs):
        seen.update(dtype=x.dtype, shape=x.shape, rank=x.rank, name=x.name, node=x.node)
        seen.update(symbols=str(x.symsize), text=repr(x), same=x == x, other=x == y)
        seen.update(meta=(meta_outputs.dtype, meta_outputs.is_fake, str(meta_outputs.shape)))
        return ge.custom_op("TrialAdd", inputs={"x": x, "y": y}, outputs=["z"])

    rows = ow.export.Dim("rows")
    make(
        ow.ones(2, 3, dtype=ow.float16),
        ow.ones(2, 3, dtype=ow.float16),
        dynamic_shapes={"x": {0: rows}, "y": {0: rows}},
    )

    assert seen == {
        "dtype": ge.DataType.DT_FLOAT16,
        "shape": [-1, 3],
        "rank": 2,
        "name": "x:0",
        "node": "x",
        "symbols": "[rows, 3]",
        "text": "ge.Tensor(x:0, dtype=DT_FLOAT16, shape=[rows, 3])",
        "same": True,
        "other": False,
        "meta": (ow.float16, True, "(rows, 3)"),
    }


def test_arguments_that_are_no_tensors_come_as_they_are(npu):
    seen = {}
    npu.define(
        "mixed(Tensor x, int[] sizes, float scale=2.0, *, str mode='a', Tensor? b=None) -> Tensor"
    )
    npu.impl("mixed", lambda x, sizes, scale=2.0, *, mode="a", b=None: ow.empty_like(x), "Meta")

    def convert_mixed(x, sizes, scale, mode, b):
        seen.update(sizes=sizes, scale=scale, mode=mode, b=b)
        return ge.custom_op("TrialMixed", inputs={"x": x}, outputs=["y"])

    convert.register_converter("trial_ge::mixed", "ge", convert_mixed, lib=npu)
    ge.convert(lambda x: ow.ops.trial_ge.mixed(x, [1, 2], mode="b"), (ow.ones(2),))

    assert seen == {"sizes": [1, 2], "scale": 2.0, "mode": "b", "b": None}


def test_attributes_are_plain_or_typed_and_numbers_become_constants(converter):
    @converter
    def convert_add(x, y):
        return ge.custom_op(
            "TrialAdd",
            inputs={"x": x, "y": ge.Const([1.0, 2.0]), "z": 3},
            outputs=["out"],
            attrs={"axis": 1, "scale": ge.attr.Float(2), "mode": "up", "axes": [0, 1]},
            node_name="the_sum",
        )

    graph = make(ow.ones(2), ow.ones(2))

    (op,) = [op for op in graph.ops if op.type == "TrialAdd"]
    assert op.name == "the_sum"
    assert {name: op.attributes[name] for name in ("axis", "scale", "mode", "axes")} == {
        "axis": 1,
        "scale": 2.0,
        "mode": "up",
        "axes": [0, 1],
    }
    assert isinstance(op.attributes["scale"], float)
    assert types(graph).count("Const") == 2


def test_several_outputs_are_a_tuple_and_dynamic_ones_a_list(npu):
    npu.define("pair(Tensor x) -> (Tensor, Tensor)")
    npu.impl("pair", lambda x: (ow.empty_like(x), ow.empty_like(x)), "Meta")

    def convert_pair(x):
        first, many = ge.custom_op("TrialPair", inputs={"x": x}, outputs=["a", ("b", 2)])
        assert isinstance(many, list)
        return first, many[1]

    convert.register_converter("trial_ge::pair", "ge", convert_pair, lib=npu)
    graph = ge.convert(lambda x: ow.ops.trial_ge.pair(x), (ow.ones(2),))

    assert [name.split(":")[1] for name in graph.output_names] == ["0", "2"]


# ---- what is refused -----------------------------------------------------------------------------


def test_an_operator_without_a_converter_is_named_with_the_users_line(npu, here):
    def f(x):
        return ow.ops.trial_ge.add_custom(x, x)  # the call

    with pytest.raises(NotImplementedError, match="trial_ge::add_custom") as raised:
        ge.convert(f, (ow.ones(2),))

    assert here("the call") in str(raised.value)
    assert "register_fx_node_ge_converter" in str(raised.value)


def test_a_wrong_number_of_results_is_told(converter, here):
    @converter
    def convert_add(x, y):
        return x, y

    with pytest.raises(ValueError, match="its converter convert_add") as raised:
        make(ow.ones(2), ow.ones(2))

    assert "returned 2 values, but the operator has 1 result" in str(raised.value)


def test_a_result_that_is_no_tensor_of_the_engine_is_told(converter):
    @converter
    def convert_add(x, y):
        return 3

    with pytest.raises(
        TypeError,
        match=r"returned int for result 0; it must be a ge\.Tensor that custom_op gave",
    ):
        make(ow.ones(2), ow.ones(2))


def test_a_tensor_is_of_no_use_after_its_converter(converter):
    kept = []

    @converter
    def convert_add(x, y):
        kept.append(x)
        return ge.custom_op("TrialAdd", inputs={"x": x, "y": y}, outputs=["z"])

    make(ow.ones(2), ow.ones(2))

    assert repr(kept[0]) == "<ge.Tensor of a converter that ended>"
    with pytest.raises(RuntimeError, match="was used after the converter had ended"):
        _ = kept[0].dtype


def test_an_exception_of_a_converter_comes_out_as_it_is(converter):
    @converter
    def convert_add(x, y):
        raise LookupError("no such chip")

    with pytest.raises(LookupError, match="no such chip"):
        make(ow.ones(2), ow.ones(2))


@pytest.mark.parametrize(
    ("inputs", "attrs", "kind", "problem"),
    [
        ({"x": "x", "w": "y"}, {}, ValueError, "'w'"),
        ({"x": "x"}, {}, ValueError, "'y'"),
        ({"x": "x", "y": "y"}, {"beta": 1}, ValueError, "'beta'"),
        ({"x": "x", "y": "y"}, {"alpha": "much"}, TypeError, "alpha"),
    ],
)
def test_an_op_that_does_not_fit_its_prototype_is_refused_with_both(
    converter, inputs, attrs, kind, problem
):
    proto = ge.reg_op("TrialChecked(x: ALL, y: {FLOAT, INT64}; alpha: Float = 1.0) -> (z: ALL)")

    @converter
    def convert_add(x, y):
        given = {"x": x, "y": y}
        return ge.custom_op(
            "TrialChecked",
            inputs={name: given[value] for name, value in inputs.items()},
            outputs=["z"],
            attrs=attrs,
        )

    with pytest.raises(kind, match=re.escape(proto.text)) as raised:
        make(ow.ones(2), ow.ones(2))

    assert problem in str(raised.value)
    assert str(raised.value).count("TrialChecked") >= 2


def test_a_dtype_that_the_prototype_does_not_take_is_refused(converter):
    ge.reg_op("TrialChecked(x: ALL, y: {FLOAT, INT64}; alpha: Float = 1.0) -> (z: ALL)")

    @converter
    def convert_add(x, y):
        return ge.custom_op("TrialChecked", inputs={"x": x, "y": y}, outputs=["z"])

    problem = r"GE: TrialChecked: input 'y' is float16, which is not in \{FLOAT, INT64\}"
    with pytest.raises(TypeError, match=problem):
        make(ow.ones(2, dtype=ow.float16), ow.ones(2, dtype=ow.float16))


def test_a_rule_for_an_engine_that_is_not_there_is_refused(npu):
    with pytest.raises(ValueError, match="there is no engine 'gee'; there are: 'onnx', 'ge'"):
        convert.register_converter("trial_ge::add_custom", "gee", lambda x, y: x, lib=npu)

"""What is wrong in an export says so in the user's terms: each has its own message."""

import re
import traceback
from collections.abc import Iterator

import opwright as ow
import pytest
from opwright import convert, onnx
from opwright.onnx.symbolic_helper import parse_args


@pytest.fixture(autouse=True)
def operators() -> Iterator[None]:
    with ow.library.Library("badin", "DEF") as library:
        library.define("pair(Tensor x, Tensor y, float alpha) -> (Tensor, Tensor)")
        library.impl("pair", lambda x, y, alpha: (ow.empty_like(x), ow.empty_like(y)), "Meta")
        yield


X = ow.ones(2, 3)


def pair(x, y):
    return ow.ops.badin.pair(x, y, 0.5)


def fail_with(symbolic, kind=Exception, **options) -> str:
    """Export with a symbolic; return the message."""
    onnx.register_custom_op_symbolic("badin::pair", symbolic, 12)
    try:
        with pytest.raises(kind) as failure:
            onnx.export(pair, (X, X), **options)
    finally:
        onnx.unregister_custom_op_symbolic("badin::pair", 12)
    return str(failure.value)


# ---- Symbolics ----


def test_a_symbolic_that_returns_too_few_values():
    def one(g, x, y, alpha):
        return g.op("vendor::Pair", x, y)

    message = fail_with(one, ValueError)

    assert re.match(
        r"badin::pair \(.*test_bad_input.py:\d+\): its symbolic one \(.*test_bad_input.py:\d+\) "
        r"returned 1 value, but the operator has 2 results\n"
        r"  A node with several outputs is g.op\(..., outputs=2\)\.",
        message,
    )


def test_a_symbolic_that_returns_nothing():
    assert "returned 0 values, but the operator has 2 results" in fail_with(
        lambda g, x, y, alpha: None, ValueError
    )


def test_a_symbolic_that_returns_what_is_no_value():
    message = fail_with(lambda g, x, y, alpha: ("x", y), TypeError)

    assert (
        "returned str for result 0; it must be what g.op gave, an argument, or a tensor" in message
    )


@pytest.mark.parametrize(
    ("attribute", "message"),
    [
        (
            {"alpha_f": "x"},
            'g.op("vendor::Pair"): the attribute alpha_f ends in _f, so it must be a float or a '
            "list of such, got str 'x'",
        ),
        (
            {"axis_i": 0.5},
            'g.op("vendor::Pair"): the attribute axis_i ends in _i, so it must be an int or a list '
            "of such, got float 0.5",
        ),
        (
            {"mode_s": 1},
            'g.op("vendor::Pair"): the attribute mode_s ends in _s, so it must be a str or a list '
            "of such, got int 1",
        ),
        (
            {"axes_i": [1, "x"]},
            'g.op("vendor::Pair"): the attribute axes_i ends in _i, so it must be an int or a list '
            "of such, got str 'x'",
        ),
        (
            {"table_t": "x"},
            'g.op("vendor::Pair"): the attribute table_t ends in _t, so it must be a tensor or a '
            "list of such, got str 'x'",
        ),
    ],
)
def test_an_attribute_of_a_wrong_kind(attribute, message):
    def symbolic(g, x, y, alpha):
        return g.op("vendor::Pair", x, y, outputs=2, **attribute)

    assert fail_with(symbolic, TypeError).startswith(message)


@pytest.mark.parametrize(("name", "proposal"), [("alpha", "alpha_f"), ("alpha_q", "alpha_q_f")])
def test_an_attribute_without_a_suffix(name, proposal):
    def symbolic(g, x, y, alpha):
        return g.op("vendor::Pair", x, y, outputs=2, **{name: 0.5})

    assert fail_with(symbolic, ValueError).startswith(
        f"g.op(\"vendor::Pair\"): the attribute '{name}' has no suffix for its kind; write "
        f"{proposal}=... (_i for ints, _f for floats, _s for strings, _t for tensors, and lists of "
        "them)"
    )


def test_an_attribute_that_is_a_value_of_the_graph():
    def symbolic(g, x, y, alpha):
        return g.op("vendor::Pair", x, y, alpha_f=alpha, outputs=2)

    assert fail_with(symbolic, TypeError).startswith(
        'g.op("vendor::Pair"): the attribute alpha_f is a value of the graph; describe that '
        "argument in parse_args ('i', 'f', 's', ...) to get its constant, or give it as an input "
        "of the node"
    )


@pytest.mark.parametrize("outputs", [0, -1, "2", 1.5])
def test_outputs_that_are_no_number(outputs):
    def symbolic(g, x, y, alpha):
        return g.op("vendor::Pair", x, y, outputs=outputs)

    assert (
        'g.op("vendor::Pair"): outputs must be the number of the node\'s outputs, got '
        f"{outputs!r}" in fail_with(symbolic, ValueError)
    )


def test_an_input_that_is_a_string():
    def symbolic(g, x, y, alpha):
        return g.op("vendor::Pair", x, "y", outputs=2)

    assert fail_with(symbolic, TypeError).startswith(
        'g.op("vendor::Pair"): input 1 is str, which cannot be an input of a node; give it as an '
        "attribute: name_s=..."
    )


def test_a_node_without_a_name():
    def symbolic(g, x, y, alpha):
        return g.op("vendor::", x, y, outputs=2)

    assert "'vendor::' is not a node name" in fail_with(symbolic, ValueError)


@pytest.mark.parametrize(
    ("descriptor", "message"),
    [
        (
            "i",
            "the symbolic convert: the argument 'alpha' is described by 'i' (an int), but it is "
            "float 0.5; describe it by 'f'",
        ),
        (
            "is",
            "the symbolic convert: the argument 'alpha' is described by 'is' (a list of ints), but "
            "it is float 0.5; describe it by 'f'",
        ),
        (
            "s",
            "the symbolic convert: the argument 'alpha' is described by 's' (a string), but it is "
            "float 0.5; describe it by 'f'",
        ),
    ],
)
def test_a_descriptor_that_does_not_fit(descriptor, message):
    @parse_args("v", "v", descriptor)
    def convert(g, x, y, alpha):
        return x, y

    assert fail_with(convert, TypeError).startswith(message)


def test_a_descriptor_of_a_constant_for_a_value_that_is_computed():
    @parse_args("v", "f", "f")
    def convert(g, x, y, alpha):
        return x, y

    assert fail_with(convert, ValueError).startswith(
        "the symbolic convert: the argument 'y' is described by 'f' (a float), but it is computed "
        "when the model runs, float32[2, 3]\n"
        "  Describe it by 'v' and give it to g.op as an input."
    )


def test_too_few_descriptors():
    @parse_args("v", "v")
    def convert(g, x, y, alpha):
        return x, y

    assert re.match(
        r"the symbolic convert has 2 descriptors in parse_args, but badin::pair \(.*:\d+\) has 3 "
        "arguments; give one for each",
        fail_with(convert, ValueError),
    )


def test_a_descriptor_that_is_none():
    with pytest.raises(ValueError, match="parse_args: there is no descriptor 'x'; there are 'v'"):
        parse_args("v", "x")


def test_a_symbolic_that_raises_keeps_its_traceback():
    def deep_inside():
        raise KeyError("a fault of its own")

    def symbolic(g, x, y, alpha):
        deep_inside()

    onnx.register_custom_op_symbolic("badin::pair", symbolic, 12)
    try:
        with pytest.raises(KeyError, match="a fault of its own") as failure:
            onnx.export(pair, (X, X))
    finally:
        onnx.unregister_custom_op_symbolic("badin::pair", 12)

    frames = [frame.name for frame in traceback.extract_tb(failure.value.__traceback__)]
    assert frames[-2:] == ["symbolic", "deep_inside"]


def test_a_value_that_is_used_after_its_symbolic_ended():
    kept = []

    def symbolic(g, x, y, alpha):
        kept.append((g, x))
        return x, y

    onnx.register_custom_op_symbolic("badin::pair", symbolic, 12)
    onnx.export(pair, (X, X))
    onnx.unregister_custom_op_symbolic("badin::pair", 12)
    graph, value = kept[0]

    for use in (value.type, lambda: graph.op("Relu", value), lambda: graph.opset):
        with pytest.raises(RuntimeError, match="was used after the symbolic had ended"):
            use()


# ---- Registering ----


def test_a_symbolic_for_what_is_no_name():
    with pytest.raises(ValueError, match="an operator is named namespace::name"):
        onnx.register_custom_op_symbolic("pair", lambda g: None, 12)


def test_a_symbolic_that_is_no_function():
    with pytest.raises(TypeError, match="the symbolic of badin::pair must be a function, got int"):
        onnx.register_custom_op_symbolic("badin::pair", 3, 12)


@pytest.mark.parametrize("opset", [0, 29, 100])
def test_a_symbolic_for_an_opset_that_there_is_none_of(opset):
    with pytest.raises(ValueError, match=f"version {opset} of 'onnx' is not known; 1 to 28 are"):
        onnx.register_custom_op_symbolic("badin::pair", lambda g: None, opset)


def test_removing_a_symbolic_that_is_not_there():
    with pytest.raises(
        ValueError, match="badin::pair has no symbolic that was registered for opset 9"
    ):
        onnx.unregister_custom_op_symbolic("badin::pair", 9)


def test_a_converter_for_an_engine_that_there_is_none_of():
    with pytest.raises(
        ValueError, match="badin::pair: there is no engine 'tflite'; there are: 'onnx'"
    ):
        convert.register_converter("badin::pair", "tflite", lambda *args: None)


def test_a_converter_that_is_no_rule():
    with pytest.raises(
        TypeError, match="the rule must be a function or the text of a node, got int"
    ):
        convert.register_converter("badin::pair", "onnx", 3)


# ---- Operators ----


def test_an_operator_without_a_rule_names_its_line():
    with pytest.raises(NotImplementedError) as failure:
        onnx.export(lambda x: ow.ops.aten.glu_backward(x[:1], x, 0), (X,))

    message = str(failure.value)
    assert re.match(
        r"aten::glu_backward \(.*test_bad_input.py:\d+\): it has no rule for ONNX opset 20\n",
        message,
    )
    assert (
        'opwright.onnx.register_custom_op_symbolic("aten::glu_backward", symbolic, 20)' in message
    )


def test_an_operator_that_a_newer_opset_has_names_the_opset():
    onnx.register_custom_op_symbolic("aten::glu_backward", lambda g, x: g.op("vendor::I1e", x), 17)
    try:
        with pytest.raises(NotImplementedError, match="it has one from opset 17 on"):
            onnx.export(lambda x: ow.ops.aten.glu_backward(x[:1], x, 0), (X,), opset_version=16)
    finally:
        onnx.unregister_custom_op_symbolic("aten::glu_backward", 17)


# ---- Arguments of export ----


@pytest.mark.parametrize("opset", [11, 29])
def test_an_opset_out_of_range(opset):
    with pytest.raises(ValueError, match=f"opset_version={opset} is not written; 12 to 28 are"):
        onnx.export(pair, (X, X), opset_version=opset)


def test_an_opset_that_is_no_number():
    with pytest.raises(TypeError, match="opset_version must be an int, got str"):
        onnx.export(pair, (X, X), opset_version="20")


def test_names_that_are_too_many():
    with pytest.raises(ValueError, match="3 input names were given, but the program has 2 inputs"):
        onnx.export(pair, (X, X), input_names=["a", "b", "c"])
    with pytest.raises(
        ValueError, match="3 output names were given, but the program has 2 outputs"
    ):
        onnx.export(pair, (X, X), output_names=["a", "b", "c"])


def test_names_that_are_one_string():
    with pytest.raises(TypeError, match="input_names must be a list of strings, got 'ab'"):
        onnx.export(pair, (X, X), input_names="ab")


def test_names_that_stand_twice():
    with pytest.raises(ValueError, match="the input name 'a' occurs twice"):
        onnx.export(pair, (X, X), input_names=["a", "a"])
    with pytest.raises(ValueError, match="the name 'a' of an output is that of another"):
        onnx.export(pair, (X, X), output_names=["a", "a"])
    with pytest.raises(ValueError, match="the name 'x' of an output is that of another"):
        onnx.export(pair, (X, X), output_names=["x", "b"])


def test_dynamic_axes_of_an_input_that_is_not_there():
    with pytest.raises(
        ValueError, match="dynamic_axes has 'z', which is not an input; the inputs are x, y"
    ):
        onnx.export(pair, (X, X), dynamic_axes={"z": {0: "batch"}})


@pytest.mark.parametrize(
    ("axes", "kind", "message"),
    [
        ({"x": {2: "n"}}, ValueError, "has dimension 2 of 'x', which has 2 dimensions"),
        ({"x": {0: 3}}, TypeError, "names dimension 0 of 'x' by a string, got 3"),
        ({"x": "n"}, TypeError, "of 'x' must be a dict such as"),
        (["x"], TypeError, "dynamic_axes must be a dict such as"),
    ],
)
def test_dynamic_axes_that_cannot_be_read(axes, kind, message):
    with pytest.raises(kind, match=message):
        onnx.export(pair, (X, X), dynamic_axes=axes)


def test_dynamic_axes_and_dynamic_shapes_together():
    with pytest.raises(ValueError, match="give dynamic_axes or dynamic_shapes, not both"):
        onnx.export(pair, (X, X), dynamic_axes={}, dynamic_shapes={})


def test_sizes_of_a_program_that_is_made():
    program = ow.export.export(pair, (X, X))
    with pytest.raises(ValueError, match=r"give dynamic_shapes to opwright.export.export"):
        onnx.export(program, dynamic_axes={"x": {0: "n"}})
    with pytest.raises(ValueError, match="an ExportedProgram has its arguments; give none"):
        onnx.export(program, (X, X))


def test_arguments_of_torch_that_are_not_done():
    with pytest.raises(NotImplementedError, match="verify=True is not supported"):
        onnx.export(pair, (X, X), verify=True)
    with pytest.raises(TypeError, match="there is no argument 'opset'"):
        onnx.export(pair, (X, X), opset=12)


def test_a_function_of_an_operator_that_there_is_none_of():
    with pytest.raises(AttributeError, match="there is no operator badin::nothing"):
        onnx.export(pair, (X, X), functions=["badin::nothing"])


def test_a_function_of_an_operator_that_is_made_of_nothing():
    with pytest.raises(ValueError, match="it cannot be a function of the model"):
        onnx.export(pair, (X, X), functions=["badin::pair"])


def test_what_is_no_model():
    with pytest.raises(TypeError, match="expected a module or a function, got int"):
        onnx.export(3, (X,))


def test_a_destination_that_is_no_file():
    with pytest.raises(TypeError, match=r"saved to a path or to a file .* got int"):
        onnx.export(pair, (X, X), 3)


def test_a_model_above_two_gigabytes_without_external_data():
    # Untouched memory: the zeros are never written.
    weight = ow.empty(3 << 28, 1, dtype=ow.float32)
    model = onnx.export(lambda x: ow.cat([x, weight]), (ow.ones(1, 1),), external_data=False)

    with pytest.raises(ValueError, match="external_data"):
        model.bytes()


# ---- as_custom_op ----


def test_a_node_that_is_no_name():
    with pytest.raises(ValueError, match=r"a node is named 'domain::Name', got 'Block'"):
        onnx.as_custom_op(lambda x: x, "Block")


def test_a_node_of_what_cannot_be_called():
    with pytest.raises(TypeError, match="expected a module or a function, got int"):
        onnx.as_custom_op(3, "vendor::Three")


def test_an_argument_of_a_node_that_no_attribute_holds():
    node = onnx.as_custom_op(lambda x, table: x, "vendor::Table")
    with pytest.raises(TypeError, match="the argument 'table' of vendor::Table must be a tensor"):
        onnx.export(lambda x: node(x, object()), (X,))


def test_a_result_of_a_node_that_is_no_tensor():
    node = onnx.as_custom_op(lambda x: (x, 3), "vendor::Three")
    with pytest.raises(TypeError, match="vendor::Three must return tensors, got int"):
        onnx.export(lambda x: node(x), (X,))

"""as_custom_op: an entire module or function as one node."""

import numpy as np
import onnx as reader
import onnxruntime
import opwright as ow
import pytest
from opwright import nn, onnx


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(3, 3)
        self.register_buffer("offset", ow.ones(3))

    def forward(self, x, *, alpha=0.5, mode="up"):
        return self.linear(x) * alpha + self.offset


X = ow.ones(2, 3)


def nodes_of(model: onnx.OnnxModel) -> list[str]:
    return [line.strip() for line in model.text().splitlines() if " = " in line]


def test_a_module_runs_as_before_outside_of_a_trace():
    block = Block()
    node = onnx.as_custom_op(block, "vendor::Plain")
    x = ow.randn(2, 3, requires_grad=True)

    node(x, alpha=2.0).sum().backward()

    assert ow.equal(node(x), block(x))
    assert x.grad is not None
    assert block.linear.weight.grad is not None


def test_a_module_is_one_node_with_its_parameters():
    node = onnx.as_custom_op(Block(), "vendor::Block")

    model = onnx.export(node, (X,), dynamic_axes={"x": {0: "n"}})

    assert nodes_of(model) == [
        "output_0 = vendor::Block(module.linear.weight, module.linear.bias, module.offset, x)"
    ]
    assert "output output_0: float32[n, 3]" in model.text()
    reader.checker.check_model(model.model_proto, full_check=True)


def test_a_module_without_its_parameters():
    node = onnx.as_custom_op(Block(), "vendor::Bare", parameters=False)

    model = onnx.export(node, (X,), dynamic_axes={"x": {0: "n"}})

    assert nodes_of(model) == ["output_0 = vendor::Bare(x)"]
    assert "linear.weight" not in model.text()


def test_numbers_and_strings_are_attributes():
    node = onnx.as_custom_op(Block(), "vendor::Attributes", parameters=False)

    model = onnx.export(lambda x: node(x, alpha=2.0, mode="down"), (X,))

    assert nodes_of(model) == ['output_0 = vendor::Attributes<alpha=2.0, mode="down">(x)']


def test_a_function_with_lists_and_several_results():
    def several(pair, axes, weights, bias=None):
        return {"a": pair[0] * weights[0], "b": [pair[1].sum(axes)]}

    node = onnx.as_custom_op(several, "vendor::Several")

    def f(x, y):
        results = node((x, y), [0, 1], (0.5, 2), None)
        return results["a"], results["b"][0]

    model = onnx.export(f, (X, X), dynamic_axes={"x": {0: "n"}})

    assert nodes_of(model) == [
        "output_0, output_1 = vendor::Several<axes=[0, 1], weights=[0.5, 2.0]>(x, y)"
    ]
    assert "output output_1: float32[]" in model.text()


def test_two_modules_may_be_the_same_node():
    net = nn.Sequential(
        onnx.as_custom_op(Block(), "vendor::Layer", parameters=False),
        onnx.as_custom_op(Block(), "vendor::Layer", parameters=False),
    )

    model = onnx.export(net, (X,))

    assert [node.op_type for node in model.model_proto.graph.node] == ["Layer", "Layer"]


def test_tied_parameters_are_one_input():
    block = nn.Sequential(nn.Linear(3, 3, bias=False), nn.Linear(3, 3, bias=False))
    block[1].weight = block[0].weight
    node = onnx.as_custom_op(block, "vendor::Tied")

    model = onnx.export(node, (X,))

    assert nodes_of(model) == ["output_0 = vendor::Tied(module.0.weight, input)"]
    assert block[1].weight is block[0].weight


@pytest.mark.parametrize("parameters", [True, False])
def test_a_node_may_be_a_function_of_the_model_and_run(parameters):
    block = Block()
    name = f"vendor::Function{parameters}"
    node = onnx.as_custom_op(block, name, parameters=parameters)
    x = ow.randn(5, 3)

    model = onnx.export(node, (X,), dynamic_axes={"x": {0: "n"}}, functions=[name])

    session = onnxruntime.InferenceSession(model.bytes())
    (result,) = session.run(None, {"x": x.numpy()})
    np.testing.assert_allclose(result, block(x).detach().numpy(), atol=1e-6)


def test_a_domain_may_have_dots():
    node = onnx.as_custom_op(lambda x: x.flip(0), "com.vendor.ops::Flip")

    model = onnx.export(lambda x: node(x), (X,))

    assert nodes_of(model) == ["output_0 = com.vendor.ops::Flip(x)"]
    assert [each.domain for each in model.model_proto.opset_import] == ["", "com.vendor.ops"]


def test_another_form_of_the_call_is_another_operator_of_the_same_node():
    node = onnx.as_custom_op(lambda x, y=None: x.flip(0), "vendor::Optional")

    model = onnx.export(lambda x, y: (node(x), node(x, y), node(x)), (X, X))

    assert [len(each.input) for each in model.model_proto.graph.node] == [1, 2, 1]


def test_a_program_with_the_node_runs():
    block = Block()
    node = onnx.as_custom_op(block, "vendor::Program")

    program = ow.export.export(node, (X,))

    x = ow.randn(2, 3)
    assert ow.allclose(program(x), block(x))


def test_the_parameters_come_back_where_the_module_raises():
    block = Block()
    weight = block.linear.weight
    node = onnx.as_custom_op(block, "vendor::Raises")

    with pytest.raises(RuntimeError):
        onnx.export(node, (ow.ones(2, 5),))

    assert block.linear.weight is weight

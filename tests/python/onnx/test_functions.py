"""Operators that become functions of the model, from their decompositions."""

from collections.abc import Iterator

import numpy as np
import onnx
import onnxruntime
import opwright as ow
import pytest
from opwright import _C
from opwright.export import Dim
from opwright.export.exporter import trace_program


@pytest.fixture(autouse=True)
def operators() -> Iterator[None]:
    with ow.library.Library("onnxfn", "DEF") as library:
        library.define("twice(Tensor x, int dim) -> (Tensor, Tensor)")
        library.impl("twice", lambda x, dim: (x.flip(dim), x.sum(dim)), "CompositeImplicitAutograd")
        library.define("opaque(Tensor x) -> Tensor")
        library.impl("opaque", lambda x: x.clone(), "CPU")
        library.impl("opaque", lambda x: ow.empty_like(x), "Meta")
        library.define("outer(Tensor x) -> Tensor")
        library.impl("outer", lambda x: ow.ops.onnxfn.twice(x, 0)[0], "CompositeImplicitAutograd")
        yield


def model_of(fn, args, functions: list[str], dynamic_shapes=None) -> _C.OnnxModel:
    program = trace_program(fn, args, None, dynamic_shapes, 20)
    return _C.onnx_model(program._program, 20, [], [], functions, [], [], None, "")


def run(model: _C.OnnxModel, *args: ow.Tensor) -> list[np.ndarray]:
    onnx.checker.check_model(onnx.load_from_string(model.bytes()), full_check=True)
    session = onnxruntime.InferenceSession(model.bytes())
    names = [each.name for each in session.get_inputs()]
    return session.run(None, {name: x.numpy() for name, x in zip(names, args, strict=True)})


def both(x: ow.Tensor, y: ow.Tensor) -> tuple[ow.Tensor, ...]:
    return *ow.ops.onnxfn.twice(x, 0), *ow.ops.onnxfn.twice(y, 0), *ow.ops.onnxfn.twice(y, 1)


def test_a_custom_operator_runs_without_its_binary() -> None:
    shapes = {"x": {0: Dim("a")}, "y": {0: Dim("b")}}
    model = model_of(both, (ow.randn(4, 3), ow.randn(5, 3)), ["onnxfn::twice"], shapes)
    x, y = ow.randn(7, 3), ow.randn(2, 3)
    for mine, theirs in zip(run(model, x, y), both(x, y), strict=True):
        np.testing.assert_allclose(mine, theirs.numpy(), rtol=1e-6)


def test_calls_that_differ_in_constants_have_functions_of_their_own_and_others_share_one() -> None:
    shapes = {"x": {0: Dim("a")}, "y": {0: Dim("b")}}
    model = model_of(both, (ow.randn(4, 3), ow.randn(5, 3)), ["onnxfn::twice"], shapes)
    loaded = onnx.load_from_string(model.bytes())
    assert [function.name for function in loaded.functions] == ["twice", "twice_1"]
    assert [node.op_type for node in loaded.graph.node] == ["twice", "twice", "twice_1"]
    assert {(each.domain, each.version) for each in loaded.opset_import} == {
        ("", 20),
        ("onnxfn", 1),
    }


def test_a_function_may_call_another() -> None:
    names = ["onnxfn::outer", "onnxfn::twice"]
    model = model_of(lambda x: ow.ops.onnxfn.outer(x), (ow.randn(4, 3),), names)
    assert [each.name for each in onnx.load_from_string(model.bytes()).functions] == [
        "twice",
        "outer",
    ]
    x = ow.randn(4, 3)
    np.testing.assert_array_equal(run(model, x)[0], x.flip(0).numpy())


def test_without_the_request_it_is_a_node_of_its_own() -> None:
    model = model_of(lambda x: ow.ops.onnxfn.twice(x, 0), (ow.randn(4, 3),), [])
    assert "output_0, output_1 = onnxfn::twice<dim=0>(x)" in str(model)


def test_an_operator_that_is_made_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="since it has no decomposition") as caught:
        model_of(lambda x: ow.ops.onnxfn.opaque(x), (ow.randn(4),), ["onnxfn::opaque"])
    assert "onnxfn::opaque" in str(caught.value)
    assert "leave it out of functions=" in str(caught.value)

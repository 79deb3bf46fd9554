"""register_converter: rules of foreign graphs by engine and version."""

from collections.abc import Iterator

import opwright as ow
import pytest
from opwright import convert, onnx


@pytest.fixture(autouse=True)
def operators() -> Iterator[None]:
    with ow.library.Library("convr", "DEF") as library:
        library.define("scale(Tensor x, float factor) -> Tensor")
        library.impl("scale", lambda x, factor: ow.empty_like(x), "Meta")
        yield


X = ow.ones(2, 3)


def node_of(opset: int = 20) -> str:
    model = onnx.export(lambda x: ow.ops.convr.scale(x, 0.5), (X,), opset_version=opset)
    return next(line.strip() for line in model.text().splitlines() if " = " in line)


OWN_NODE = "output_0 = convr::scale<factor=0.5>(x)"


def test_a_function_is_registered_and_removed():
    @convert.register_converter("convr::scale", "onnx")
    def scale(g, x, factor):
        return g.op("vendor::Scale", x, by_f=factor.toIValue())

    assert node_of() == "output_0 = vendor::Scale<by=0.5>(x)"
    convert.unregister_converter("convr::scale", "onnx")
    assert node_of() == OWN_NODE


def test_the_text_of_a_node_is_a_rule():
    convert.register_converter(ow.ops.convr.scale, "onnx", "vendor::Text(x, amount=factor)")

    assert node_of() == "output_0 = vendor::Text<amount=0.5>(x)"
    convert.unregister_converter(ow.ops.convr.scale.default, "onnx")


def test_a_version_counts_from_its_own_on():
    convert.register_converter("convr::scale", "onnx", "vendor::New", since_version=18)

    assert node_of(17) == OWN_NODE
    assert node_of(18) == "output_0 = vendor::New<factor=0.5>(x)"
    convert.unregister_converter("convr::scale", "onnx", since_version=18)


def test_a_rule_lasts_as_long_as_its_library():
    with ow.library.Library("convr", "FRAGMENT") as library:
        convert.register_converter("convr::scale", "onnx", "vendor::Lib", lib=library)
        assert node_of() == "output_0 = vendor::Lib<factor=0.5>(x)"

    assert node_of() == OWN_NODE


def test_a_text_that_is_no_node_is_refused_when_it_is_used():
    convert.register_converter("convr::scale", "onnx", "vendor::Text(nothing)")

    with pytest.raises(ValueError, match="convr::scale has no argument 'nothing'"):
        node_of()
    convert.unregister_converter("convr::scale", "onnx")

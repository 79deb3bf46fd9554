"""Models of one node or of a chain, for the tests of the bridge to ONNX Runtime."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx
from onnx import helper

OPSET = 20
IR_VERSION = 10


def value_info(name: str, dtype: Any, sizes: Sequence[int | str] | None) -> onnx.ValueInfoProto:
    number = dtype if isinstance(dtype, int) else helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
    return helper.make_tensor_value_info(name, number, sizes)


def model_of(
    nodes: Sequence[onnx.NodeProto],
    inputs: Sequence[onnx.ValueInfoProto],
    outputs: Sequence[onnx.ValueInfoProto],
) -> onnx.ModelProto:
    domains = sorted({node.domain for node in nodes if node.domain})
    return helper.make_model(
        helper.make_graph(list(nodes), "g", list(inputs), list(outputs)),
        opset_imports=[
            helper.make_opsetid("", OPSET),
            *(helper.make_opsetid(domain, 1) for domain in domains),
        ],
        ir_version=IR_VERSION,
    )


def node_model(
    node: str,
    inputs: dict[str, tuple[Any, Sequence[int | str] | None]],
    outputs: dict[str, tuple[Any, Sequence[int | str] | None]],
    given: Sequence[str] | None = None,
    **attributes: Any,
) -> onnx.ModelProto:
    """Make a model of one node 'domain::Name'; `given` are its inputs if some are omitted."""
    domain, name = node.split("::")
    filled = {key: value for key, value in attributes.items() if value != []}
    made = helper.make_node(
        name, list(given or inputs), list(outputs), name="node", domain=domain, **filled
    )
    made.attribute.extend(
        helper.make_attribute(key, [], attr_type=onnx.AttributeProto.INTS)
        for key in attributes.keys() - filled.keys()
    )
    return model_of(
        [made],
        [value_info(each, *kind) for each, kind in inputs.items()],
        [value_info(each, *kind) for each, kind in outputs.items()],
    )


def unary_model(
    node: str, dtype: Any = np.float32, sizes: Sequence[int | str] = ("n", 4), **attributes: Any
) -> onnx.ModelProto:
    return node_model(node, {"x": (dtype, sizes)}, {"y": (dtype, sizes)}, **attributes)

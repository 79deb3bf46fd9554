"""Calls of the core's operators as PyTorch writes them into a graph.

The core has an overload for a number as the second operand of `add`, `sub`, `mul` and `div`.
PyTorch's Python calls the overload for tensors with the number, so its graphs have that one.
"""

from typing import Any

import opwright as ow
from opwright.graph import Node as CoreNode
from opwright.graph import NodeValue

__all__ = ["factory_options", "torch_call"]

_WITH_NUMBERS = {
    getattr(ow.ops.aten, base).Scalar: getattr(ow.ops.aten, base).Tensor
    for base in ("add", "sub", "mul", "div", "add_", "sub_", "mul_", "div_")
    if {"Scalar", "Tensor"} <= set(getattr(ow.ops.aten, base).overloads())
}


def torch_call(
    target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Any, tuple[Any, ...], dict[str, Any]]:
    """Return the operator and arguments that PyTorch's graph has for a call.

    >>> torch_call(ow.ops.aten.add.Scalar, ("x", 2), {})
    (<operator aten::add.Tensor>, ('x', 2), {})
    """
    known = _WITH_NUMBERS.get(target)
    if known is None:
        return target, args, kwargs
    names = [each.name for each in target.schema.arguments]
    return known, args[:2], {**dict(zip(names[2:], args[2:], strict=False)), **kwargs}


def factory_options(node: CoreNode) -> dict[str, Any]:
    """Return the options that PyTorch writes into every call that creates a tensor."""
    declared = {each.name for each in node.target.schema.arguments}
    if "pin_memory" not in declared:
        return {}
    given = dict(node.kwargs)
    if "layout" in given:  # a call by an operator, which names all options that it needs
        return {}
    takes_tensor = any(isinstance(each, (CoreNode, NodeValue)) for each in node.args)
    value = node.meta.get("val")
    if "device" in declared and not takes_tensor and isinstance(value, ow.Tensor):
        given.setdefault("device", value.device)
    given.setdefault("pin_memory", False)
    return {key: each for key, each in given.items() if key in ("device", "pin_memory")}

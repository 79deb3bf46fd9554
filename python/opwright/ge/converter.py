"""Converters: turn operator calls into ops of the engine's graph."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from .. import _C
from ..convert import OperatorLike, register_converter
from .data_type import dtype_of

__all__ = ["Const", "Tensor", "custom_op", "register_fx_node_ge_converter"]

Tensor = _C.GeTensor


def register_fx_node_ge_converter(op: OperatorLike) -> Callable[[Callable[..., Any]], Any]:
    """Register the function that converts a call of `op` to the engine's graph.

    >>> from opwright import ge
    >>> _ = ow.library.define("docs_ge::twice", "(Tensor x, float scale) -> Tensor")
    >>> @ge.register_fx_node_ge_converter(ow.ops.docs_ge.twice.default)
    ... def convert_twice(x: ge.Tensor, scale: float, y: ge.Tensor = None, meta_outputs=None):
    ...     return ge.custom_op(
    ...         "DocsTwice", inputs={"x": x}, outputs=["y"], attrs={"scale": ge.attr.Float(scale)}
    ...     )

    It is called with the operator's arguments: tensors and dynamic sizes as ge.Tensors, everything
    else unchanged. Parameters that the operator does not have keep their defaults; `meta_outputs`,
    if the function takes it, is the fake result or a tuple of them. It returns a ge.Tensor for each
    result. `opwright.convert.register_converter(op, "ge")` is the same.
    """
    return partial(_register, op)


def _register(op: OperatorLike, function: Callable[..., Any]) -> Any:
    return register_converter(op, "ge", function)


def custom_op(
    op_type: str,
    *,
    inputs: Mapping[str, Any],
    outputs: Sequence[str | tuple[str, int]],
    attrs: Mapping[str, Any] | None = None,
    node_name: str | None = None,
) -> Any:
    """Add an op to the graph being converted; return its output, or a tuple of outputs.

    Only in a converter:

    >>> from opwright import ge
    >>> ge.custom_op("AddCustom", inputs={}, outputs=["z"])
    Traceback (most recent call last):
        ...
    RuntimeError: ge.custom_op: nothing is being converted; call it in a function that \
register_fx_node_ge_converter registered

    Inputs have the names of the prototype: a ge.Tensor, None for an omitted optional one, a list
    for a dynamic one; numbers and tensors become constants. An output is a name, or (name, count)
    for a dynamic one, which is returned as a list. Attributes are plain values or those of
    `ge.attr`. If there is a prototype of that name, the op is checked against it.
    """
    return _C.ge_custom_op(op_type, dict(inputs), list(outputs), dict(attrs or {}), node_name or "")


def Const(value: Any, dtype: Any = None) -> Tensor:  # noqa: N802
    """Add a constant to the graph being converted: a number, a list or a tensor.

    `dtype` is a dtype or a ge.DataType. Only in a converter:

    >>> from opwright import ge
    >>> ge.Const([1, 2], dtype=ge.DataType.DT_INT32)
    Traceback (most recent call last):
        ...
    RuntimeError: ge.Const: nothing is being converted; call it in a function that \
register_fx_node_ge_converter registered
    """
    return _C.ge_const(value, dtype_of(dtype))


def takes_meta_outputs(function: Callable[..., Any]) -> bool:
    """Return whether a converter accepts the fake results."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return False
    return any(
        each.name == "meta_outputs" or each.kind is inspect.Parameter.VAR_KEYWORD
        for each in parameters
    )

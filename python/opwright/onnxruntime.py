"""Operators of Opwright in ONNX Runtime: a binary's operators run as nodes of a session.

>>> import onnxruntime
>>> import opwright as ow
>>> @ow.library.custom_op("docs::ort_gain", mutates_args=())
... def ort_gain(x: ow.Tensor, factor: float = 2.0) -> ow.Tensor:
...     return x * factor
>>> _ = ort_gain.register_fake(lambda x, factor=2.0: ow.empty_like(x))
>>> options = onnxruntime.SessionOptions()
>>> ow.onnxruntime.register(options, ort_gain)
['docs::ort_gain']

A session created with these options runs models with the node `ort_gain` of the domain `docs`.
Programs without Python use libopwright_onnxruntime.so: see opwright/onnxruntime.h.
"""

import ctypes
import itertools
import os
import weakref
from collections.abc import Mapping
from typing import Any

from . import _C

try:
    import onnxruntime as _onnxruntime
except ModuleNotFoundError:
    raise ModuleNotFoundError(
        "opwright.onnxruntime needs ONNX Runtime 1.17 or newer, which is not installed\n"
        "  pip install onnxruntime",
        name="onnxruntime",
    ) from None

from ._bridge.library import BridgeLibrary, open_bridge
from ._library.registrations import operator_name

__all__ = ["register"]


def register(
    session_options: "_onnxruntime.SessionOptions",
    *operators: "str | os.PathLike[str] | _C.Operator | _C.OperatorPacket",
    model: "str | os.PathLike[str] | bytes | Any | None" = None,
    names: "Mapping[str, str] | None" = None,
) -> list[str]:
    """Register operators with the sessions of `session_options`; return the names of their nodes.

    Each of `operators` is the file of an operator binary, of which all operators are registered, or
    one operator, by its name ('ns::op') or itself. The domain of a node is the namespace, its name
    that of the operator ('scale_out' for an overload). It is also known as any node that its
    symbolics (opwright.onnx.register_custom_op_symbolic) and its binary name. Operators of a binary
    that ONNX Runtime cannot call (one that returns a number) are skipped.

    `model` is an exported model, a file or its bytes; the nodes that it was exported with are
    registered too. `names` adds more, by operator: 'domain::Name(x, y, alpha=alpha)', or without
    parentheses if inputs and attributes are those of the schema. Operators that are already
    registered are skipped.

    >>> import onnxruntime
    >>> import opwright as ow
    >>> options = onnxruntime.SessionOptions()
    >>> ow.onnxruntime.register(options, "aten::sin", names={"aten::sin": "my_domain::Sine"})
    ['my_domain::Sine', 'aten::sin']
    >>> ow.onnxruntime.register(options, "aten::sin")
    []
    """
    bridge = open_bridge("onnxruntime")
    given = _given.setdefault(session_options, _Given())
    for each in filter(_is_file, operators):  # model and names may refer to their operators
        _C.load_library(os.fsdecode(each))
    bridge.function("begin")(ctypes.c_uint64(given.number))
    try:
        for op, form in (names or {}).items():
            bridge.call("add_line", f"{op} = {form}".encode())
        if model is not None:
            _add_model(bridge, model)
        for each in operators:
            _add_operator(bridge, each)
        for node in given.nodes:
            bridge.function("leave_out")(node.encode())
        nodes = bridge.collect("nodes")
        if nodes:
            session_options.register_custom_ops_library(bridge.path)
    finally:
        bridge.function("cancel")()
    given.nodes.update(nodes)
    return nodes


class _Given:
    """The operators of session options, and the number by which the bridge finds their domains."""

    _numbers = itertools.count(1)

    def __init__(self) -> None:
        self.number = next(self._numbers)
        self.nodes: set[str] = set()


_given: "weakref.WeakKeyDictionary[Any, _Given]" = weakref.WeakKeyDictionary()


def _is_file(given: Any) -> bool:
    return isinstance(given, os.PathLike) or (isinstance(given, str) and "::" not in given)


def _add_operator(bridge: BridgeLibrary, given: Any) -> None:
    if _is_file(given):
        bridge.call("add_binary", os.fsencode(given))
    else:
        operator = _C.require_operator(operator_name(given))
        bridge.call("add_operator", operator.name.encode())


def _add_model(bridge: BridgeLibrary, model: Any) -> None:
    if hasattr(model, "SerializeToString"):  # an onnx.ModelProto
        model = model.SerializeToString()
    if isinstance(model, bytes):
        bridge.call("add_model_bytes", model, ctypes.c_size_t(len(model)))
    else:
        bridge.call("add_model", os.fsencode(model))

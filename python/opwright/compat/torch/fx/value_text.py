"""Values in generated code: literals, names of nodes, and the comments on a node's result."""

import enum
import types
from collections.abc import Callable
from typing import Any

import opwright as ow
from opwright import _C
from opwright.compat._python_operators import PythonOperator

from .node import Node
from .qualified_name import constant_text, qualified_name

__all__ = ["annotation_of", "format_target", "global_of", "value_text"]

AddGlobal = Callable[[str, Any], str]


def value_text(given: Any, name_of: Callable[[Any], str | None] = lambda value: None) -> str:
    """Return an argument as an expression; `name_of` names the values that need a global.

    >>> value_text([1, (2,), {"a": slice(0, 1)}])
    "[1, (2,), {'a': slice(0, 1, None)}]"
    """
    named = name_of(given)
    if named is not None:
        return named
    if isinstance(given, Node):
        return repr(given)
    if isinstance(given, (list, tuple)):
        items = [value_text(each, name_of) for each in given]
        if isinstance(given, list):
            return f"[{', '.join(items)}]"
        return f"({items[0]},)" if len(items) == 1 else f"({', '.join(items)})"
    if isinstance(given, dict):
        pairs = [f"{value_text(k, name_of)}: {value_text(v, name_of)}" for k, v in given.items()]
        return "{" + ", ".join(pairs) + "}"
    if isinstance(given, slice):
        parts = (given.start, given.stop, given.step)
        return f"slice({', '.join(value_text(each, name_of) for each in parts)})"
    return constant_text(given) or repr(given)


def global_of(given: Any, add: AddGlobal) -> str | None:
    """Return the expression of a value that no literal expresses; `add` makes globals."""
    if isinstance(given, tuple) and hasattr(given, "_fields"):
        items = value_text(tuple(given), lambda each: global_of(each, add))
        return f"{add(_type_name(type(given)), type(given))}{items}"
    if isinstance(given, (_C.Operator, ow.OperatorPacket, PythonOperator)):
        return add(qualified_name(given), given)
    if isinstance(given, (type, types.FunctionType, types.BuiltinFunctionType)):
        return add(qualified_name(given), given)
    if isinstance(given, enum.Enum):
        return f"{add(_type_name(type(given)), type(given))}.{given.name}"
    return None


def _type_name(kind: type) -> str:
    return f"{kind.__module__}.{kind.__qualname__}".replace("<locals>.", "")


def format_target(base: str, target: str) -> str:
    """Return the expression that reads an attribute path; its parts need not be identifiers.

    >>> format_target("self", "seq.0")
    'getattr(self.seq, "0")'
    """
    text = base
    for part in target.split("."):
        text = f"{text}.{part}" if part.isidentifier() else f'getattr({text}, "{part}")'
    return text


_SHORT = {
    "float32": "f32",
    "float64": "f64",
    "float16": "f16",
    "bfloat16": "bf16",
    "complex64": "c64",
    "complex128": "c128",
    "int8": "i8",
    "int16": "i16",
    "int32": "i32",
    "int64": "i64",
    "bool": "b8",
    "uint8": "u8",
}


def annotation_of(node: Node, include_stride: bool = False, include_device: bool = False) -> str:
    """Return `: "f32[2, 3]"` for a node with metadata, otherwise an empty text."""
    value = node.meta.get("val", node.meta.get("tensor_meta"))
    if isinstance(value, ow.Tensor) or hasattr(value, "shape"):
        shape = ", ".join(str(size) for size in value.shape)
        kind = str(value.dtype).rpartition(".")[2]
        text = f"{_SHORT.get(kind, kind)}[{shape}]"
        if include_stride:
            strides = value.stride() if callable(value.stride) else value.stride
            text += f"[{', '.join(str(each) for each in strides)}]"
        if include_device and hasattr(value, "device"):
            text += str(value.device)
        return f': "{text}"'
    if isinstance(value, (ow.SymInt, ow.SymBool)):
        return f': "Sym({value})"'
    return ""

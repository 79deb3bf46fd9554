"""The objects that generated code names: everything of PyTorch's by its path below `torch`."""

import math
import types
import typing
from typing import Any

import opwright as ow

from .namespace import Namespace
from .qualified_name import constant_text, is_from_torch, qualified_name, type_text

__all__ = ["CodeGlobals"]


class CodeGlobals:
    """Globals of generated code, named as the code needs them."""

    def __init__(self, namespace: Namespace) -> None:
        import opwright.compat.torch as torch

        self._namespace = namespace
        self.values: dict[str, Any] = {
            "torch": torch,
            "inf": math.inf,
            "nan": math.nan,
            "NoneType": type(None),
            "device": ow.device,
        }
        self.wrapped: list[str] = []

    def add(self, hint: str, value: Any) -> str:
        """Return the expression for a value, and make it a global if it has no path."""
        if value is ow.device:
            return "device"
        if is_from_torch(value):
            return constant_text(value) or qualified_name(value)
        hint = hint.replace(".", "_")
        name = self._namespace.create_name(hint, value if _is_hashable(value) else None)
        self.values[name] = value
        return name

    def add_type(self, given: Any) -> str:
        """Return an annotation: names of its own are globals, its arguments are spelled out."""
        if given == ():
            return "()"
        if isinstance(given, str):
            return f"'{given}'"
        origin, arguments = typing.get_origin(given), typing.get_args(given)
        if isinstance(given, types.UnionType):
            return " | ".join(self.add_type(each) for each in arguments)
        if origin is None:
            return "None" if given is type(None) else self.add(type_text(given), given)
        if isinstance(given, types.GenericAlias):
            head = self.add(type_text(origin), origin)
        else:
            head = self.add(type_text(given).partition("[")[0], _unsubscripted(given))
        if not arguments:
            return f"{head}[()]" if origin is tuple else head
        if origin is typing.Union and len(arguments) == 2 and arguments[1] is type(None):
            arguments = arguments[:1]
        return f"{head}[{','.join(self.add_type(each) for each in arguments)}]"


def _is_hashable(value: object) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def _unsubscripted(given: Any) -> Any:
    if typing.get_origin(given) is typing.Union:
        arguments = typing.get_args(given)
        optional = len(arguments) == 2 and arguments[1] is type(None)
        return typing.Optional if optional else typing.Union
    return getattr(typing, getattr(given, "_name", None) or "", typing.get_origin(given))

"""Names of callables and types in generated code and printed graphs: those of PyTorch's modules."""

import builtins
import operator
import sys
import types
import typing
from collections.abc import Callable
from typing import Any

import opwright as ow
from opwright import _C
from opwright.compat._python_operators import PythonOperator

__all__ = ["constant_text", "is_from_torch", "qualified_name", "type_text"]

_ROOT = "opwright.compat."
_METHOD = type(ow.Tensor.add)

# PyTorch's paths with the modules of the package that have their names, most specific first.
_PUBLIC_MODULES = (
    ("torch.nn.functional", "opwright.nn.functional"),
    ("torch.nn", "opwright.nn"),
    ("torch.autograd", "opwright.autograd"),
    ("torch.func", "opwright.func"),
    ("torch", "opwright.compat.torch"),
)


def is_from_torch(value: object) -> bool:
    """Return whether generated code can name this by a path below `torch`.

    >>> is_from_torch(ow.relu), is_from_torch(len)
    (True, False)
    """
    if isinstance(value, (_C.Operator, ow.OperatorPacket, PythonOperator, _METHOD)):
        return True
    return constant_text(value) is not None or _public_path(value) is not None


def constant_text(value: object) -> str | None:
    """Return `torch.float32` for a dtype, likewise for a layout or memory format; else None.

    >>> constant_text(ow.float32), constant_text(1)
    ('torch.float32', None)
    """
    if isinstance(value, (ow.dtype, ow.layout, ow.memory_format)):
        return "torch." + str(value).rpartition(".")[2]
    return None


def _public_path(value: object) -> str | None:
    """Return `torch.nn.functional.relu` for what that path gives, None for what has no path."""
    name = getattr(value, "__name__", None)
    module = getattr(value, "__module__", None)
    if not isinstance(name, str) or not isinstance(module, str):
        return None
    if isinstance(value, types.ModuleType) or not module.startswith("opwright"):
        return None
    places = _PUBLIC_MODULES
    if module.startswith(_ROOT):
        places = ((module.removeprefix(_ROOT), module), *places)
    for place, path in places:
        found = sys.modules.get(path)
        if found is not None and getattr(found, name, None) is value:  # loaded on first use too
            return f"{place}.{name}"
    return None


def qualified_name(function: Callable[..., Any]) -> str:
    """Return the dotted name of a callable as PyTorch spells it.

    >>> qualified_name(ow.relu), qualified_name(ow.ops.aten.add.Tensor), qualified_name(len)
    ('torch.relu', 'torch.ops.aten.add.Tensor', 'len')
    """
    if isinstance(function, _C.Operator):
        space, _, rest = function.name.partition("::")
        base, _, overload = rest.partition(".")
        return f"torch.ops.{space}.{base}.{overload or 'default'}"
    if isinstance(function, PythonOperator):
        return function.torch_path
    if isinstance(function, _METHOD):
        return f"torch.Tensor.{function.base}"
    if isinstance(function, ow.OperatorPacket):
        if ow._FUNCTIONS.get(function.base) is function:
            return f"torch.{function.base}"
        return f"torch.ops.{function.namespace}.{function.base}"
    name = getattr(function, "__name__", None)
    if not isinstance(name, str):
        raise RuntimeError(
            f"fx: {function!r} has no __name__, so no graph can name it; wrap it in a function"
        )
    if getattr(builtins, name, None) is function:
        return name
    path = _public_path(function)
    if path is not None:
        return path
    module = getattr(function, "__module__", None) or _module_of(function, name)
    if module in ("_operator", "operator"):
        return f"operator.{name}"
    if isinstance(function, types.FunctionType) and name == "<lambda>":
        name = "lambda"
    return f"{module}.{name}"


def _module_of(function: Callable[..., Any], name: str) -> str:
    if getattr(operator, name, None) is function:
        return "operator"
    owner = getattr(function, "__objclass__", None) or getattr(function, "__self__", None)
    if owner is ow.Tensor:
        return "torch.Tensor"
    if isinstance(owner, type):
        return f"{owner.__module__}.{owner.__qualname__}"
    raise RuntimeError(f"fx: cannot find the module that {function!r} is defined in")


def type_text(given: object) -> str:
    """Return an annotation as text.

    >>> type_text(ow.Tensor), type_text(list[ow.Tensor]), type_text(int)
    ('torch.Tensor', 'list[torch.Tensor]', 'int')
    """
    origin, arguments = typing.get_origin(given), typing.get_args(given)
    if origin is not None and isinstance(given, types.UnionType):
        return " | ".join(type_text(each) for each in arguments)
    if origin is not None and arguments:
        inner = ", ".join(type_text(each) for each in arguments)
        if origin is typing.Union:
            if len(arguments) == 2 and arguments[1] is type(None):
                return f"typing.Optional[{type_text(arguments[0])}]"
            return f"typing.Union[{inner}]"
        if isinstance(given, types.GenericAlias):
            return f"{type_text(origin)}[{inner}]"
        return f"typing.{getattr(given, '_name', None) or origin.__name__}[{inner}]"
    if isinstance(given, (type, _C.Operator)):
        if given is type(None):
            return "None"
        path = _public_path(given)
        if path is not None:
            return path
        if given.__module__ == "builtins":
            return given.__qualname__
        return f"{given.__module__}.{given.__qualname__}"
    if given is ...:
        return "..."
    if isinstance(given, types.FunctionType):
        return given.__name__
    return repr(given)

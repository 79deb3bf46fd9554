"""Infers the schema of a Python function from its type hints.

A hint is read into a `Hint`: the schema type, and how a kernel gets its value back where Python has
more types than the schema language (an Enum member for its value, a tuple for a list).
"""

import collections.abc
import functools
import inspect
import math
import numbers
import re
import types
import typing
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import Enum

from .. import _C
from .tag import Tags, tag_names

_PLAIN_TYPES = {
    _C.Tensor: "Tensor",
    int: "SymInt",
    _C.SymInt: "SymInt",
    float: "float",
    bool: "bool",
    str: "str",
    complex: "complex",
    numbers.Number: "Scalar",
    _C.dtype: "ScalarType",
    _C.device: "Device",
    _C.layout: "Layout",
    _C.memory_format: "MemoryFormat",
    _C.Generator: "Generator",
}
_NUMBER_TYPES = frozenset({int, float, bool, complex})
_LIST_TYPES = (list, collections.abc.Sequence)

# Names that a string hint may use without an import.
_KNOWN_NAMES = {
    "Tensor": _C.Tensor,
    "dtype": _C.dtype,
    "device": _C.device,
    "layout": _C.layout,
    "memory_format": _C.memory_format,
    "Generator": _C.Generator,
    "Optional": typing.Optional,
    "Union": typing.Union,
    "List": typing.List,  # noqa: UP006
    "Tuple": typing.Tuple,  # noqa: UP006
    "Sequence": Sequence,
}
_KINDS = (
    "Tensor, int, float, bool, str, complex, int | float, dtype, device, layout, memory_format, "
    "Generator, an Enum, a class given to register_opaque_type; Optional, list, Sequence and tuple "
    "of these"
)

Restore = Callable[[object], object]
Restorers = dict[str, Restore]  # by parameter


def is_tensor_type(text: str) -> bool:
    """Return whether a schema type is Tensor, or an optional or a list of tensors."""
    return re.match(r"Tensor(?![\w.])", text) is not None


@dataclass(frozen=True)
class Hint:
    """A type hint as a schema type."""

    type: str
    restore: Restore | None = None  # from the schema's value to what the hint promises


class _UnsupportedError(Exception):
    """A hint without a schema type; the text says which part."""


def _is_union(origin: object) -> bool:
    return origin is typing.Union or origin is types.UnionType


def _read_hint(annotation: object) -> Hint:
    if isinstance(annotation, collections.abc.Hashable) and annotation in _PLAIN_TYPES:
        return Hint(_PLAIN_TYPES[annotation])
    origin, parts = typing.get_origin(annotation), typing.get_args(annotation)
    if _is_union(origin):
        return _read_union(parts)
    if origin in _LIST_TYPES:
        return _read_list(_read_hint(parts[0]))
    if origin is tuple:
        return _read_tuple(parts)
    if isinstance(annotation, type):
        if issubclass(annotation, Enum):
            return _read_enum(annotation)
        if name := _C.opaque_type_name(annotation):
            return Hint(name)
    raise _UnsupportedError


def _read_union(parts: Sequence[object]) -> Hint:
    given = [part for part in parts if part is not type(None)]
    if len(given) == 1:
        inner = _read_hint(given[0])
    elif _NUMBER_TYPES.issuperset(given):
        inner = Hint("Scalar")
    else:
        raise _UnsupportedError("a union may be of numbers, or of one type and None")
    if len(given) == len(parts):
        return inner
    restore = inner.restore
    return Hint(
        f"{inner.type}?", restore and (lambda value: None if value is None else restore(value))
    )


def _read_list(element: Hint) -> Hint:
    restore = element.restore
    return Hint(f"{element.type}[]", restore and (lambda values: [restore(v) for v in values]))


def _read_tuple(parts: Sequence[object]) -> Hint:
    if len(parts) == 2 and parts[1] is Ellipsis:
        element = _read_hint(parts[0])
        restore = element.restore or (lambda value: value)
        return Hint(f"{element.type}[]", lambda values: tuple(restore(v) for v in values))
    elements = [_read_hint(part) for part in parts]
    if not elements:
        raise _UnsupportedError("an empty tuple")
    restores = [element.restore or (lambda value: value) for element in elements]
    kinds = [element.type for element in elements]
    is_uniform = kinds.count(kinds[0]) == len(kinds)

    def restore_all(values: Sequence[object]) -> tuple:
        return tuple(restore(value) for restore, value in zip(restores, values, strict=True))

    return Hint(f"{kinds[0]}[{len(kinds)}]" if is_uniform else f"({', '.join(kinds)})", restore_all)


def _read_enum(kind: type[Enum]) -> Hint:
    values = [member.value for member in kind]
    for value_type, name in ((int, "int"), (str, "str")):
        if values and all(type(value) is value_type for value in values):
            return Hint(name, kind)
    raise _UnsupportedError("the values of an Enum must all be ints, or all strings")


def _globals_of(function: Callable) -> dict[str, object]:
    while isinstance(function, functools.partial):
        function = function.func
    function = inspect.unwrap(function)
    if not hasattr(function, "__globals__"):
        function = type(function).__call__
    return getattr(function, "__globals__", {})


class _Inference:
    """Reads one signature and reports errors about it."""

    def __init__(self, function: Callable, name: str | None):
        self.function = function
        self.name = name
        self.signature = inspect.signature(function)
        # Where the names in a string hint are looked up.
        self.globals = _globals_of(function)

    def fail(self, what: str, advice: str) -> typing.NoReturn:
        file, line = _C.site_of(self.function)
        name = getattr(self.function, "__name__", "function")
        raise ValueError(
            f"{self.name or name}: {what}\n"
            f"    def {name}{self.signature}\n"
            f"  defined at {file}:{line}. {advice}"
        )

    def read(self, what: str, annotation: object, reader: Callable = _read_hint) -> Hint:
        """Return what `reader` makes of a hint; an error names `what` when it is unsupported."""
        try:
            return reader(self._resolve(annotation))
        except _UnsupportedError as problem:
            reason = f" ({problem})" if str(problem) else ""
            shown = inspect.formatannotation(annotation)
            self.fail(f"{what} has the unsupported type {shown}{reason}", f"Supported: {_KINDS}.")

    def _resolve(self, annotation: object) -> object:
        if isinstance(annotation, typing.ForwardRef):
            annotation = annotation.__forward_arg__
        if isinstance(annotation, str):
            try:
                annotation = eval(annotation, {**_KNOWN_NAMES, **self.globals})
            except Exception as problem:
                raise _UnsupportedError(
                    f"{type(problem).__name__}: {problem}; a hint that is a string can use the "
                    "names of its module"
                ) from None
            return self._resolve(annotation)
        parts = typing.get_args(annotation)
        resolved = tuple(map(self._resolve, parts))
        if all(new is old for new, old in zip(resolved, parts, strict=True)):
            return annotation
        origin = typing.get_origin(annotation)
        if _is_union(origin):
            return typing.Union[resolved]  # noqa: UP007
        return types.GenericAlias(origin, resolved)


def _write_default(value: object) -> str:
    if value is None or isinstance(value, bool):
        return str(value)
    if isinstance(value, Enum):
        return _write_default(value.value)
    if isinstance(value, str):
        import json  # rarely needed, and a sixth of our import time

        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, int):
        return str(int(value))
    if isinstance(value, float):
        return repr(float(value))
    if isinstance(value, complex):
        sign = "" if math.copysign(1, value.imag) < 0 else "+"
        return f"{float(value.real)!r}{sign}{float(value.imag)!r}j"
    if isinstance(value, _C.device):
        return f'"{value}"'
    if isinstance(value, _C.dtype | _C.layout | _C.memory_format):
        return repr(value).removeprefix("opwright.")
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_write_default, value))}]"
    raise _UnsupportedError


class _Parameters:
    """The arguments of a schema, read one by one."""

    def __init__(self, inference: _Inference, mutates_args: frozenset[str] | None):
        self.inference = inference
        self.mutates_args = mutates_args  # None: every tensor
        self.texts: list[str] = []
        self.hints: dict[str, Hint] = {}
        self.written: dict[str, str] = {}  # the alias set of each written argument

    def add(self, index: int, parameter: inspect.Parameter) -> None:
        inference, name = self.inference, parameter.name
        if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
            kind = parameter.kind.description
            inference.fail(
                f"parameter '{name}' is {kind}",
                "An operator's arguments can all be given by name, and their number is fixed.",
            )
        if parameter.annotation is parameter.empty:
            inference.fail(f"parameter '{name}' has no type hint", f"Supported: {_KINDS}.")
        hint = self.hints[name] = inference.read(f"parameter '{name}'", parameter.annotation)
        if parameter.kind is parameter.KEYWORD_ONLY and "*" not in self.texts:
            self.texts.append("*")
        text = f"{self._marked(index, name, hint.type)} {name}"
        if parameter.default is not parameter.empty:
            text += f"={self._default(name, parameter.default)}"
        self.texts.append(text)

    def _marked(self, index: int, name: str, type_text: str) -> str:
        is_tensor = is_tensor_type(type_text)
        is_named = self.mutates_args is not None and name in self.mutates_args
        if is_named and not is_tensor:
            self.inference.fail(
                f"'{name}' is in mutates_args but is not a tensor ({type_text})",
                "Only tensors and lists of tensors can be written to.",
            )
        if not is_tensor or not (is_named or self.mutates_args is None):
            return type_text
        self.written[name] = f"a{index}"
        return f"Tensor(a{index}!){type_text.removeprefix('Tensor')}"

    def _default(self, name: str, value: object) -> str:
        try:
            return _write_default(value)
        except _UnsupportedError:
            self.inference.fail(
                f"the default of parameter '{name}' cannot be written in a schema: {value!r}",
                "A default is None, a number, a string, a dtype, a device, or a list of these.",
            )


def _read_returns(annotation: object) -> str:
    if annotation is None or annotation is type(None):
        return "()"
    parts = typing.get_args(annotation)
    if typing.get_origin(annotation) is not tuple or Ellipsis in parts:
        return _read_hint(annotation).type
    text = ", ".join(_read_hint(part).type for part in parts)
    return f"(({text}))" if len(parts) == 1 else f"({text})"  # (T) alone is T


def _returns(inference: _Inference) -> str:
    annotation = inference.signature.return_annotation
    if annotation is inspect.Signature.empty:
        inference.fail("the return has no type hint", "Write `-> Tensor`, or `-> None` for none.")
    return inference.read("the return", annotation, _read_returns)


def _aliased_returns(parameters: _Parameters, returns: str, tags: Tags) -> str:
    """Write the alias marks of an operator tagged inplace or out into its returns."""
    inference, names = parameters.inference, tag_names(tags)
    if "inplace" in names and "out" in names:
        inference.fail("the tags inplace and out are mutually exclusive", "Choose one.")
    written = parameters.written
    if "inplace" in names:
        first = next(iter(inference.signature.parameters.values()), None)
        is_positional = first is not None and first.kind is first.POSITIONAL_OR_KEYWORD
        is_alone = is_positional and list(written) == [first.name]
        if not is_alone or parameters.hints[first.name].type != "Tensor":
            inference.fail(
                "an operator tagged inplace (torch.Tag.inplace) writes its first positional "
                "argument, a Tensor, and no other",
                f"mutates_args says {sorted(written)}.",
            )
    elif "out" in names:
        kinds = {name: inference.signature.parameters[name].kind for name in written}
        if not kinds or set(kinds.values()) != {inspect.Parameter.KEYWORD_ONLY}:
            inference.fail(
                "an operator tagged out writes keyword-only tensors, and at least one",
                f"mutates_args says {sorted(written)}.",
            )
        others = [name for name in written if parameters.hints[name].type != "Tensor"]
        if others:
            inference.fail(
                "an operator tagged out only supports Tensor arguments that it writes",
                f"'{others[0]}' is {parameters.hints[others[0]].type}.",
            )
    else:
        return returns
    wanted = ["Tensor"] * len(written)
    if returns != (wanted[0] if len(wanted) == 1 else f"({', '.join(wanted)})"):
        inference.fail(
            f"an operator tagged {'inplace' if 'inplace' in names else 'out'} returns what it "
            f"writes: {', '.join(written)}",
            f"Its return annotation is {returns}.",
        )
    marked = [f"Tensor({alias}!)" for alias in written.values()]
    return marked[0] if len(marked) == 1 else f"({', '.join(marked)})"


def read_mutates_args(
    mutates_args: Iterable[str] | typing.Literal["unknown"],
) -> frozenset[str] | None:
    """Return the names, or None for "unknown"."""
    if isinstance(mutates_args, str):
        if mutates_args == "unknown":
            return None
        raise ValueError(
            "mutates_args must be the names of the arguments that are written to, or 'unknown', "
            f"got the string {mutates_args!r}\n"
            f"  Did you mean mutates_args=[{mutates_args!r}]?"
        )
    return frozenset(mutates_args)


def check_mutates_args(
    schema: _C.Schema, mutates_args: Iterable[str] | typing.Literal["unknown"]
) -> None:
    """Raise ValueError unless `mutates_args` names what the schema marks as written."""
    tensors = {a.name for a in schema.arguments if is_tensor_type(a.type)}
    written = {a.name for a in schema.arguments if a.is_write}
    names = read_mutates_args(mutates_args)
    named = tensors if names is None else set(names)
    if named != written:
        raise ValueError(
            f"{schema.name}: mutates_args and the schema disagree: mutates_args names "
            f"{_names(named)}, the schema marks {_names(written)}\n"
            f"    {schema}\n"
            "  An argument that is written to is marked in the schema, e.g. `Tensor(a!) x`."
        )


def _names(names: Iterable[str]) -> str:
    return ", ".join(map(repr, sorted(names))) or "none"


def infer_schema(
    prototype_function: Callable,
    /,
    *,
    mutates_args: Iterable[str] | typing.Literal["unknown"],
    op_name: str | None = None,
    tags: Tags = (),
) -> str:
    """Return the schema that a function's type hints imply.

    >>> from opwright import Tensor
    >>> def gain(x: Tensor, factor: float = 1.0, dims: tuple[int, int] | None = None) -> Tensor: ...
    >>> infer_schema(gain, mutates_args=(), op_name="gain")
    'gain(Tensor x, float factor=1.0, SymInt[2]? dims=None) -> Tensor'
    >>> infer_schema(gain, mutates_args=["x"])
    '(Tensor(a0!) x, float factor=1.0, SymInt[2]? dims=None) -> Tensor'

    In addition to what torch.library infers: lists and optionals of every type, `complex`,
    `layout`, `memory_format`, `str` lists, tuples (`T[N]` when all elements have one type,
    otherwise a tuple), an Enum (`int` or `str`, by the type of its values), registered opaque
    classes, optional results, and defaults of all these.
    """
    inference = _Inference(prototype_function, op_name)
    names = read_mutates_args(mutates_args)
    if unknown := (names or frozenset()).difference(inference.signature.parameters):
        inference.fail(
            f"mutates_args names {', '.join(map(repr, sorted(unknown)))}, which it does not take",
            "mutates_args has the names of the arguments that are written to, or is 'unknown'.",
        )
    parameters = _Parameters(inference, names)
    for index, parameter in enumerate(inference.signature.parameters.values()):
        parameters.add(index, parameter)
    returns = _aliased_returns(parameters, _returns(inference), tags)
    return f"{op_name or ''}({', '.join(parameters.texts)}) -> {returns}"


def restorers(function: Callable) -> Restorers:
    """Return, by parameter, the functions that turn schema values into what the hints promise.

    Hints that cannot be read promise nothing: a function with `schema=` does not need them.
    """
    found = {}
    inference = _Inference(function, None)
    for parameter in inference.signature.parameters.values():
        try:
            hint = _read_hint(inference._resolve(parameter.annotation))
        except _UnsupportedError:
            continue
        if hint.restore:
            found[parameter.name] = hint.restore
    return found

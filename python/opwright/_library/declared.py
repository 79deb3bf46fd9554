"""The library of operators declared in a list."""

import importlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import CodeType

from .. import _C
from .._generator.generate_ops.declarations import Declaration, Reader, read_file
from .._generator.generate_ops.schema import SchemaError
from .._generator.generate_ops.yaml_nodes import DeclarationError, is_python_path
from .library import Library
from .registrations import Registrations, definition_of
from .tag import split_tags


@dataclass(frozen=True)
class ParsedSchema:
    """A schema parsed by the core, with the properties that a reader of lists needs."""

    text: str  # with its namespace, as the core writes it
    full_name: str
    arguments: tuple[_C.Argument, ...]
    is_in_place: bool
    writes_out: bool
    may_be_view: bool

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ParsedSchema) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)


def parse_schema(text: str, namespace: str) -> ParsedSchema:
    parsed = _C.parse_schema(text if text.startswith(f"{namespace}::") else f"{namespace}::{text}")
    arguments, written = tuple(parsed.arguments), [a for a in parsed.arguments if a.is_write]
    given_back = {each.alias for each in parsed.returns if each.is_write}
    aliased = {each.alias for each in parsed.returns if each.alias} & {
        each.alias for each in arguments
    }
    return ParsedSchema(
        text=str(parsed),
        full_name=parsed.name.removeprefix(f"{namespace}::"),
        arguments=arguments,
        is_in_place=bool(written) and arguments[0].is_write and arguments[0].alias in given_back,
        writes_out=bool(written) and all(a.kwarg_only and a.alias in given_back for a in written),
        may_be_view=bool(aliased) and not written,
    )


class ListReader(Reader):
    """Reads a list with the core's own parser, and knows the devices of plug-ins."""

    def __init__(self, name: str, namespace: str, devices: tuple[str, ...]):
        super().__init__(name, built_in=False, devices=devices, may_be_python=True)
        self.namespace = namespace

    def parse(self, text: str) -> ParsedSchema:
        try:
            return parse_schema(text, self.namespace)
        except ValueError as problem:
            raise SchemaError(str(problem)) from None

    def find_slot(self, key: str) -> str | None:
        if found := super().find_slot(key):
            return found
        try:
            return _C.device(key.lower()).type
        except (RuntimeError, ValueError):
            return None


def read_list(path: Path, namespace: str, devices: tuple[str, ...] = ()) -> list[Declaration]:
    """Read a list; `devices` are known in addition to those of the core."""
    if not isinstance(namespace, str) or not namespace.isidentifier():
        raise ValueError(f"the namespace of operators is a name like 'npu', got {namespace!r}")
    return ListReader(str(path), namespace, devices).read(read_file(path, str(path)))


class DeclaredLibrary(Library):
    """A library that may share its definitions: the same list can be loaded twice."""

    def __init__(self, namespace: str, declarations: list[Declaration]):
        super().__init__(namespace, "FRAGMENT")
        self._shared: list[Registrations] = []  # the last library that holds one closes it
        try:
            for act in (self._declare, self._implement):
                for declaration in declarations:
                    with telling_line(declaration):
                        act(declaration)
        except Exception:
            self._destroy()
            raise
        _kept.append(self)

    def _declare(self, declaration: Declaration) -> None:
        ours, foreign = split_tags(declaration.tags)
        name = f"{self.ns}::{declaration.schema.full_name}"
        if (there := _C.find_operator(name)) is None:
            definition = Registrations("")
            source = function_at(declaration.file, declaration.line)
            definition.define(declaration.schema.text, (*ours, *foreign), source=source)
            self._shared.append(definition)
            return
        if str(there.schema) != declaration.schema.text or set(there.tags) != set(ours):
            raise DeclarationError(
                f"{declaration.place}: {name} is defined already, and differently"
                f"\n  here:  {declaration.schema.text}, {tags_text(ours)}"
                f"\n  there: {there.schema}, {tags_text(there.tags)}, at {there.site}"
            )
        if definition := definition_of(name):
            self._shared.append(definition)

    def _implement(self, declaration: Declaration) -> None:
        for slot, path in declaration.dispatch.items():
            if is_python_path(path):
                function = import_function(path, declaration)
                self.impl(declaration.schema.full_name, function, slot)

    def _destroy(self) -> None:
        super()._destroy()
        self._shared.clear()
        if self in _kept:
            _kept.remove(self)


# Loaded operators stay permanently unless a `with` ends them.
_kept: list[DeclaredLibrary] = []


@contextmanager
def telling_line(declaration: Declaration) -> Iterator[None]:
    """Start the core's error with the line of the list."""
    try:
        yield
    except DeclarationError:
        raise
    except ValueError as problem:
        text = str(problem).removesuffix(f"registered at {declaration.place}").rstrip()
        raise DeclarationError(f"{declaration.place}: {text}") from None


def tags_text(tags: list[str] | tuple[str, ...]) -> str:
    return f"tags {', '.join(sorted(tags))}" if tags else "no tags"


def import_function(path: str, declaration: Declaration) -> Callable:
    """Return the object that "package.module:function" names."""
    module, _, name = path.partition(":")
    try:
        value: object = importlib.import_module(module)
        for part in name.split("."):
            value = getattr(value, part)
    except (ImportError, AttributeError) as problem:
        raise DeclarationError(f"{declaration.place}: '{path}': {problem}") from problem
    if not callable(value):
        raise DeclarationError(f"{declaration.place}: '{path}' is not a function")
    return value


def function_at(file: str, line: int) -> Callable:
    """Return a function that appears to be defined at that line, for use in definition sites."""

    def declared() -> None: ...

    code: CodeType = declared.__code__
    declared.__code__ = code.replace(co_filename=file, co_firstlineno=line)
    return declared

"""Signatures as text: parameters with defaults, calls, lines of at most 100 columns."""

import re
from dataclasses import dataclass

from .cpp_types import Form, default_value, parameter_name, parameter_type, return_type
from .declarations import Declaration
from .schema import Schema
from .yaml_nodes import DeclarationError

COLUMNS = 100
# Names of namespace opwright that generated texts use unqualified.
NAMES = re.compile(
    r'"[^"\n]*"|//[^\n]*|(?<![:\w.])(?:AnyTensor|Device|DType|FakeTensor|IntList|Layout|'
    r"MemoryFormat|OptionalIntList|OptionalSymIntList|Same|Scalar|SymInt|SymIntList|Tensor|"
    r"imported)(?!\w)"
)


@dataclass
class Signature:
    """A public C++ function or method; `required` parameters come before those with defaults."""

    declaration: Declaration
    types: list[str]
    names: list[str]
    defaults: list[str | None]
    required: int

    def parameters(self, with_defaults: bool) -> list[str]:
        texts = [f"{type_} {name}" for type_, name in zip(self.types, self.names, strict=True)]
        if with_defaults:
            for index in range(self.required, len(texts)):
                texts[index] += f" = {self.defaults[index]}"
        return texts


def make_signature(declaration: Declaration, is_method: bool) -> Signature:
    arguments = declaration.schema.arguments[1 if is_method else 0 :]
    defaults = [default_value(argument) for argument in arguments]
    required = max((i + 1 for i, default in enumerate(defaults) if default is None), default=0)
    return Signature(
        declaration,
        parameter_types(declaration.schema, is_method),
        [parameter_name(argument) for argument in arguments],
        defaults,
        required,
    )


def parameter_types(schema: Schema, is_method: bool) -> list[str]:
    """Return the types of a template over Self, the tensor class that it is called with.

    A function deduces Self from its first tensor; a method knows it already.
    """
    if is_method:
        rest = schema.arguments[1:]
        return [parameter_type(argument.type, Form.FUNCTION, "Self") for argument in rest]
    types, tensor = [], "Self"
    for argument in schema.arguments:
        is_tensor = argument.type.base == "Tensor"
        decides = is_tensor and not argument.type.suffixes
        form = "Same<Self>" if is_tensor and not decides else tensor
        types.append(parameter_type(argument.type, Form.FUNCTION, form))
        tensor = "Same<Self>" if decides else tensor
    return types


def make_signatures(declarations: list[Declaration], variant: str) -> list[Signature]:
    """Return the C++ forms of a variant, without defaults that would make a call ambiguous."""
    done: dict[str, list[Signature]] = {}
    signatures = []
    for declaration in declarations:
        if variant not in declaration.variants:
            continue
        signature = make_signature(declaration, is_method=variant == "method")
        overloads = done.setdefault(declaration.schema.name, [])
        for other in overloads:
            keep_apart(signature, other)
        overloads.append(signature)
        signatures.append(signature)
    return signatures


def keep_apart(later: Signature, earlier: Signature) -> None:
    first = max(later.required, earlier.required)
    last = min(len(later.types), len(earlier.types))
    for count in range(first, last + 1):
        if later.types[:count] != earlier.types[:count]:
            continue
        if count == len(later.types):
            names = [each.declaration.schema.full_name for each in (later, earlier)]
            raise DeclarationError(
                f"{later.declaration.place}: {names[0]} and {names[1]} have the same C++ parameters"
            )
        later.required = count + 1


def qualify(text: str) -> str:
    """Write names of namespace opwright in full.

    >>> qualify('Tensor f(const std::optional<DType>& a);  // Tensor')
    'opwright::Tensor f(const std::optional<opwright::DType>& a);  // Tensor'
    """
    return NAMES.sub(lambda m: m[0] if m[0][0] in '"/' else f"opwright::{m[0]}", text)


def wrap_list(before: str, items: list[str], after: str, indent: int) -> str:
    """Put `items` between `before` and `after`, on separate lines if they do not fit on one."""
    line = before + ", ".join(items) + after
    if len(line) <= COLUMNS:
        return line
    lines, current = [before.rstrip()], " " * indent
    for index, item in enumerate(items):
        piece = item + (", " if index + 1 < len(items) else after)
        if len((current + piece).rstrip()) > COLUMNS and current.strip():
            lines.append(current.rstrip())
            current = " " * indent
        current += piece
    return "\n".join([*lines, current.rstrip()])


def call_operator(schema: Schema, name_space: str, arguments: list[str]) -> str:
    """Return the statement that calls the operator; `imported` holds what the call looked up."""
    types = [parameter_type(argument.type, Form.HANDLE, "Self") for argument in schema.arguments]
    result = return_type(schema, Form.HANDLE, "Self")
    keyword = "return " if schema.returns else ""
    name = f'"{name_space}::{schema.full_name}"'
    head = f"  {keyword}imported<{name}, {result}({', '.join(types)})>("
    if len(head) > COLUMNS:
        signature = wrap_list(f"      {result}(", types, ")>(", 10)
        head = f"  {keyword}imported<\n      {name},\n{signature}"
    elif len(head + ", ".join(arguments)) + 2 <= COLUMNS:
        return f"{head}{', '.join(arguments)});\n"
    return f"{head}\n      {', '.join(arguments)});\n"

"""The C++ types and default values of schema types.

One schema type has several C++ forms: a public function accepts lists that braced lists convert
to, an operator handle takes the value types, and a kernel sees ints where a rule sees SymInts.
"""

import re
from enum import Enum

from .schema import Argument, Schema, SchemaError, Type


class Form(Enum):
    FUNCTION = "a public function"
    HANDLE = "the signature of an OperatorHandle"
    KERNEL = "a kernel: plain ints"
    RULE = "a composite body: SymInts"


SPAN = "std::span<const {}>"
OPTIONAL = "std::optional<{}>"
BY_REFERENCE = {"Tensor", "SymInt", "Scalar", "Generator"}
CPP_NAMES = {
    "Tensor": "Tensor",
    "SymInt": "SymInt",
    "Scalar": "Scalar",
    "int": "int64_t",
    "float": "double",
    "bool": "bool",
    "str": "std::string_view",
    "ScalarType": "DType",
    "Device": "Device",
    "Layout": "Layout",
    "MemoryFormat": "MemoryFormat",
    "Generator": "Generator",
}
RETURN_NAMES = {**CPP_NAMES, "str": "std::string"}
SPAN_ELEMENTS = {"Tensor", "SymInt", "int", "float", "bool"}
# Public parameter types that accept a braced list.
LISTS = {
    ("int", "[]"): "IntList",
    ("int", "[]?"): "OptionalIntList",
    ("SymInt", "[]"): "SymIntList",
    ("SymInt", "[]?"): "OptionalSymIntList",
}
CONSTANTS = {
    "None": "std::nullopt",
    "True": "true",
    "False": "false",
    "contiguous_format": "MemoryFormat::Contiguous",
    "preserve_format": "MemoryFormat::Preserve",
    "channels_last": "MemoryFormat::ChannelsLast",
    "channels_last_3d": "MemoryFormat::ChannelsLast3d",
    "strided": "Layout::Strided",
    "long": "DType::Int64",
}
KEYWORD_TEXT = """
alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t char32_t
char8_t class co_await co_return co_yield compl concept const const_cast consteval constexpr
constinit continue
decltype default delete do double dynamic_cast else enum explicit export extern false float for
friend
goto if inline int long mutable namespace new noexcept not not_eq nullptr operator or or_eq private
protected public register reinterpret_cast requires return short signed sizeof static static_assert
static_cast struct switch template this thread_local throw true try typedef typeid typename union
unsigned using virtual void volatile wchar_t while xor xor_eq
"""
CPP_KEYWORDS = frozenset(KEYWORD_TEXT.split())


def parameter_type(type_: Type, form: Form, tensor: str = "Tensor") -> str:
    """Return the C++ type of an argument; `tensor` is the class used for a Tensor."""
    base = type_.base
    if form is Form.KERNEL and base == "SymInt":
        base = "int"
    if base not in CPP_NAMES:
        raise SchemaError(f"the type {base} has no C++ form yet")
    if form is Form.FUNCTION and (base, type_.shape) in LISTS:
        return LISTS[base, type_.shape]
    name = tensor if base == "Tensor" else CPP_NAMES[base]
    if type_.shape == "":
        if type_.is_written:
            return f"{name}&"
        return f"const {name}&" if base in BY_REFERENCE else name
    if type_.shape == "?":
        # Small ones too: passed by value they are written in parts and read at once, which stalls.
        return f"const {OPTIONAL.format(name)}&"
    if type_.shape == "[]" and base in SPAN_ELEMENTS:
        return SPAN.format(name)
    if type_.shape == "[]?" and base in SPAN_ELEMENTS:
        return OPTIONAL.format(SPAN.format(name))
    if type_.shape == "[]":
        return f"const std::vector<{name}>&"
    if type_.shape == "?[]":
        return f"const std::vector<{OPTIONAL.format(name)}>&"
    raise SchemaError(f"the type {base}{type_.shape} has no C++ form yet")


def return_type(schema: Schema, form: Form, tensor: str = "Tensor") -> str:
    names = [single_return_type(type_, form, tensor) for type_ in schema.returns]
    if not names:
        return "void"
    return names[0] if len(names) == 1 else f"std::tuple<{', '.join(names)}>"


def single_return_type(type_: Type, form: Form, tensor: str) -> str:
    base = "int" if form is Form.KERNEL and type_.base == "SymInt" else type_.base
    if base not in RETURN_NAMES:
        raise SchemaError(f"the type {base} has no C++ form yet")
    name = tensor if base == "Tensor" else RETURN_NAMES[base]
    for suffix in type_.suffixes:
        name = OPTIONAL.format(name) if suffix == "?" else f"std::vector<{name}>"
    return f"{name}&" if type_.is_written and not type_.suffixes else name


def parameter_name(argument: Argument) -> str:
    return f"{argument.name}_" if argument.name in CPP_KEYWORDS else argument.name


def default_value(argument: Argument) -> str | None:
    """Return the default as a C++ expression, or None if there is none."""
    text = argument.default
    if text is None:
        return None
    if text in CONSTANTS:
        return CONSTANTS[text]
    if re.fullmatch(r"-?[\d.]+(e-?\d+)?", text):
        length = argument.type.length
        return text if length is None else "{" + ", ".join([text] * length) + "}"
    if text.startswith("[") and text.endswith("]"):
        return "{" + text[1:-1] + "}"
    if text[0] in "\"'" and text[-1] == text[0]:
        return f'"{text[1:-1]}"'
    raise SchemaError(f"the default {text} of '{argument.name}' has no C++ form yet")


def check_cpp_forms(schema: Schema) -> None:
    """Raise a SchemaError for a schema that C++ cannot declare."""
    for form in Form:
        return_type(schema, form)
        for argument in schema.arguments:
            parameter_type(argument.type, form)
            default_value(argument)

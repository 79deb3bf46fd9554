"""The operators in Python's type stubs: methods of Tensor, and functions of the package.

They are between two marks in a stub that is otherwise written by hand.
"""

import json
import keyword
import re
from pathlib import Path

from .cpp_text import COLUMNS
from .declarations import Declaration
from .schema import SCHEMA, Argument, Schema, SchemaError, Type, split_list

BEGIN = "# ---- operators: begin ----\n"
END = "# ---- operators: end ----\n"
METHODS_STUB = "_C.pyi"
FUNCTIONS_STUB = "__init__.pyi"
RESULTS_STUB = "return_types/__init__.pyi"
# Names of the types in both stubs: attributes of a class can hide the usual names.
NAMES = {
    "Tensor": "Tensor",
    "SymInt": "_Int",
    "Scalar": "_Number",
    "int": "_Int",
    "float": "_float",
    "bool": "_bool",
    "str": "str",
    "ScalarType": "_dtype",
    "Device": "_DeviceLike",
    "Layout": "_layout",
    "MemoryFormat": "_memory_format",
    "Generator": "_Generator",
}
RETURN_NAMES = {**NAMES, "SymInt": "_int", "int": "_int", "Device": "_device", "Scalar": "_complex"}


def update_stubs(folder: Path, declarations: list[Declaration]) -> dict[Path, str]:
    """Return the text that each stub in `folder` should have."""
    stubs = {
        folder / name: update_stub((folder / name).read_text(), name, declarations)
        for name in (METHODS_STUB, FUNCTIONS_STUB)
    }
    stubs[folder / RESULTS_STUB] = write_results(declarations)
    return stubs


def write_results(declarations: list[Declaration]) -> str:
    """Return the stub of the tuples that functions with several named results return."""
    schemas: dict[str, Schema] = {}
    for declaration in declarations:
        if has_named_results(declaration.schema):
            schemas.setdefault(declaration.schema.name, declaration.schema)
    text = (
        "# The results of functions that return several, made from src/ops/functions.yaml by\n"
        "# tools/update_stubs.\n# ruff: noqa: N801\n\n"
        "from typing import NamedTuple\n\nfrom .._C import Tensor\n"
    )
    text += f"\n__all__ = {json.dumps(sorted(schemas), indent=4)}\n".replace('"\n]', '",\n]')
    for name, schema in sorted(schemas.items()):
        text += f"\nclass {name}(NamedTuple):\n"
        for field, type_ in zip(schema.return_names, schema.returns, strict=True):
            text += f"    {field}: {type_name(type_, RETURN_NAMES, 'list')}\n"
    return text


def has_named_results(schema: Schema) -> bool:
    """Return whether functions return a named tuple, as the bindings decide.

    See python/bindings/operator/named_results.cpp.
    """
    is_public = not schema.name.startswith("_")
    return is_public and len(schema.returns) > 1 and all(schema.return_names)


def update_stub(text: str, name: str, declarations: list[Declaration]) -> str:
    """Return `text` with the part between the marks regenerated."""
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise SchemaError(f"{name} has no lines '{BEGIN.strip()}' and '{END.strip()}'")
    indent = before[before.rfind("\n") + 1 :]
    # Methods of other classes may have the same names.
    around = before[before.rfind("\nclass ") :] + after.partition("\nclass ")[0]
    by_hand = set(
        re.findall(rf"^{indent}def (\w+)", around if indent else before + after, re.MULTILINE)
    )
    variant = "method" if name == METHODS_STUB else "function"
    made = write_operators(declarations, variant, by_hand, indent)
    blank = "" if indent else "\n"  # as ruff formats it
    return before + begin + made + blank + indent + end + after


def write_operators(
    declarations: list[Declaration], variant: str, by_hand: set[str], indent: str
) -> str:
    """Return all forms of each operator, sorted by name; private names are left out."""
    forms: dict[str, list[str]] = {}
    for declaration in declarations:
        name = declaration.schema.name
        if variant in declaration.variants and name not in by_hand and not name.startswith("_"):
            forms.setdefault(name, []).extend(write_forms(declaration.schema, variant, indent))
    text = ""
    for _, signatures in sorted(forms.items()):
        mark = f"{indent}@overload\n" if len(signatures) > 1 else ""
        text += "".join(mark + signature for signature in signatures)
    return text


def write_forms(schema: Schema, variant: str, indent: str) -> list[str]:
    """Return the signatures of one overload: `zeros(size)` has a second one, `zeros(*size)`."""
    is_method = variant == "method"
    positional, keywords = split_arguments(schema)
    first = ["self"] if is_method else []
    positional = positional[1:] if is_method else positional
    if not is_method and positional and positional[0].name == "self":
        first, positional = [parameter(positional[0])], positional[1:]
    named = [parameter(argument) for argument in keywords]
    if makes_tensor(schema):
        named.append("requires_grad: _bool = False")
    head = f"{indent}def {schema.name}("
    tail = f") -> {return_type(schema, is_method)}: ..."
    lists = [*first, *(parameter(argument) for argument in positional)]
    hidden = [len(first) + i for i, each in enumerate(positional) if keyword.iskeyword(each.name)]
    for index in hidden:  # Python cannot write its name
        lists.insert(index + 1, "/")
    forms = [wrap(head, [*lists, *(["*", *named] if named else [])], tail, indent)]
    if len(positional) == 1 and is_int_list(positional[0].type):
        forms.append(wrap(head, [*first, f"*{positional[0].name}: _Int", *named], tail, indent))
    return forms


def split_arguments(schema: Schema) -> tuple[list[Argument], list[Argument]]:
    """Return the positional and the keyword-only arguments."""
    parts = split_list(SCHEMA.fullmatch(schema.text)["arguments"])
    count = parts.index("*") if "*" in parts else len(parts)
    return list(schema.arguments[:count]), list(schema.arguments[count:])


def makes_tensor(schema: Schema) -> bool:
    """Return whether the function accepts `requires_grad`.

    The bindings decide the same in python/bindings/operator/call_forms.cpp.
    """
    takes_tensors = any(argument.type.base == "Tensor" for argument in schema.arguments)
    if not schema.returns or schema.returns[0].base != "Tensor":
        return False
    return not takes_tensors or schema.name.startswith("new_") or schema.name.endswith("_like")


def is_int_list(type_: Type) -> bool:
    return type_.base in ("int", "SymInt") and type_.shape == "[]"


def parameter(argument: Argument) -> str:
    default = "" if argument.default is None else f" = {argument.default}".replace("'", '"')
    if "[" in default:  # as ruff formats it
        default = default.replace(", ", ",").replace(",", ", ")
    if default.endswith("."):
        default += "0"
    name = f"{argument.name}_" if keyword.iskeyword(argument.name) else argument.name
    return f"{name}: {type_name(argument.type, NAMES)}{default}"


def type_name(type_: Type, names: dict[str, str], list_name: str = "Sequence") -> str:
    if type_.base not in names:
        raise SchemaError(f"the type {type_.base} has no Python form yet")
    name = names[type_.base]
    for suffix in type_.suffixes:
        if suffix == "?":
            name = f"{name} | None"
        elif suffix == "[]":
            name = f"{list_name}[{name}]"
        else:  # one number sets all of `int[2]`
            name = f"{name} | {list_name}[{name}]"
    return name


def return_type(schema: Schema, is_method: bool) -> str:
    if is_method and schema.arguments[0].type.is_written and len(schema.returns) == 1:
        return "Self"
    names = [type_name(type_, RETURN_NAMES, "list") for type_ in schema.returns]
    if not names:
        return "None"
    if len(names) == 1:  # functions and methods return a list as a tuple
        return re.sub(r"^list\[(.*)\]$", r"tuple[\1, ...]", names[0])
    if has_named_results(schema):
        return f"_return_types.{schema.name}"
    return f"tuple[{', '.join(names)}]"


def wrap(head: str, parameters: list[str], tail: str, indent: str) -> str:
    """Return the lines as ruff formats them."""
    line = head + ", ".join(parameters) + tail
    if len(line) <= COLUMNS:
        return line + "\n"
    line = f"{indent}    {', '.join(parameters)}"
    if len(line) <= COLUMNS:
        return f"{head}\n{line}\n{indent}{tail}\n"
    lines = "".join(f"{indent}    {each},\n" for each in parameters)
    return f"{head}\n{lines}{indent}{tail}\n"

"""The source that declares the C++ functions of every row and registers them."""

from .cpp_text import wrap_list
from .cpp_types import Form, parameter_name, parameter_type, return_type
from .declarations import SLOTS, Declaration
from .schema import Schema, SchemaError

SOURCE = """\
// Registers the operators of {yaml}, as an author's file does. Made from it; do not edit.
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>
#include <vector>

#include "opwright/library.h"
{includes}
namespace opwright {{

{functions}
{blocks}}}  // namespace opwright
"""


def write_registration(declarations: list[Declaration], yaml: str, name_space: str) -> str:
    """Library blocks: the definitions, then one block of functions for each slot."""
    functions: dict[str, str] = {}
    definitions = ""
    by_slot: dict[str, str] = {}
    for declaration in declarations:
        schema, line = declaration.schema, declaration.line
        at_line = f'#line {line} "{yaml}"\n'
        tags = ", ".join(f"Tag::{pascal_case(tag)}" for tag in declaration.tags)
        definitions += at_line + f"  m.def({quoted(schema.text)}, {{{tags}}});\n"
        for key, function in declaration.dispatch.items():
            text = declare(schema, key, function)
            if functions.setdefault(function, text) != text:
                raise SchemaError(f"{function} is named with two signatures, again in line {line}")
            implementation = at_line + f'  m.impl("{schema.full_name}", &{function});\n'
            by_slot[key] = by_slot.get(key, "") + implementation
    blocks = f"OPWRIGHT_LIBRARY({name_space}, m) {{\n{definitions}}}\n\n"
    for key in SLOTS:
        if key in by_slot:
            blocks += f"OPWRIGHT_LIBRARY_IMPL({name_space}, {key}, m) {{\n{by_slot[key]}}}\n\n"
    pointwise = [each for each in declarations if each.pointwise]
    names = sorted({each.pointwise for each in pointwise})
    declared = "".join(f"const PointwiseOp& {name}_op();\n" for name in names)
    return SOURCE.format(
        yaml=yaml,
        includes='#include "opwright/ops/pointwise_registration.h"\n' if pointwise else "",
        functions="".join(f"{text}\n" for text in functions.values()) + declared,
        blocks=blocks + register_pointwise(pointwise, yaml, name_space),
    )


def register_pointwise(declarations: list[Declaration], yaml: str, name_space: str) -> str:
    """Return the table of the operators whose kernels the pointwise engine supplies."""
    if not declarations:
        return ""
    rows = "".join(
        f'    {{"{name_space}::{each.schema.full_name}", &{each.pointwise}_op, {each.line}}},\n'
        for each in declarations
    )
    return (
        f"[[maybe_unused]] const bool kRegisteredPointwise = "
        f'register_pointwise("{yaml}", {{\n{rows}}});\n\n'
    )


def declare(schema: Schema, key: str, function: str) -> str:
    form = Form.KERNEL if key == "CPU" else Form.RULE
    tensor = "FakeTensor" if key == "Fake" else "Tensor"
    parameters = [
        f"{parameter_type(argument.type, form, tensor)} {parameter_name(argument)}"
        for argument in schema.arguments
    ]
    return wrap_list(f"{return_type(schema, form, tensor)} {function}(", parameters, ");", 4)


def quoted(text: str) -> str:
    """Return the text as a C++ literal."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def pascal_case(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("_"))

"""The source that declares the C++ functions of every row and registers them."""

from .cpp_text import wrap_list
from .cpp_types import Form, parameter_name, parameter_type, return_type
from .declarations import SLOTS, Declaration
from .schema import Schema, SchemaError

SOURCE = """\
// Registers the operators of {yaml}. Made from it; do not edit.
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>
#include <vector>

{includes}
namespace opwright {{

{functions}
void register_builtin_operators();

namespace {{

SourceSite at_line(uint32_t line) {{ return {{"{yaml}", line}}; }}

void define(std::string_view schema, Tags tags, uint32_t line) {{
  Registry::get().define(schema, tags, at_line(line)).keep();
}}

template <class F>
void implement(std::string_view name, Slot slot, F function, uint32_t line) {{
  Registry::get().implement(name, slot, function, at_line(line)).keep();
}}

void register_all() {{
{registrations}}}

const bool is_registered_at_load = (register_builtin_operators(), true);

}}  // namespace

// The first call registers, for ever; any thread, any number of calls.
void register_builtin_operators() {{
  static const bool is_registered = (register_all(), true);
  (void)is_registered;
}}

}}  // namespace opwright
"""


def write_registration(declarations: list[Declaration], yaml: str, name_space: str) -> str:
    functions: dict[str, str] = {}
    registrations = ""
    for declaration in declarations:
        schema, line = declaration.schema, declaration.line
        name = f"{name_space}::{schema.full_name}"
        tags = ", ".join(f"Tag::{pascal_case(tag)}" for tag in declaration.tags)
        text = f'"{name_space}::{schema.text}"'
        registrations += wrap_list("  define(", [text, f"{{{tags}}}", str(line)], ");", 6) + "\n"
        for key, function in declaration.dispatch.items():
            text = declare(schema, key, function)
            if functions.setdefault(function, text) != text:
                raise SchemaError(f"{function} is named with two signatures, again in line {line}")
            registrations += wrap_list(
                "  implement(",
                [f'"{name}"', f"Slot::{SLOTS[key]}", f"&{function}", str(line)],
                ");",
                6,
            )
            registrations += "\n"
    has_fakes = any("Fake" in declaration.dispatch for declaration in declarations)
    includes = ["opwright/dispatch/registry.h", *(["opwright/fake_tensor.h"] if has_fakes else [])]
    return SOURCE.format(
        yaml=yaml,
        includes="".join(f'#include "{include}"\n' for include in includes),
        functions="".join(f"{text}\n" for text in functions.values()),
        registrations=registrations,
    )


def declare(schema: Schema, key: str, function: str) -> str:
    form = Form.KERNEL if key == "CPU" else Form.RULE
    tensor = "FakeTensor" if key == "Fake" else "Tensor"
    parameters = [
        f"{parameter_type(argument.type, form, tensor)} {parameter_name(argument)}"
        for argument in schema.arguments
    ]
    return wrap_list(f"{return_type(schema, form, tensor)} {function}(", parameters, ");", 4)


def pascal_case(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("_"))

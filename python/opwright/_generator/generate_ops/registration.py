"""The sources that declare the C++ functions of every row and register them."""

from dataclasses import replace

from .autocast import write_autocast
from .cpp_text import qualify, wrap_list
from .cpp_types import Form, parameter_name, parameter_type, return_type
from .declarations import Declaration
from .schema import Schema
from .slots import BODIES, COMPOSITE, DECOMPOSE, FAKE, SCATTER, VMAP, is_device
from .tags import TAGS
from .yaml_nodes import DeclarationError

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


# The files that register functions, each with its slots; None means every device. Several files
# compile faster than one.
PARTS: dict[str, tuple[str | None, ...]] = {
    "register_kernels.cpp": (None,),
    "register_fakes.cpp": (FAKE,),
    "register_composites.cpp": ("CompositeExplicitAutograd", COMPOSITE, DECOMPOSE, SCATTER),
    "register_vmap.cpp": (VMAP,),
}


def write_registrations(
    declarations: list[Declaration], yaml: str, name_space: str
) -> dict[str, str]:
    """Return the sources that register the operators, by file name.

    The first defines them and holds the tables of pointwise operators and of autocast; the others
    register the functions of some slots each.
    """
    pointwise = [each for each in declarations if each.pointwise]
    names = sorted({each.pointwise for each in pointwise})
    declare_functions(declarations)  # the signatures agree over all files
    sources = {
        "register_ops.cpp": SOURCE.format(
            yaml=yaml,
            includes=list_includes(declarations),
            functions="".join(f"const PointwiseOp& {name}_op();\n" for name in names),
            blocks=write_definitions(declarations, "OPWRIGHT_LIBRARY", name_space)
            + register_pointwise(pointwise, yaml, name_space)
            + write_autocast(declarations, yaml, name_space),
        )
    }
    for file, slots in PARTS.items():
        part = [with_slots(each, slots) for each in declarations]
        sources[file] = SOURCE.format(
            yaml=yaml,
            includes="",
            functions=declare_functions(part),
            blocks=write_implementations(part, name_space),
        )
    return sources


def with_slots(declaration: Declaration, slots: tuple[str | None, ...]) -> Declaration:
    """Return the declaration with its functions of these slots alone."""
    dispatch = {
        slot: function
        for slot, function in declaration.dispatch.items()
        if (None if is_device(slot) else slot) in slots
    }
    return replace(declaration, dispatch=dispatch)


def list_includes(declarations: list[Declaration]) -> str:
    headers = []
    if any(each.properties for each in declarations):
        headers.append("opwright/dispatch/property.h")
    if any(each.autocast for each in declarations):
        headers.append("opwright/ops/rule/autocast_policy.h")
    if any(each.pointwise for each in declarations):
        headers.append("opwright/ops/engine/pointwise/pointwise_registration.h")
    return "".join(f'#include "{header}"\n' for header in headers)


def declare_functions(declarations: list[Declaration], in_full: bool = False) -> str:
    """Return a declaration of each function that the entries name; see `declare`."""
    functions: dict[str, str] = {}
    for declaration in declarations:
        for slot, function in declaration.dispatch.items():
            text = declare(declaration.schema, slot, function, in_full=in_full) + ";"
            if functions.setdefault(function, text) != text:
                raise DeclarationError(
                    f"{declaration.place}: {function} is named with two signatures"
                )
    return "".join(f"{text}\n" for text in functions.values())


def write_definitions(declarations: list[Declaration], macro: str, name_space: str) -> str:
    definitions = ""
    for declaration in declarations:
        definitions += at_line(declaration) + f"  {define(declaration)}\n"
    return f"{macro}({name_space}, m) {{\n{definitions}}}\n\n"


def write_implementations(declarations: list[Declaration], name_space: str) -> str:
    by_slot: dict[str, str] = {}
    for declaration in declarations:
        for slot, function in declaration.dispatch.items():
            register = "register_vmap" if slot == VMAP else "impl"
            implementation = f'  m.{register}("{declaration.schema.full_name}", &{function});\n'
            by_slot[slot] = by_slot.get(slot, "") + at_line(declaration) + implementation
    return "".join(
        f"OPWRIGHT_LIBRARY_IMPL({name_space}, {slot}, m) {{\n{by_slot[slot]}}}\n\n"
        for slot in sorted(by_slot, key=slot_order)
    )


def slot_order(slot: str) -> int:
    """Sort devices first."""
    return 0 if is_device(slot) else [*BODIES, DECOMPOSE, SCATTER, VMAP].index(slot) + 1


def at_line(declaration: Declaration) -> str:
    return f"#line {declaration.line} {quoted(declaration.file)}\n"


def define(declaration: Declaration) -> str:
    tags = ", ".join(
        f"opwright::Tag::{pascal_case(tag)}" for tag in declaration.tags if tag in TAGS
    )
    stated = f"{{{tags}}}"
    if declaration.properties:
        names = ", ".join(f"Property::{pascal_case(each)}" for each in declaration.properties)
        stated = f"with_properties({stated}, {{{names}}})"
    return f"m.def({quoted(declaration.schema.text)}, {stated});"


def register_pointwise(declarations: list[Declaration], yaml: str, name_space: str) -> str:
    """Return the table of the operators whose kernels come from the pointwise engine."""
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


def declare(
    schema: Schema, slot: str, function: str, *, is_unused: bool = False, in_full: bool = False
) -> str:
    """Return the head of the function.

    Parameters have no names if its body does not use them. With types written `in_full` it can be
    in any namespace.
    """
    if slot == SCATTER:
        return declare_scatter(schema, function)
    form = Form.KERNEL if is_device(slot) else Form.RULE
    tensor = "FakeTensor" if slot == FAKE else "Tensor"
    parameters = ["const VmapInfo& info"] if slot == VMAP else []
    for argument in schema.arguments:
        name = parameter_name(argument)
        shown = f"/*{name}*/" if is_unused else name
        type_ = parameter_type(argument.type, form, tensor)
        parameters.append(f"{qualify(type_) if in_full else type_} {shown}")
    result = return_type(schema, form, tensor)
    result = qualify(result) if in_full else result
    result = f"VmapResult<{result}>" if slot == VMAP else result
    return wrap_list(f"{result} {function}(", parameters, ")", 4)


def declare_scatter(schema: Schema, function: str) -> str:
    """Return the head of the rule: base and value, the arguments after the first, an index."""
    parameters = ["const Tensor& base", "const Tensor& value"]
    for argument in schema.arguments[1:]:
        type_ = parameter_type(argument.type, Form.RULE, "Tensor")
        parameters.append(f"{type_} {parameter_name(argument)}")
    if schema.returns[0].suffixes:
        parameters.append("int64_t place")
    return wrap_list(f"Tensor {function}(", parameters, ")", 4)


def quoted(text: str) -> str:
    """Return the text as a C++ literal."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def pascal_case(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("_"))

"""The key `composite:` of an entry: the body of an operator as a C++ expression.

composite: self * self                the names of an entry's arguments are their values

The tables of aliases, and of forms that write another operator's results, are here too: one
function of the core runs all of them (src/ops/rule/derived_form.h).
"""

import zlib
from collections.abc import Iterable

from .cpp_text import COLUMNS, wrap_list
from .cpp_types import Form, parameter_name, parameter_type, return_type
from .declarations import Declaration
from .gradients import names_in

NUM_FILES = 4
SOURCE = """\
// Bodies of operators of {yaml}. Made from it; do not edit.
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>
#include <vector>

#include "opwright/functions.h"
#include "opwright/ops/engine/shape/promotion.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/tensor/view.h"
{includes}
namespace opwright {{

{bodies}}}  // namespace opwright
"""
TABLE = """\
// Registers operators of {yaml} that call another one. Made from it; do not edit.
#include "opwright/ops/rule/derived_form.h"

namespace opwright {{

[[maybe_unused]] const bool kRegisteredAliases = register_aliases("{yaml}", {{
{aliases}}});

[[maybe_unused]] const bool kRegisteredWritingForms = register_writing_forms("{yaml}", {{
{forms}}});

}}  // namespace opwright
"""


def write_composites(
    declarations: list[Declaration], yaml: str, name_space: str, headers: Iterable[str] = ()
) -> dict[str, str]:
    """Return the texts by file name; `headers` declare functions that expressions call."""
    includes = "".join(f'#include "{header}"\n' for header in sorted(headers))
    bodies = dict.fromkeys(range(NUM_FILES), "")
    for each in declarations:
        if each.composite:
            bodies[zlib.crc32(each.schema.name.encode()) % NUM_FILES] += write_body(each)
    aliases = [(each, each.alias_of) for each in declarations if each.alias_of]
    forms = [(each, each.result_of) for each in declarations if each.result_of]
    return {
        **{
            f"composites_{index:02}.cpp": SOURCE.format(yaml=yaml, includes=includes, bodies=text)
            for index, text in bodies.items()
        },
        "register_forms.cpp": TABLE.format(
            yaml=yaml, aliases=write_rows(aliases, name_space), forms=write_rows(forms, name_space)
        ),
    }


def write_rows(rows: list[tuple[Declaration, str]], name_space: str) -> str:
    return "".join(
        f'    {{"{name_space}::{each.schema.full_name}", "{name_space}::{source}", {each.line}}},\n'
        for each, source in rows
    )


def write_body(declaration: Declaration) -> str:
    schema = declaration.schema
    used = set(names_in(declaration.composite))
    parameters = []
    for argument in schema.arguments:
        name = parameter_name(argument)
        shown = name if name in used else f"/*{name}*/"
        parameters.append(f"{parameter_type(argument.type, Form.RULE)} {shown}")
    head = f"{return_type(schema, Form.RULE)} {schema.identifier}_expression("
    text = f"// {schema.text}\n" + wrap_list(head, parameters, ") {", 4) + "\n"
    line = f"  return {declaration.composite};\n"
    if len(line) > COLUMNS + 1:
        line = f"  return\n      {declaration.composite};\n"
    return f"{text}{line}}}\n\n"

"""What a build generates from an author's list of operators.

<namespace>/<list>.h           a C++ function for each operator, over Tensor and FakeTensor
<namespace>/<list>_kernels.h   declarations of the functions that `dispatch` and `decompose` name
<namespace>/register_<list>.cpp    the registration of all of it

The author's functions are in the C++ namespace named after the operators' namespace.
"""

from .cpp_text import make_signatures, qualify
from .declarations import Declaration
from .headers import write_function
from .registration import declare_functions, write_definitions, write_implementations

FUNCTIONS = """\
// The operators of {yaml} as C++ functions. Made from it; do not edit.
#pragma once

#include "opwright/opwright.h"

namespace {name_space} {{

{functions}}}  // namespace {name_space}
"""

KERNELS = """\
// The functions that {yaml} names. Made from it; do not edit.
//
// Include this file where they are defined, so that the compiler checks the types.
#pragma once

#include "opwright/opwright.h"

namespace {name_space} {{

{functions}
}}  // namespace {name_space}
"""

REGISTRATION = """\
// Registers the operators of {yaml}. Made from it; do not edit.
#include "{name_space}/{stem}_kernels.h"

namespace {name_space} {{

{blocks}}}  // namespace {name_space}
"""


def write_author_files(
    declarations: list[Declaration], yaml: str, stem: str, name_space: str
) -> dict[str, str]:
    """Return the texts by path, relative to the include folder."""
    functions = "".join(
        write_function(signature, name_space)
        for signature in make_signatures(declarations, "function")
    )
    blocks = write_definitions(
        declarations, "OPWRIGHT_LIBRARY_FRAGMENT", name_space
    ) + write_implementations(declarations, name_space)
    texts = {"yaml": yaml, "stem": stem, "name_space": name_space}
    return {
        f"{name_space}/{stem}.h": FUNCTIONS.format(functions=qualify(functions), **texts),
        f"{name_space}/{stem}_kernels.h": KERNELS.format(
            functions=declare_functions(declarations, in_full=True), **texts
        ),
        f"{name_space}/register_{stem}.cpp": REGISTRATION.format(blocks=blocks, **texts),
    }

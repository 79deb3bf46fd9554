"""The header that lists the functions and methods for the Python bindings."""

from .declarations import Declaration

HEADER = """\
// The names of functions and methods without overloads, sorted. Made from {yaml}; do not edit.
#pragma once

namespace opwright {{

inline constexpr const char* kFunctionNames[] = {{
{functions}}};

inline constexpr const char* kMethodNames[] = {{
{methods}}};

}}  // namespace opwright
"""


def write_operator_names(declarations: list[Declaration], yaml: str) -> str:
    """Return both lists; each name appears once, however many overloads it has."""
    return HEADER.format(
        yaml=yaml,
        functions=list_names(declarations, "function"),
        methods=list_names(declarations, "method"),
    )


def list_names(declarations: list[Declaration], variant: str) -> str:
    names = {each.schema.name for each in declarations if variant in each.variants}
    return "".join(f'    "{name}",\n' for name in sorted(names))

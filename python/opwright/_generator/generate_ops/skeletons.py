"""Starter files for an author: a source for each operator, and a CMake project."""

import re

from .declarations import Declaration
from .registration import declare, define
from .schema import Argument, Schema, Type
from .slots import COMPOSITE, FAKE, is_device
from .yaml_nodes import is_python_path

ALL_DEVICES = "CompositeExplicitAutograd"
WHAT = {FAKE: "the fake kernel", ALL_DEVICES: "the kernel", COMPOSITE: "the body"}

SOURCE = """\
// {name_space}::{name}, started from {yaml}.
#include "opwright/opwright.h"

namespace {name_space} {{
namespace {{

{functions}}}  // namespace

OPWRIGHT_LIBRARY_FRAGMENT({name_space}, m) {{
{definitions}}}

{blocks}}}  // namespace {name_space}
"""

PROJECT = """\
# Builds lib{name_space}.so, which opwright.load_library takes:
#   cmake -S . -B build -DCMAKE_PREFIX_PATH=<where opwright is> && cmake --build build
cmake_minimum_required(VERSION 3.25)
project({name_space} LANGUAGES CXX)

find_package(opwright REQUIRED)
opwright_add_operators(
  {name_space}
  SOURCES
{sources})
"""


def write_skeletons(
    declarations: list[Declaration], yaml: str, name_space: str, slots: list[str]
) -> dict[str, str]:
    """Return the texts by file name; `slots` are those that get a kernel."""
    by_name: dict[str, list[Declaration]] = {}
    for declaration in declarations:
        by_name.setdefault(declaration.schema.name, []).append(declaration)
    files = {
        f"{name}.cpp": write_source(overloads, yaml, name_space, slots)
        for name, overloads in by_name.items()
    }
    sources = "".join(f"    {name}\n" for name in files)
    project = PROJECT.format(name_space=name_space, sources=sources)
    return {**files, "CMakeLists.txt": project}


def write_source(overloads: list[Declaration], yaml: str, name_space: str, slots: list[str]) -> str:
    definitions = ""
    functions: dict[str, str] = {}
    blocks: dict[str, str] = {}
    for declaration in overloads:
        schema = declaration.schema
        definitions += f"  {define(declaration)}\n"
        for slot in slots_of(declaration, slots):
            name = function_name(declaration, slot)
            functions.setdefault(name, write_function(schema, slot, name, name_space))
            line = f'  m.impl("{schema.full_name}", &{name});\n'
            blocks[slot] = blocks.get(slot, "") + line
    return SOURCE.format(
        name_space=name_space,
        name=overloads[0].schema.name,
        yaml=yaml,
        functions="".join(functions.values()),
        definitions=definitions,
        blocks="".join(
            f"OPWRIGHT_LIBRARY_IMPL({name_space}, {slot}, m) {{\n{lines}}}\n\n"
            for slot, lines in blocks.items()
        ),
    )


def slots_of(declaration: Declaration, slots: list[str]) -> list[str]:
    """Return the slots to write; a composite needs only its body."""
    if COMPOSITE in declaration.dispatch:
        return [COMPOSITE]
    types = {argument.type.base for argument in declaration.schema.arguments}
    # Nothing selects a device for an operator that takes neither.
    return [*slots, FAKE] if types & {"Tensor", "Device"} else [ALL_DEVICES, FAKE]


def function_name(declaration: Declaration, slot: str) -> str:
    given = declaration.dispatch.get(slot, "")
    if given and not is_python_path(given):
        return given
    where = {ALL_DEVICES: "all_devices", COMPOSITE: "composite"}.get(slot, slot.lower())
    return re.sub(r"[._]+", "_", f"{declaration.schema.full_name}_{where}")


def write_function(schema: Schema, slot: str, name: str, name_space: str) -> str:
    what = f"the kernel for {slot}" if is_device(slot) else WHAT[slot]
    comment = shape_hint(schema) if slot == FAKE else f"// {schema.text}\n"
    head = declare(schema, slot, name, is_unused=True, in_full=True)
    body = (
        '  opwright::throw_error(\n      "NotImplementedError",\n'
        f'      "{name_space}::{schema.full_name}: {what} is not written yet");\n'
    )
    return f"{comment}{head} {{\n{body}}}\n\n"


def shape_hint(schema: Schema) -> str:
    """Describe what the fake kernel returns, and how to write it."""
    lines = ["// Returns the sizes, dtype and device of the results without data"]
    tensors = [each for each in schema.arguments if is_tensor(each.type)]
    example = example_of(schema, tensors)
    if example is None:
        return f"{lines[0]}.\n"
    return f"{lines[0]}, e.g.\n//   return {example};\n"


def example_of(schema: Schema, tensors: list[Argument]) -> str | None:
    if not schema.returns or not tensors:
        return None
    results = []
    for type_ in schema.returns:
        if not is_tensor(type_):
            return None
        same = [each.name for each in tensors if type_.alias and each.type.alias == type_.alias]
        first = tensors[0].name
        results.append(same[0] if same else f"opwright::empty_like({first})")
    return results[0] if len(results) == 1 else f"{{{', '.join(results)}}}"


def is_tensor(type_: Type) -> bool:
    return type_.base == "Tensor" and not type_.suffixes

"""The rules generated from `gradients:` (gradients.py): what to save, the gradients, old values.

Each operator has up to three functions. The operator's name determines the file that holds them,
and no generated text contains a line number of the YAML file, so editing one formula recompiles one
file and the short table of all rules.
"""

import zlib
from collections.abc import Iterable, Iterator

from .cpp_text import COLUMNS, wrap_list
from .cpp_types import Form, parameter_name, parameter_type
from .declarations import Declaration
from .gradients import PROPERTIES, Formula, gradient_names, result_names, tensor_arguments
from .schema import Argument, Schema
from .yaml_nodes import DeclarationError

NUM_FILES = 16
NUM_QUICK = 4  # the first files, which small calls spend their time in, are optimized for speed
SOURCE = """\
// Gradients of operators of {yaml}. Made from it; do not edit.
#include <cstdint>
#include <numbers>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>
#include <vector>

#include "opwright/functions.h"
#include "opwright/ops/rule/gradient_rule.h"
{includes}
namespace opwright::gradient_rules {{

{rules}}}  // namespace opwright::gradient_rules
"""
TABLE = """\
// Registers the gradients of operators of {yaml}. Made from it; do not edit.
#include <cstdint>

#include "opwright/ops/rule/gradient_rule.h"

namespace opwright {{
namespace gradient_rules {{
{declarations}}}  // namespace gradient_rules

[[maybe_unused]] const bool kRegisteredGradients = register_gradients("{yaml}", {{
{rows}}});

}}  // namespace opwright
"""


def write_gradients(
    declarations: list[Declaration], yaml: str, name_space: str, headers: Iterable[str] = ()
) -> dict[str, str]:
    """Return the texts by file name; `headers` declare functions that expressions call."""
    rules = [OperatorRules(each) for each in declarations if each.gradients]
    names: dict[str, Declaration] = {}
    for each in rules:
        if names.setdefault(each.id, each.declaration) is not each.declaration:
            raise DeclarationError(f"{each.declaration.place}: two operators become '{each.id}'")
    includes = "".join(f'#include "{header}"\n' for header in sorted(headers))
    files = dict.fromkeys(range(NUM_FILES), "")
    for each in rules:
        files[each.file] += each.text()
    rows = "".join(
        wrap_list(
            f'    {{"{name_space}::{each.schema.full_name}", ',
            [*each.functions(), str(each.declaration.line)],
            "},",
            5,
        )
        + "\n"
        for each in rules
    )
    return {
        **{
            gradients_file(index): SOURCE.format(yaml=yaml, includes=includes, rules=text)
            for index, text in files.items()
        },
        "register_gradients.cpp": TABLE.format(
            yaml=yaml,
            declarations="".join(f"{each.heads()}" for each in rules),
            rows=rows,
        ),
    }


def gradients_file(index: int) -> str:
    return f"gradients_{index:02}.cpp"


class OperatorRules:
    """The text of one operator's rules."""

    def __init__(self, declaration: Declaration):
        self.declaration = declaration
        self.schema: Schema = declaration.schema
        self.formulas = [each for each in declaration.gradients if not each.is_none]
        self.tensors = tensor_arguments(self.schema)
        base = self.schema.name
        number = zlib.crc32(base.strip("_").encode())
        is_quick = declaration.pointwise is not None and "core" in declaration.tags
        self.file = number % NUM_QUICK if is_quick else NUM_QUICK + number % (NUM_FILES - NUM_QUICK)
        self.id = self.schema.identifier
        self.saved = self.find_saved()

    # ---- names in use ----------------------------------------------------------------------------

    def find_saved(self) -> list[str]:
        """Return the tensors that expressions use, lists last; results are `result<index>`."""
        used = {name for each in self.formulas for name in each.names}
        arguments = [each for each in self.tensors if each.name in used]
        results = {
            f"result{place}" for name, place in result_names(self.schema).items() if name in used
        }
        lists = [each.name for each in arguments if is_list(each)]
        if len(lists) > 1:
            raise DeclarationError(
                f"{self.declaration.place}: a formula keeps one list of tensors, "
                f"not {' and '.join(lists)}"
            )
        return [
            *(each.name for each in arguments if not is_list(each)),
            *sorted(results),
            *lists,
        ]

    def uses(self, formula: Formula, saved: str) -> bool:
        if saved in formula.names:
            return True
        results = result_names(self.schema)
        place = results.get(saved) if saved.startswith("result") else None
        return place is not None and any(results.get(name) == place for name in formula.names)

    def argument(self, name: str) -> Argument:
        return next(each for each in self.schema.arguments if each.name == name)

    def place_of(self, name: str) -> int:
        """Return the SetupContext index of an argument or a result."""
        names = [each.name for each in self.schema.arguments]
        if name in names:
            return names.index(name) + 1
        return len(names) + 1 + result_names(self.schema)[name]

    def need(self, names: Iterable[str]) -> str:
        """Return the condition that one of the gradients is required."""
        return " || ".join(f"needs_{name}" for name in dict.fromkeys(names))

    def needs_lines(self, names: Iterable[str], indent: str) -> str:
        """Return the declarations of needs_<name>."""
        text = ""
        for index, each in enumerate(self.tensors):
            if each.name not in names:
                continue
            if len(self.tensors) == 1:
                text += f"{indent}constexpr bool needs_{each.name} = true;\n"
            else:
                text += f"{indent}const bool needs_{each.name} = context.needs({index});\n"
        return text

    # ---- functions -------------------------------------------------------------------------------

    def functions(self) -> list[str]:
        """Return the table's row for the three functions."""
        there = {"save": self.keeps(), "differentiate": True, "keep_old": self.written()}
        return [
            f"&gradient_rules::{name}_{self.id}" if is_there else "nullptr"
            for name, is_there in there.items()
        ]

    def heads(self) -> str:
        """Return the declarations of the functions."""
        names = [each.rpartition("::")[2] for each in self.functions() if each != "nullptr"]
        return "".join(f"RuleFunction {name};\n" for name in names)

    def text(self) -> str:
        keep_old = self.keep_old() if self.written() else ""
        save = self.save() if self.keeps() else ""
        return f"// {self.schema.text}\n{keep_old}{save}{self.differentiate()}\n"

    def keeps(self) -> bool:
        """Return whether there is anything to do after the call."""
        return bool(self.saved or list(self.kept_properties()) or self.results_without_gradient())

    def function(self, name: str, body: str, uses_results: bool) -> str:
        results = "OpwValue* results" if uses_results else "OpwValue*"
        parameters = ["const OpwRecord* record", "const OpwValue* args", "uint32_t", results]
        head = wrap_list(f"int {name}_{self.id}(", [*parameters, "uint32_t"], ") noexcept {", 4)
        captured = "&" if body else ""
        named = " context" if "context." in body else ""
        return (
            f"{head}\n  return run_rule(record, args, [{captured}](const RuleContext&{named}) {{\n"
            f"{body}  }});\n}}\n"
        )

    def written(self) -> list[str]:
        """Return the written arguments whose old values expressions use."""
        return [
            each.name for each in self.tensors if each.type.is_written and each.name in self.saved
        ]

    def keep_old(self) -> str:
        names = [name for each in self.written() for name in self.users(each)]
        body = self.needs_lines(names, "    ")
        for name in self.written():
            place = self.place_of(name)
            body += (
                f"    if ({self.need(self.users(name))}) "
                f"results[{place - 1}] = copy_old_value(args[{place}]);\n"
            )
        return self.function("keep_old", body, uses_results=True)

    def users(self, saved: str) -> list[str]:
        """Return the arguments whose gradients use a saved tensor."""
        return [name for each in self.formulas if self.uses(each, saved) for name in each.arguments]

    def save(self) -> str:
        always = len(self.tensors) == 1
        needed: list[str] = []
        values = []
        for name in self.saved:
            value = f"args[{self.place_of(name)}]"
            if is_list_name(self, name):
                continue
            value = f"tensor_of({value})"
            if not always:
                needed += self.users(name)
                value = f"{self.need(self.users(name))} ? {value} : nullptr"
            values.append(value)
        body = ""
        lists = [name for name in self.saved if is_list_name(self, name)]
        after = "});"
        if lists:
            after = f'}}, args[{self.place_of(lists[0])}], "{lists[0]}_length");'
        if self.saved:
            body += wrap_list("    context.save({", values, after, 8) + "\n"
        for property_, argument in self.kept_properties():
            users = self.users(f"{argument}_{property_}")
            if not always:
                needed += users
                body += f"    if ({self.need(users)})\n  "
            body += (
                f'    context.keep_{property_}("{argument}_{property_}", '
                f"args[{self.place_of(argument)}]);\n"
            )
        unused = self.results_without_gradient()
        if unused and len(unused) + 1 == len(self.schema.returns):
            body += "    context.leave_out_zeros();\n"
        names = [*(f"result{place}" for place in unused), *self.statistics()]
        if names:
            tensors = [f"tensor_of(args[{self.place_of(name)}])" for name in names]
            body += wrap_list("    context.mark_non_differentiable({", tensors, "});", 8) + "\n"
        return self.function("save", self.needs_lines(needed, "    ") + body, uses_results=False)

    def kept_properties(self) -> Iterator[tuple[str, str]]:
        used = {name for each in self.formulas for name in each.names}
        for each in self.tensors:
            for property_ in PROPERTIES:
                if self.property_name(each.name, property_) in used:
                    yield property_, each.name

    def property_name(self, argument: str, property_: str) -> str | None:
        """Return `self_sizes`, unless that is an argument of its own."""
        name = f"{argument}_{property_}"
        return None if name in {each.name for each in self.schema.arguments} else name

    def results_without_gradient(self) -> list[int]:
        used = self.used_gradients(self.formulas)
        places = range(len(self.schema.returns)) if len(self.schema.returns) > 1 else ()
        return [place for place in places if place not in used.values()]

    def statistics(self) -> list[str]:
        """Return the arguments that are written but not returned: they pass on no gradient."""
        return [
            each.name
            for each in self.tensors
            if each.type.is_written and not self.schema.returns_what_is(each.type)
        ]

    def used_gradients(self, formulas: Iterable[Formula]) -> dict[str, int]:
        used = {name for each in formulas for name in each.names}
        return {name: place for name, place in gradient_names(self.schema).items() if name in used}

    def differentiate(self) -> str:
        needed = {name for each in self.formulas for name in each.arguments}
        needed |= {
            name[len("needs_") :]
            for each in self.formulas
            for name in each.names
            if name.startswith("needs_")
        }
        body = self.needs_lines(needed, "    ") if len(self.tensors) > 1 else ""
        for name, place in self.used_gradients(self.formulas).items():
            if self.schema.returns[place].suffixes:
                body += f"    const std::vector<Tensor> {name} = gradients_of(args[{place + 1}]);\n"
            else:
                body += f"    const Tensor& {name} = gradient_of(args[{place + 1}]);\n"
        for formula in self.formulas:
            if len(self.tensors) == 1:
                body += self.block(formula, "    ")
            else:
                inside = self.block(formula, "      ")
                body += f"    if ({self.need(formula.arguments)}) {{\n{inside}    }}\n"
        return self.function("differentiate", body, uses_results=True)

    def block(self, formula: Formula, indent: str) -> str:
        text = "".join(f"{indent}{line}\n" for line in self.values(formula))
        if len(self.tensors) == 1 and "needs_" + self.tensors[0].name in formula.names:
            text = self.needs_lines([self.tensors[0].name], indent) + text
        places = [self.tensor_place(name) for name in formula.arguments]
        if len(places) == 1:
            return text + write_call(
                f"{indent}give_gradient(results[{places[0]}], ", formula.expression, indent
            )
        text += write_call(f"{indent}auto gradients = std::tuple(", formula.expression, indent)
        for index, place in enumerate(places):
            gradient = f"std::move(std::get<{index}>(gradients))"
            text += f"{indent}give_gradient(results[{place}], {gradient});\n"
        return text

    def tensor_place(self, name: str) -> int:
        return [each.name for each in self.tensors].index(name)

    def values(self, formula: Formula) -> Iterator[str]:
        """Yield the declarations of the values that an expression uses."""
        for argument in self.schema.arguments:
            name = argument.name
            if name in formula.names:
                yield self.value(argument)
            if argument.type.base != "Tensor":
                continue
            for property_ in PROPERTIES:
                full = self.property_name(name, property_)
                if full in formula.names:
                    type_ = property_type(property_, is_list(argument))
                    yield f'const auto {full} = context.attribute<{type_}>("{full}");'
        for name, place in result_names(self.schema).items():
            if name in formula.names and name not in {each.name for each in self.schema.arguments}:
                index = self.saved.index(f"result{place}")
                yield f"const Tensor {name} = context.saved({index});"

    def value(self, argument: Argument) -> str:
        name, shown = argument.name, parameter_name(argument)
        if argument.type.base != "Tensor":
            type_ = parameter_type(argument.type, Form.RULE)
            type_ = type_.removeprefix("const ").removesuffix("&")
            return f"const auto {shown} = context.argument<{type_}>({self.place_of(name) - 1});"
        index = self.saved.index(name)
        if argument.type.shape == "":
            return f"const Tensor {shown} = context.saved({index});"
        if argument.type.shape == "?":
            return f"const std::optional<Tensor> {shown} = context.saved_optional({index});"
        element = "std::optional<Tensor>" if "?" in argument.type.shape else "Tensor"
        return f'const auto {shown} = context.saved_list<{element}>({index}, "{name}_length");'


def is_list(argument: Argument) -> bool:
    return "[]" in argument.type.shape


def is_list_name(rules: OperatorRules, name: str) -> bool:
    return any(is_list(each) for each in rules.tensors if each.name == name)


def property_type(property_: str, of_list: bool) -> str:
    type_ = PROPERTIES[property_]
    if not of_list:
        return type_
    element = "std::vector<SymInt>" if type_.startswith("std::span") else type_
    return f"std::vector<{element}>"


def write_call(start: str, expression: str, indent: str) -> str:
    """Return `start` with the expression and the end of a statement, on two lines if it is long."""
    line = f"{start}{expression});\n"
    if len(line) <= COLUMNS + 1:
        return line
    return f"{start.rstrip()}\n{indent}    {expression});\n"

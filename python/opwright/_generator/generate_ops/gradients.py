"""The key `gradients:` of an entry: C++ expressions of the gradients of an operator's arguments.

gradients:
  self: grad * other                  of an argument, or of several: `self, other: <a std::tuple>`
  index: none                         this argument has none; every tensor argument has a line

Names in an expression:

grad, grad_<result>, grad0, grad1     the gradient of the first result, of a result by its name or
                                      place; `grads`, a std::vector<Tensor>, of a list of results
<argument>, <result>, result, result0 their values; an argument that the operator writes is as it
                                      was before the call
<tensor>_sizes, <tensor>_dtype,       of a tensor argument that is itself not kept; of a list of
<tensor>_device, <tensor>_geometry    tensors a std::vector; geometry: sizes, strides and offset
<tensor>_is_transposed                whether it is a matrix whose columns are dense, not its rows
needs_<argument>                      whether its gradient is asked for
"""

import re
from dataclasses import dataclass

from .schema import Argument, Schema

NONE = "none"
# What can be kept of a tensor without the tensor itself, with its C++ type.
PROPERTIES = {
    "sizes": "std::span<const SymInt>",
    "dtype": "DType",
    "device": "Device",
    "geometry": "std::span<const SymInt>",
    "is_transposed": "bool",
}
# Names of the generated functions (gradient_rules.py).
TAKEN = ("args", "context", "results")
IDENTIFIER = re.compile(r'"(?:[^"\\]|\\.)*"|(?:\.|->|::)?\s*\b[A-Za-z_]\w*')


class GradientError(ValueError):
    """An error in the expressions; `key` names the one at fault, None means all."""

    def __init__(self, problem: str, key: str | None = None):
        super().__init__(problem)
        self.key = key


@dataclass(frozen=True)
class Formula:
    """One line of `gradients:`."""

    arguments: tuple[str, ...]
    expression: str
    names: frozenset[str]  # the operator's names that the expression uses

    @property
    def is_none(self) -> bool:
        return self.expression == NONE


def names_in(expression: str) -> list[str]:
    """Return the names that are not members, not qualified and not in a string.

    >>> names_in('grad.mul(other, "self") + at::f(x.grad)')
    ['grad', 'other', 'at', 'x']
    """
    found = (each.strip() for each in IDENTIFIER.findall(expression))
    return [each for each in found if each[0] not in '".-:']


def tensor_arguments(schema: Schema) -> list[Argument]:
    return [each for each in schema.arguments if each.type.base == "Tensor"]


def result_names(schema: Schema) -> dict[str, int]:
    """Return the names that results have in an expression, each with its index."""
    names = {f"result{place}": place for place in range(len(schema.returns))}
    if schema.returns:
        names["result"] = 0
    return names | {name: place for place, name in enumerate(schema.return_names) if name}


def gradient_names(schema: Schema) -> dict[str, int]:
    """Return the names that gradients of results have, each with the result's index."""
    names = {}
    for name, place in result_names(schema).items():
        is_list = bool(schema.returns[place].suffixes)
        names[f"grad_{name}"] = place
        if name == "result":
            names["grads" if is_list else "grad"] = place
        elif re.fullmatch(r"result\d+", name):
            names[name.replace("result", "grad")] = place
    arguments = {each.name for each in schema.arguments}
    return {name: place for name, place in names.items() if name not in arguments}


def known_names(schema: Schema) -> set[str]:
    tensors = [each.name for each in tensor_arguments(schema)]
    return {
        *(each.name for each in schema.arguments),
        *result_names(schema),
        *gradient_names(schema),
        *(f"needs_{name}" for name in tensors),
        *(f"{name}_{property_}" for name in tensors for property_ in PROPERTIES),
    }


def read_formulas(schema: Schema, lines: dict[str, str]) -> tuple[Formula, ...]:
    """Check the lines against the schema; a GradientError says what is wrong."""
    tensors = [each.name for each in tensor_arguments(schema)]
    known = known_names(schema)
    formulas: list[Formula] = []
    for key, expression in lines.items():
        arguments = tuple(part.strip() for part in key.split(","))
        for name in arguments:
            if name not in tensors:
                raise GradientError(f"'{name}' is not a tensor argument of {schema.text}", key)
            if any(name in each.arguments for each in formulas) or arguments.count(name) > 1:
                raise GradientError(f"there are two gradients of '{name}'", key)
        names = frozenset(names_in(expression)) & known
        formulas.append(Formula(arguments, expression, names))
        check_names(schema, formulas[-1], key)
    given = {name for each in formulas for name in each.arguments}
    for name in tensors:
        if name not in given:
            raise GradientError(
                f"the gradient of '{name}' is missing; write '{name}: none' if it has none"
            )
    return tuple(formulas)


def overwriting_formulas(schema: Schema) -> tuple[Formula, ...]:
    """Return the formulas of a form that writes and has no gradient: the old history ends."""
    lines = {each.name: NONE for each in tensor_arguments(schema)}
    return read_formulas(schema, lines | {schema.arguments[0].name: "zeros_like(grad)"})


def check_names(schema: Schema, formula: Formula, key: str) -> None:
    if formula.is_none:
        return
    for argument in schema.arguments:
        if argument.name in TAKEN:
            raise GradientError(f"an argument of a formula must not be called '{argument.name}'")
    for name in names_in(formula.expression):
        if re.fullmatch(r"grads?|(grad|needs|result)_?\d*|needs_\w+", name) and (
            name not in known_names(schema)
        ):
            raise GradientError(f"'{name}' is not a name in {schema.text}", key)
    if not formula.names & gradient_names(schema).keys():
        raise GradientError(
            f"the gradient of '{key}' uses no gradient of a result; "
            f"there are {', '.join(sorted(gradient_names(schema)))}",
            key,
        )

"""The key `alias_of:` of an entry: another operator with the same arguments and results.

The forms of an alias are aliases of the forms of its target or, where the target has none, write
the alias's result.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from .schema import Schema, Type

if TYPE_CHECKING:
    from .declarations import Declaration, Reader


def resolve_aliases(reader: Reader, declarations: list[Declaration]) -> list[Declaration]:
    """Check the targets of aliases, and turn their forms into aliases too."""
    by_name = {each.schema.full_name: each for each in declarations}
    resolved = []
    for each in declarations:
        if each.alias_of:
            check_target(reader, each, by_name.get(each.alias_of))
        source = by_name.get(each.result_of) if each.result_of else None
        target = by_name.get(source.alias_of) if source and source.alias_of else None
        form = find_form(each.schema, target, declarations) if target else None
        is_alias = form is not None
        resolved.append(
            replace(each, alias_of=form.schema.full_name, result_of=None) if is_alias else each
        )
    return resolved


def check_target(reader: Reader, alias: Declaration, target: Declaration | None) -> None:
    if target is None:
        reader.fail_at(alias.line, f"there is no operator '{alias.alias_of}'")
    if target.alias_of:
        reader.fail_at(
            alias.line, f"'{alias.alias_of}' is an alias; name '{target.alias_of}' instead"
        )
    if shape_of(alias.schema) != shape_of(target.schema):
        reader.fail_at(
            alias.line,
            f"an alias has the arguments and results of its operator: "
            f"{alias.schema.text} differs from {target.schema.text}",
        )


def find_form(
    schema: Schema, target: Declaration, declarations: list[Declaration]
) -> Declaration | None:
    """Return the form of `target` that has the arguments of `schema`."""
    name = f"{target.schema.name}_" if schema.is_in_place else target.schema.name
    for each in declarations:
        if each.schema.name == name and shape_of(each.schema) == shape_of(schema):
            return each
    return None


def shape_of(schema: Schema) -> tuple:
    """Return what a call of the operator passes and receives."""
    return (
        [(shape_of_type(each.type), each.is_keyword_only) for each in schema.arguments],
        [shape_of_type(each) for each in schema.returns],
    )


def shape_of_type(type_: Type) -> tuple[str, str, bool]:
    return type_.base, type_.shape, type_.is_written

"""Reads the YAML file; every problem is told with its line."""

import re
from dataclasses import dataclass, replace
from pathlib import Path

import yaml

from .cpp_types import check_cpp_forms
from .pointwise import in_place_schema, out_schema
from .schema import Schema, SchemaError, parse_schema

KEYS = ("func", "variants", "tags", "dispatch", "pointwise", "in_place", "out")
VARIANTS = ("function", "method")
# Dispatch keys and the enumerators of opwright::Slot that they name.
SLOTS = ("CPU", "Fake", "CompositeExplicitAutograd", "CompositeImplicitAutograd")
# The enumerators of opwright::Tag.
TAGS = (
    "pointwise",
    "reduction",
    "view",
    "core",
    "inplace",
    "out",
    "nondeterministic",
    "nondeterministic_seeded",
    "data_dependent_output",
    "dynamic_output_shape",
    "blocking",
    "allows_mixed_devices",
    "needs_exact_strides",
    "nondifferentiable",
    "ordered",
)


class DeclarationError(ValueError):
    """A problem of the YAML file; the text starts with its name and the line."""


@dataclass(frozen=True)
class Declaration:
    schema: Schema
    variants: tuple[str, ...]
    tags: tuple[str, ...]
    dispatch: dict[str, str]  # a key of SLOTS to the name of a C++ function
    line: int
    pointwise: str | None = None  # the pointwise operation that computes it


class Reader:
    """One pass over the YAML nodes, which know their lines."""

    def __init__(self, name: str):
        self.name = name

    def read(self, text: str) -> list[Declaration]:
        try:
            root = yaml.compose(text, Loader=yaml.SafeLoader)
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            line = mark.line + 1 if mark else 1
            raise DeclarationError(f"{self.name}:{line}: {error.problem}") from error
        if not isinstance(root, yaml.SequenceNode):
            raise DeclarationError(f"{self.name}:1: expected a list of operators")
        declarations = [each for node in root.value for each in self.read_entry(node)]
        first_lines: dict[str, int] = {}
        for declaration in declarations:
            full_name = declaration.schema.full_name
            if full_name in first_lines:
                raise DeclarationError(
                    f"{self.name}:{declaration.line}: '{full_name}' is declared twice, "
                    f"first in line {first_lines[full_name]}"
                )
            first_lines[full_name] = declaration.line
        return declarations

    def read_entry(self, node: yaml.Node) -> list[Declaration]:
        """Return the operator and, of a pointwise one, its in-place and out forms."""
        fields = self.read_mapping(node, "an operator")
        for key, (key_node, _) in fields.items():
            if key not in KEYS:
                self.fail(key_node, f"unknown key '{key}'; there are {', '.join(KEYS)}")
        if "func" not in fields:
            self.fail(node, "an operator needs a 'func'")
        func = fields["func"][1]
        try:
            schema = parse_schema(self.read_text(func, "'func'"))
            check_cpp_forms(schema)
        except SchemaError as error:
            self.fail(func, str(error))
        declaration = Declaration(
            schema=schema,
            variants=self.read_variants(fields, schema),
            tags=self.read_tags(fields),
            dispatch=self.read_dispatch(fields, node),
            line=func.start_mark.line + 1,
            pointwise=self.read_pointwise(fields),
        )
        return [declaration, *self.read_forms(fields, declaration)]

    def read_pointwise(self, fields: dict) -> str | None:
        if "pointwise" not in fields:
            return None
        node = fields["pointwise"][1]
        name = self.read_text(node, "'pointwise'")
        if not re.fullmatch(r"[a-z_]\w*", name):
            self.fail(node, f"'{name}' is no name of a pointwise operation")
        return name

    def read_forms(self, fields: dict, declaration: Declaration) -> list[Declaration]:
        forms = []
        for key, form in (("in_place", in_place_form), ("out", out_form)):
            if key not in fields:
                continue
            node = fields[key][1]
            name = self.read_text(node, f"'{key}'")
            if declaration.pointwise is None:
                self.fail(node, f"only a pointwise operator has an '{key}' form made for it")
            try:
                forms.append(form(declaration, name, node.start_mark.line + 1))
            except SchemaError as error:
                self.fail(node, str(error))
        return forms

    def read_variants(self, fields: dict, schema: Schema) -> tuple[str, ...]:
        if "variants" not in fields:
            return ("function",)
        node = fields["variants"][1]
        variants = tuple(part.strip() for part in self.read_text(node, "'variants'").split(","))
        for variant in variants:
            if variant not in VARIANTS:
                self.fail(node, f"unknown variant '{variant}'; there are {', '.join(VARIANTS)}")
        has_self = bool(schema.arguments) and schema.arguments[0].name == "self"
        if "method" in variants and not has_self:
            self.fail(node, f"a method needs 'self' as its first argument: {schema.text}")
        return variants

    def read_tags(self, fields: dict) -> tuple[str, ...]:
        if "tags" not in fields:
            return ()
        node = fields["tags"][1]
        if not isinstance(node, yaml.SequenceNode):
            self.fail(node, "'tags' must be a list")
        for tag in node.value:
            if self.read_text(tag, "a tag") not in TAGS:
                self.fail(tag, f"unknown tag '{tag.value}'; there are {', '.join(TAGS)}")
        return tuple(tag.value for tag in node.value)

    def read_dispatch(self, fields: dict, entry: yaml.Node) -> dict[str, str]:
        if "pointwise" in fields and "dispatch" not in fields:
            return {}
        if "dispatch" not in fields:
            self.fail(entry, "an operator needs a 'dispatch' with at least one function")
        dispatch = {}
        node = fields["dispatch"][1]
        for key, (key_node, value) in self.read_mapping(node, "'dispatch'").items():
            if key not in SLOTS:
                self.fail(key_node, f"unknown dispatch key '{key}'; there are {', '.join(SLOTS)}")
            dispatch[key] = self.read_text(value, f"'{key}'")
            if not re.fullmatch(r"[a-z_]\w*", dispatch[key]):
                self.fail(value, f"'{dispatch[key]}' is no name of a C++ function")
        if not dispatch:
            self.fail(entry, "an operator needs a 'dispatch' with at least one function")
        return dispatch

    def read_mapping(self, node: yaml.Node, what: str) -> dict[str, tuple[yaml.Node, yaml.Node]]:
        if not isinstance(node, yaml.MappingNode):
            self.fail(node, f"{what} must be a mapping")
        fields: dict[str, tuple[yaml.Node, yaml.Node]] = {}
        for key, value in node.value:
            name = self.read_text(key, "a key")
            if name in fields:
                self.fail(key, f"'{name}' stands here twice")
            fields[name] = (key, value)
        return fields

    def read_text(self, node: yaml.Node, what: str) -> str:
        if not isinstance(node, yaml.ScalarNode) or not node.value:
            self.fail(node, f"{what} must be text")
        return node.value

    def fail(self, node: yaml.Node, problem: str):
        raise DeclarationError(f"{self.name}:{node.start_mark.line + 1}: {problem}")


def in_place_form(declaration: Declaration, name: str, line: int) -> Declaration:
    variant = "method" if "method" in declaration.variants else "function"
    tags = tuple(tag for tag in declaration.tags if tag != "core")
    schema = in_place_schema(declaration.schema, name)
    return replace(
        declaration, schema=schema, variants=(variant,), tags=(*tags, "inplace"), line=line
    )


def out_form(declaration: Declaration, name: str, line: int) -> Declaration:
    """Return the form that writes to `out`; it is called by its name alone."""
    tags = tuple(tag for tag in declaration.tags if tag != "core")
    schema = out_schema(declaration.schema, name)
    return replace(declaration, schema=schema, variants=(), tags=(*tags, "out"), line=line)


def read_declarations(path: Path, name: str) -> list[Declaration]:
    """Read a file; `name` is what errors and registrations call it."""
    return Reader(name).read(path.read_text())

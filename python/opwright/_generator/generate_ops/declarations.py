"""Reads the YAML file: the built-in operators, or an author's list; see __init__.py."""

from dataclasses import dataclass, replace
from pathlib import Path

from .aliases import resolve_aliases
from .autocast import Autocast, read_autocast
from .cpp_types import check_cpp_forms
from .forms import Form, in_place_schema, out_schema, read_form
from .gradients import Formula, GradientError, overwriting_formulas, read_formulas
from .properties import read_properties
from .schema import Schema, SchemaError, parse_schema
from .slots import COMPOSITE, DECOMPOSE, SCATTER, VMAP, known_slots
from .tags import FOREIGN_TAGS, TAGS
from .yaml_nodes import DeclarationError, Fields, NodeReader, yaml

KEYS = ("func", "variants", "tags", "dispatch", "decompose")
BUILT_IN_KEYS = (
    *KEYS,
    "scatter",
    "vmap",
    "gradients",
    "autocast",
    "properties",
    "pointwise",
    "composite",
    "alias_of",
    "in_place",
    "out",
)
# Keys that vendors and PyTorch use for their own generators: accepted and ignored.
HINTS = (
    "acl_op",
    "autogen",
    "device_check",
    "exposed",
    "gen_opapi",
    "internal_format_opapi",
    "op_api",
    "python_module",
    "structured",
    "structured_delegate",
    "structured_inherit",
)
# The same, next to the sections of a file.
FILE_HINTS = ("all_version", "backend", "cpp_namespace")
VARIANTS = ("function", "method")


@dataclass(frozen=True)
class Declaration:
    schema: Schema
    variants: tuple[str, ...]
    tags: tuple[str, ...]
    dispatch: dict[str, str]  # a slot (slots.py) to the name of a function
    line: int
    pointwise: str | None = None  # the pointwise operation that computes it
    composite: str = ""  # the C++ expression of its body
    alias_of: str | None = None  # the operator that it calls with its own arguments
    result_of: str | None = None  # the operator whose results it writes
    gradients: tuple[Formula, ...] = ()
    autocast: Autocast | None = None
    properties: tuple[str, ...] = ()
    section: str = ""
    file: str = ""  # what errors call it

    @property
    def slots(self) -> set[str]:
        """The slots that have a function, except those of the pointwise engine."""
        made = self.alias_of or self.result_of
        return {*self.dispatch, *((COMPOSITE,) if made else ())}

    @property
    def place(self) -> str:
        return f"{self.file}:{self.line}"

    def says_the_same(self, other: "Declaration") -> bool:
        return replace(self, line=0, section="") == replace(other, line=0, section="")


class Reader(NodeReader):
    """One pass over the nodes of a file."""

    def __init__(
        self,
        name: str,
        *,
        built_in: bool = True,
        devices: tuple[str, ...] = (),
        may_be_python: bool = False,
    ):
        """`built_in`: the core's own file. Otherwise an author's list; `devices` are plug-ins."""
        super().__init__(name)
        self.keys = BUILT_IN_KEYS if built_in else KEYS
        self.built_in = built_in
        self.slots = known_slots(devices)
        self.may_be_python = may_be_python

    def parse(self, text: str) -> Schema:
        """Parse a schema; a SchemaError says why it is invalid, or what C++ cannot declare."""
        schema = parse_schema(text)
        check_cpp_forms(schema)
        return schema

    def find_slot(self, key: str) -> str | None:
        return self.slots.get(key)

    def read(self, text: str) -> list[Declaration]:
        root = self.compose(text)
        if root is None:
            self.fail_at(1, "the file is empty; expected a list of operators")
        found: dict[str, Declaration] = {}
        for section, node in self.read_sections(root):
            for declaration in self.read_entry(node, section):
                first = found.setdefault(declaration.schema.full_name, declaration)
                if not first.says_the_same(declaration):
                    self.fail_at(
                        declaration.line,
                        f"'{declaration.schema.full_name}' is declared twice and differently, "
                        f"first in line {first.line}",
                    )
        return resolve_aliases(self, list(found.values()))

    def read_sections(self, root: yaml.Node) -> list[tuple[str, yaml.Node]]:
        """Return the entries: of a list, or of a mapping from section names to lists."""
        if isinstance(root, yaml.SequenceNode):
            return [("", node) for node in root.value]
        if self.built_in or not isinstance(root, yaml.MappingNode):
            self.fail(root, "expected a list of operators")
        entries = []
        for section, (key, value) in self.read_mapping(root, "the file").items():
            if section in FILE_HINTS:
                continue
            if section in self.keys:
                self.fail(key, f"'{section}' is outside an entry; entries start with '- '")
            if is_empty(value):
                continue
            nodes = self.read_list(value, f"the section '{section}'")
            entries += [(section, node) for node in nodes]
        return entries

    def read_entry(self, node: yaml.Node, section: str = "") -> list[Declaration]:
        """Return the operator and, for a pointwise one, its in-place and out forms."""
        fields = self.read_mapping(node, "an operator")
        for key, (key_node, _) in fields.items():
            if key not in self.keys and (self.built_in or key not in HINTS):
                self.fail(key_node, f"unknown key '{key}'; there are {', '.join(self.keys)}")
        if "func" not in fields:
            self.fail(node, "an operator needs a 'func'")
        func = fields["func"][1]
        rules = self.read_vmap(fields)
        try:
            schema = self.parse(self.read_text(func, "'func'"))
        except SchemaError as error:
            self.fail(func, str(error))
        declaration = Declaration(
            schema=schema,
            variants=self.read_variants(fields, schema),
            tags=self.read_tags(fields, schema),
            dispatch={**self.read_functions(fields, schema, node), **rules["func"]},
            line=func.start_mark.line + 1,
            pointwise=self.read_pointwise(fields),
            composite=self.read_composite(fields),
            alias_of=self.read_alias(fields),
            autocast=read_autocast(self, fields),
            properties=read_properties(self, fields) if self.built_in else (),
            section=section,
            file=self.name,
        )
        declaration = replace(declaration, gradients=self.read_gradients(fields, declaration))
        return [declaration, *self.read_forms(fields, declaration, rules)]

    def read_pointwise(self, fields: Fields) -> str | None:
        if "pointwise" not in fields:
            return None
        node = fields["pointwise"][1]
        name = self.read_text(node, "'pointwise'")
        if not name.isidentifier():
            self.fail(node, f"'{name}' is not the name of a pointwise operation")
        return name

    def read_composite(self, fields: Fields) -> str:
        if "composite" not in fields:
            return ""
        return " ".join(self.read_text(fields["composite"][1], "'composite'").split())

    def read_alias(self, fields: Fields) -> str | None:
        if "alias_of" not in fields:
            return None
        return self.read_text(fields["alias_of"][1], "'alias_of'")

    def check_bodies(self, fields: Fields, entry: yaml.Node) -> None:
        """Fail unless exactly one key says what computes a built-in operator."""
        keys = [key for key in ("pointwise", "composite", "alias_of") if key in fields]
        keys += [key for key in ("dispatch",) if key in fields]
        if "decompose" in fields and not {"dispatch", "pointwise"} & set(fields):
            keys.append("decompose")
        if not keys:
            self.fail(entry, "an operator needs a 'dispatch' with at least one function")
        if len(keys) > 1 and {"composite", "alias_of"} & set(keys):
            self.fail(fields[keys[0]][0], f"an operator has one of {' and '.join(keys)}, not both")

    def read_vmap(self, fields: Fields) -> dict[str, dict[str, str]]:
        """Read the vmap rules of the operator (`func`) and of its generated forms."""
        rules: dict[str, dict[str, str]] = {"func": {}, "in_place": {}, "out": {}}
        if "vmap" not in fields:
            return rules
        key_node, node = fields["vmap"]
        named = {"func": (key_node, node)}
        if isinstance(node, yaml.MappingNode):
            named = self.read_mapping(node, "'vmap'")
        for form, (form_node, value) in named.items():
            if form not in rules:
                self.fail(form_node, f"unknown form '{form}'; there are {', '.join(rules)}")
            if form not in fields:
                self.fail(form_node, f"there is no '{form}' that the rule could be for")
            rules[form][VMAP] = self.read_function(value, f"the rule of '{form}'", False)
        return rules

    def read_forms(
        self, fields: Fields, declaration: Declaration, rules: dict[str, dict[str, str]]
    ) -> list[Declaration]:
        forms = []
        of_func = {
            slot: each
            for slot, each in declaration.dispatch.items()
            if slot not in (VMAP, DECOMPOSE)
        }
        for key, form in (("in_place", in_place_form), ("out", out_form)):
            if key not in fields:
                continue
            node = fields[key][1]
            stated = read_form(self, node, key)
            try:
                made = form(declaration, stated)
            except SchemaError as error:
                self.fail(node, str(error))
            if stated.variants:
                made = replace(made, variants=self.split_variants(stated.variants, node))
            if declaration.pointwise is None:
                forms.append(write_results(made, declaration))
            else:
                forms.append(replace(made, dispatch={**of_func, **rules[key]}))
        return forms

    def read_gradients(self, fields: Fields, declaration: Declaration) -> tuple[Formula, ...]:
        if "gradients" not in fields:
            return ()
        node = fields["gradients"][1]
        schema = declaration.schema
        for claim, what in (
            (COMPOSITE in declaration.slots, "is made of other operators, which have gradients"),
            ("nondifferentiable" in declaration.tags, "has the tag 'nondifferentiable'"),
            (schema.writes_out, "writes to 'out', which is never differentiated"),
        ):
            if claim:
                self.fail(node, f"{schema.full_name} {what}; it has no 'gradients' of its own")
        lines = self.read_mapping(node, "'gradients'")
        texts = {key: self.read_text(value, f"'{key}'") for key, (_, value) in lines.items()}
        try:
            return read_formulas(
                schema, {key: " ".join(text.split()) for key, text in texts.items()}
            )
        except GradientError as error:
            self.fail(lines[error.key][0] if error.key else node, str(error))

    def read_variants(self, fields: Fields, schema: Schema) -> tuple[str, ...]:
        if "variants" not in fields:
            return ("function",)
        node = fields["variants"][1]
        variants = self.split_variants(self.read_text(node, "'variants'"), node)
        has_self = bool(schema.arguments) and schema.arguments[0].name == "self"
        if "method" in variants and not has_self:
            self.fail(node, f"a method needs 'self' as its first argument: {schema.text}")
        return variants

    def split_variants(self, text: str, node: yaml.Node) -> tuple[str, ...]:
        if text == "none":
            return ()
        variants = tuple(part.strip() for part in text.split(","))
        for variant in variants:
            if variant not in VARIANTS:
                self.fail(node, f"unknown variant '{variant}'; there are {', '.join(VARIANTS)}")
        return variants

    def read_tags(self, fields: Fields, schema: Schema) -> tuple[str, ...]:
        """Return the tags of the entry and those that its schema implies: inplace and out."""
        nodes = self.read_list(fields["tags"][1], "'tags'") if "tags" in fields else []
        tags = []
        for node in nodes:
            tag = self.read_text(node, "a tag")
            if tag not in TAGS and (self.built_in or tag not in FOREIGN_TAGS):
                self.fail(node, f"unknown tag '{tag}'; there are {', '.join(TAGS)}")
            if (tag in IMPLIED and not IMPLIED[tag](schema)) or (
                tag == "view" and not schema.may_be_view
            ):
                self.fail(node, f"the tag '{tag}' contradicts the schema {schema.text}")
            tags.append(tag)
        return tuple(dict.fromkeys([*tags, *(t for t, holds in IMPLIED.items() if holds(schema))]))

    def read_functions(self, fields: Fields, schema: Schema, entry: yaml.Node) -> dict[str, str]:
        """Return the functions of `dispatch`, `decompose` and `scatter` by their slots."""
        functions = self.read_dispatch(fields) if "dispatch" in fields else {}
        if "decompose" in fields:
            has_kernels = bool(functions) or "pointwise" in fields
            slot = DECOMPOSE if has_kernels else COMPOSITE
            node = fields["decompose"][1]
            functions[slot] = self.read_function(node, "'decompose'", self.may_be_python)
        if self.built_in:
            self.check_bodies(fields, entry)
        if "composite" in fields:
            functions[COMPOSITE] = f"{schema.identifier}_expression"
        if "scatter" in fields:
            node = fields["scatter"][1]
            if not schema.may_be_view:
                self.fail(node, f"only a view has a 'scatter': {schema.text}")
            functions[SCATTER] = self.read_function(node, "'scatter'", self.may_be_python)
        return functions

    def read_dispatch(self, fields: Fields) -> dict[str, str]:
        """Read the functions by slot; a key may name several slots: `CPU, CUDA: add_all`."""
        functions: dict[str, str] = {}
        node = fields["dispatch"][1]
        for keys, (key_node, value) in self.read_mapping(node, "'dispatch'").items():
            for key in (each.strip() for each in keys.split(",")):
                slot = self.find_slot(key)
                if slot is None:
                    known = ", ".join(self.slots)
                    self.fail(key_node, f"unknown dispatch key '{key}'; there are {known}")
                if slot in functions:
                    self.fail(key_node, f"there are two functions for '{key}'")
                functions[slot] = self.read_function(value, f"'{key}'", self.may_be_python)
        return functions


IMPLIED = {
    "inplace": lambda schema: schema.is_in_place,
    "out": lambda schema: schema.writes_out,
}


def is_empty(node: yaml.Node) -> bool:
    """Return whether nothing follows the colon."""
    return isinstance(node, yaml.ScalarNode) and node.tag == "tag:yaml.org,2002:null"


def in_place_form(declaration: Declaration, form: Form) -> Declaration:
    variant = "method" if "method" in declaration.variants else "function"
    tags = tuple(tag for tag in declaration.tags if tag not in ("core", "nondifferentiable"))
    schema = in_place_schema(declaration.schema, form.name)
    gradients = declaration.gradients
    if "nondifferentiable" in declaration.tags:
        gradients = overwriting_formulas(schema)
    return replace(
        declaration,
        schema=schema,
        variants=(variant,),
        tags=(*tags, "inplace"),
        autocast=None,
        line=form.line,
        gradients=gradients,
    )


def out_form(declaration: Declaration, form: Form) -> Declaration:
    """Return the form that writes to `out`; it is called by its name only."""
    tags = tuple(tag for tag in declaration.tags if tag != "core")
    schema = out_schema(declaration.schema, form.name)
    return replace(
        declaration,
        schema=schema,
        variants=(),
        tags=(*tags, "out"),
        autocast=None,
        gradients=(),
        line=form.line,
    )


def write_results(form: Declaration, source: Declaration) -> Declaration:
    """Return the form as one that calls `source` and writes its results."""
    kept = ("inplace", "out", "nondeterministic_seeded")
    return replace(
        form,
        tags=tuple(tag for tag in form.tags if tag in kept),
        dispatch={},
        gradients=(),
        composite="",
        alias_of=None,
        result_of=source.schema.full_name,
        properties=(),
    )


def read_file(path: Path, name: str) -> str:
    """Return the text of a file; `name` is its name in errors."""
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        line = path.read_bytes().count(b"\n", 0, error.start) + 1
        raise DeclarationError(f"{name}:{line}: the file is not UTF-8 text") from error


def read_declarations(path: Path, name: str, **options) -> list[Declaration]:
    """Read a file as Reader does; `name` is its name in errors and registrations."""
    return Reader(name, **options).read(read_file(path, name))

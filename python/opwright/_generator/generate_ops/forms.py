"""The keys `in_place:` and `out:` of an entry: forms that write, made from its schema."""

from dataclasses import dataclass

from .schema import SCHEMA, Schema, SchemaError, parse_schema, split_list
from .yaml_nodes import NodeReader, yaml


@dataclass(frozen=True)
class Form:
    """A form as the entry states it; without `variants` they follow from the entry's."""

    name: str
    line: int
    variants: str | None = None


def read_form(reader: NodeReader, node: yaml.Node, key: str) -> Form:
    """Read `relu_`, or `{name: relu_, variants: "function, method"}`."""
    line = node.start_mark.line + 1
    if not isinstance(node, yaml.MappingNode):
        return Form(reader.read_text(node, f"'{key}'"), line)
    fields = reader.read_mapping(node, f"'{key}'")
    for name, (key_node, _) in fields.items():
        if name not in ("name", "variants"):
            reader.fail(key_node, f"unknown key '{name}'; there are name, variants")
    if "name" not in fields:
        reader.fail(node, f"'{key}' needs a 'name'")
    texts = {name: reader.read_text(value, f"'{name}'") for name, (_, value) in fields.items()}
    return Form(texts["name"], line, texts.get("variants"))


def in_place_schema(schema: Schema, name: str) -> Schema:
    """Return the schema that writes `self`.

    >>> in_place_schema(parse_schema("relu(Tensor self) -> Tensor"), "relu_").text
    'relu_(Tensor(a!) self) -> Tensor(a!)'
    """
    parts = arguments_of(schema)
    if not parts or parts[0] != "Tensor self":
        raise SchemaError(f"'{schema.text}' has no self that an in-place form could write")
    return parse_schema(f"{name}({', '.join(['Tensor(a!) self', *parts[1:]])}) -> Tensor(a!)")


def out_schema(schema: Schema, name: str) -> Schema:
    """Return the schema that writes what is given by keyword.

    That is `out`, or `grad_input` of that overload. An operator with several results writes one
    argument for each, by the results' names or as out0, out1, ...

    >>> out_schema(parse_schema("relu(Tensor self) -> Tensor"), "relu.out").text
    'relu.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)'
    >>> out_schema(parse_schema("f(Tensor x) -> (Tensor y, Tensor z)"), "f.out").text
    'f.out(Tensor x, *, Tensor(a!) y, Tensor(b!) z) -> (Tensor(a!) y, Tensor(b!) z)'
    """
    parts = arguments_of(schema)
    star = [] if "*" in parts else ["*"]
    if any(type_.base != "Tensor" or type_.suffixes for type_ in schema.returns):
        raise SchemaError(f"'{schema.text}' has a result that is not a tensor to write")
    if len(schema.returns) == 1:
        written = "grad_input" if name.endswith(".grad_input") else "out"
        parts = [*parts, *star, f"Tensor(a!) {written}"]
        return parse_schema(f"{name}({', '.join(parts)}) -> Tensor(a!)")
    types = [f"Tensor({chr(ord('a') + place)}!)" for place in range(len(schema.returns))]
    names = [each or f"out{place}" for place, each in enumerate(schema.return_names)]
    outs = [f"{type_} {each}" for type_, each in zip(types, names, strict=True)]
    results = outs if all(schema.return_names) else types
    text = f"{name}({', '.join([*parts, *star, *outs])}) -> ({', '.join(results)})"
    return parse_schema(text)


def arguments_of(schema: Schema) -> list[str]:
    return split_list(SCHEMA.fullmatch(schema.text)["arguments"])

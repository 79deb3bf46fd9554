"""Pointwise operators: the schemas of their in-place and out forms, and their registration."""

from .schema import SCHEMA, Schema, SchemaError, parse_schema, split_list


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
    """Return the schema that writes an `out` given by keyword, or a `grad_input` of that overload.

    >>> out_schema(parse_schema("relu(Tensor self) -> Tensor"), "relu.out").text
    'relu.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)'
    """
    parts = arguments_of(schema)
    star = [] if "*" in parts else ["*"]
    written = "grad_input" if name.endswith(".grad_input") else "out"
    parts = [*parts, *star, f"Tensor(a!) {written}"]
    return parse_schema(f"{name}({', '.join(parts)}) -> Tensor(a!)")


def arguments_of(schema: Schema) -> list[str]:
    return split_list(SCHEMA.fullmatch(schema.text)["arguments"])

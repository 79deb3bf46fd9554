"""Dataclasses as nodes, and classes whose instances are constants of the structure."""

import dataclasses
from collections.abc import Iterable, Sequence
from typing import Any

from .keys import GetAttrKey
from .registration import register_pytree_node

_CONSTANTS: set[type] = set()


def register_dataclass(
    cls: type,
    *,
    field_names: Sequence[str] | None = None,
    drop_field_names: Sequence[str] | None = None,
    serialized_type_name: str | None = None,
) -> None:
    """Register a dataclass as a pytree node whose children are its fields that are not None."""
    if not dataclasses.is_dataclass(cls):
        raise TypeError(
            f"register_dataclass: field_names must be given for {cls}, which is not a dataclass"
            if field_names is None
            else f"register_dataclass: {cls} is not a dataclass"
        )
    own = [each.name for each in dataclasses.fields(cls) if each.init]
    names = list(own if field_names is None else field_names)
    expected = set(own).difference(drop_field_names or ())
    if field_names is not None and expected != set(names):
        raise ValueError(
            "register_dataclass: field_names does not include all dataclass fields.\n"
            f"Missing fields in `field_names`: {expected.difference(names) or None}. "
            f"Unexpected fields in `field_names`: {set(names) - expected or None}. "
            "Fields that are not children are named in `drop_field_names`."
        )

    def flatten(instance: Any) -> tuple[list[Any], list[list[str]]]:
        values = {name: getattr(instance, name) for name in names}
        given = [name for name in names if values[name] is not None]
        missing = [name for name in names if values[name] is None]
        return [values[name] for name in given], [given, missing]

    def unflatten(values: Iterable[Any], context: list[list[str]]) -> Any:
        given, missing = context
        return cls(**dict(zip(given, values, strict=True)), **dict.fromkeys(missing))

    def flatten_with_keys(instance: Any) -> tuple[list[tuple[Any, Any]], Any]:
        values, context = flatten(instance)
        return [(GetAttrKey(k), v) for k, v in zip(context[0], values, strict=True)], context

    register_pytree_node(
        cls,
        flatten,
        unflatten,
        serialized_type_name=serialized_type_name,
        flatten_with_keys_fn=flatten_with_keys,
    )


@dataclasses.dataclass(frozen=True)
class ConstantNode:
    """The context of an instance of a constant class: the instance."""

    value: Any


def register_constant(cls: type) -> None:
    """Register a class whose instances are part of the structure: nodes without leaves."""
    for name, is_default in (
        ("__eq__", cls.__eq__ is object.__eq__),
        ("__hash__", not cls.__hash__),
    ):
        if is_default:
            raise TypeError(
                f"register_constant(cls) expects `cls` to have a non-default `{name}` "
                f"implementation, which {cls.__qualname__} does not"
            )
    register_pytree_node(
        cls,
        lambda instance: ([], ConstantNode(instance)),
        lambda _, context: context.value,
        flatten_with_keys_fn=lambda instance: ([], ConstantNode(instance)),
    )
    _CONSTANTS.add(cls)


def is_constant_class(cls: object) -> bool:
    """Return whether a class was registered with `register_constant`."""
    return isinstance(cls, type) and cls in _CONSTANTS

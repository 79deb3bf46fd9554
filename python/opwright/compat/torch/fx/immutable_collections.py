"""Lists and dicts that a node holds: changes go through the node, which keeps its users right."""

from typing import Any, NoReturn

from opwright.compat.torch.utils import _pytree as pytree

__all__ = ["immutable_dict", "immutable_list", "is_named_tuple"]

_HELP = (
    "; set the arguments of the node instead, e.g. node.args = new_args, or node.update_arg(index, "
    "value)"
)


def is_named_tuple(value: object) -> bool:
    """Return whether a node keeps the class of a tuple; PyTorch drops that of named results.

    >>> import opwright as ow
    >>> is_named_tuple((1, 2)), is_named_tuple(ow.ones(2).max(0))
    (False, False)
    """
    is_named = isinstance(value, tuple) and hasattr(value, "_fields")
    return is_named and type(value).__module__ != "opwright.return_types"


def _refuse(name: str) -> Any:
    def method(self: Any, *args: Any, **kwargs: Any) -> NoReturn:
        raise TypeError(f"{type(self).__name__} cannot be changed by '{name}'{_HELP}")

    method.__name__ = name
    return method


class immutable_list(list):  # noqa: N801 (torch's name)
    """A list that cannot be changed.

    >>> immutable_list([1, 2])
    [1, 2]
    """

    __slots__ = ()

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(tuple(self))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (list(self),)


class immutable_dict(dict):  # noqa: N801 (torch's name)
    """A dict that cannot be changed.

    >>> immutable_dict(a=1)
    {'a': 1}
    """

    __slots__ = ()

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(frozenset(self.items()))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (dict(self),)


for _name in (
    *("__delitem__", "__iadd__", "__imul__", "__setitem__", "append", "clear", "extend"),
    *("insert", "pop", "remove", "reverse", "sort"),
):
    setattr(immutable_list, _name, _refuse(_name))
for _name in (
    *("__delitem__", "__ior__", "__setitem__", "clear", "pop", "popitem", "setdefault"),
    "update",
):
    setattr(immutable_dict, _name, _refuse(_name))
del _name


pytree.register_pytree_node(
    immutable_list, lambda items: (list(items), None), lambda leaves, _: immutable_list(leaves)
)
pytree.register_pytree_node(
    immutable_dict,
    lambda items: (list(items.values()), list(items)),
    lambda leaves, keys: immutable_dict(zip(keys, leaves, strict=True)),
)

"""torch.fx._pytree: flattens arguments by a spec, so that proxies can be flattened too."""

import collections
from collections.abc import Callable
from typing import Any

from opwright.compat._absent import absent
from opwright.pytree import TreeSpec

__all__ = ["register_pytree_flatten_spec", "tree_flatten_spec"]

_flatten_functions: dict[type, Callable[[Any, TreeSpec], list[Any]]] = {}


def register_pytree_flatten_spec(
    cls: type, flatten_fn_spec: Callable[[Any, TreeSpec], list[Any]], *unused: Any
) -> None:
    """Register how an object like one of `cls` gives its children, given the spec.

    >>> class Pair:
    ...     left, right = 1, 2
    >>> register_pytree_flatten_spec(Pair, lambda pair, spec: [pair.left, pair.right])
    """
    _flatten_functions[cls] = flatten_fn_spec


def tree_flatten_spec(tree: Any, spec: TreeSpec) -> list[Any]:
    """Return the leaves of `tree` that `spec` describes, reading with `[]` only.

    >>> from opwright import pytree
    >>> tree_flatten_spec({"a": (1, 2)}, pytree.tree_structure({"a": (0, 0)}))
    [1, 2]
    """
    if spec.is_leaf():
        return [tree]
    children = spec.children()
    parts = _children_of(tree, spec, len(children))
    return [
        leaf
        for part, child in zip(parts, children, strict=True)
        for leaf in tree_flatten_spec(part, child)
    ]


def _children_of(tree: Any, spec: TreeSpec, count: int) -> list[Any]:
    if spec.type is None or spec.type is type(None):
        return []
    if spec.type in _flatten_functions:
        return _flatten_functions[spec.type](tree, spec)
    if spec.type is collections.namedtuple or issubclass(spec.type, (list, tuple)):
        return [tree[index] for index in range(count)]
    if issubclass(spec.type, dict):
        return [tree[key] for key in spec.context]
    raise RuntimeError(
        f"tree_flatten_spec: {spec.type.__name__} has no flatten function; "
        "register one with torch.fx._pytree.register_pytree_flatten_spec"
    )


__getattr__ = absent(__name__)

"""Pytrees: the nested containers in which functions take and return tensors.

Nodes are tuples, lists, dicts (in the order of insertion), `OrderedDict`, `defaultdict`, named
tuples, deques, instances of dataclasses, None, and instances of registered classes. All others are
leaves. (In `torch.utils._pytree`, None and dataclasses that are not registered are leaves;
`opwright.compat.torch.utils._pytree` does the same.)

>>> from opwright.pytree import tree_flatten, tree_unflatten
>>> leaves, spec = tree_flatten({"x": [1, 2], "y": None})
>>> leaves
[1, 2]
>>> tree_unflatten([3, 4], spec)
{'x': [3, 4], 'y': None}
"""

from collections.abc import Callable
from typing import Any

from ._C import TreeSpec, tree_flatten, tree_unflatten
from ._pytree.registration import register_pytree_node

__all__ = [
    "TreeSpec",
    "register_pytree_node",
    "tree_flatten",
    "tree_leaves",
    "tree_map",
    "tree_structure",
    "tree_unflatten",
]


def tree_leaves(tree: object) -> list[Any]:
    """Return the leaves of a tree.

    >>> from opwright.pytree import tree_leaves
    >>> tree_leaves({"x": [1, 2], "y": None})
    [1, 2]
    """
    return tree_flatten(tree)[0]


def tree_structure(tree: object) -> TreeSpec:
    """Return the structure of a tree.

    >>> from opwright.pytree import tree_structure
    >>> tree_structure([1, 2]) == tree_structure([3, 4])
    True
    """
    return tree_flatten(tree)[1]


def tree_map(function: Callable[..., object], tree: object, *others: object) -> Any:
    """Apply `function` to each leaf, with the leaves of trees of the same structure.

    >>> from opwright.pytree import tree_map
    >>> tree_map(lambda x, y: x + y, {"a": 1, "b": [2]}, {"a": 10, "b": [20]})
    {'a': 11, 'b': [22]}
    """
    leaves, spec = tree_flatten(tree)
    columns = [leaves]
    for number, other in enumerate(others, start=2):
        other_leaves, other_spec = tree_flatten(other)
        difference = spec.find_difference(other_spec)
        if difference:
            raise ValueError(f"tree_map: tree {number} differs from the first: {difference}")
        columns.append(other_leaves)
    return tree_unflatten([function(*row) for row in zip(*columns, strict=True)], spec)

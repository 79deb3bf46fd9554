"""Leaves with their paths."""

from collections.abc import Callable, Iterator
from typing import Any

from .._C import TreeSpec
from .._C import tree_flatten as _flatten
from .keys import GetAttrKey, MappingKey, SequenceKey
from .registration import KEYED
from .traversal import IsLeaf, tree_structure

KeyEntry = SequenceKey | MappingKey | GetAttrKey
KeyPath = tuple[Any, ...]


def tree_flatten_with_path(
    tree: Any, is_leaf: IsLeaf = None
) -> tuple[list[tuple[KeyPath, Any]], TreeSpec]:
    """Return pairs of path and leaf, and the structure."""
    return tree_leaves_with_path(tree, is_leaf), tree_structure(tree, is_leaf)


def tree_leaves_with_path(tree: Any, is_leaf: IsLeaf = None) -> list[tuple[KeyPath, Any]]:
    """Return pairs of path and leaf."""
    return list(_walk((), tree, is_leaf))


def tree_map_with_path(func: Callable, tree: Any, *rests: Any, is_leaf: IsLeaf = None) -> Any:
    """Apply a function to the path and the value of each leaf."""
    pairs, spec = tree_flatten_with_path(tree, is_leaf)
    columns = [*zip(*pairs, strict=True), *(spec.flatten_up_to(rest) for rest in rests)]
    return spec.unflatten(func(*row) for row in zip(*columns, strict=True))


def keystr(kp: KeyPath) -> str:
    """Return a path as text: `[0]['weight'].bias`."""
    return "".join(map(str, kp))


def key_get(obj: Any, kp: KeyPath) -> Any:
    """Return what is at a path."""
    for key in kp:
        obj = key.get(obj)
    return obj


def _walk(path: KeyPath, node: Any, is_leaf: IsLeaf) -> Iterator[tuple[KeyPath, Any]]:
    if is_leaf is not None and is_leaf(node):
        yield path, node
        return
    children, spec = _flatten(node, lambda each: each is not node, registered_only=True)
    if spec.is_leaf():
        yield path, node
        return
    for key, child in _keyed_children(node, children, spec):
        yield from _walk((*path, key), child, is_leaf)


def _keyed_children(node: Any, children: list[Any], spec: TreeSpec) -> list[tuple[Any, Any]]:
    if spec.kind == "registered":
        if type(node) not in KEYED:
            raise ValueError(
                f"tree_flatten_with_path: Did not find a flatten_with_keys_fn for type: "
                f"{type(node)}. Please pass a flatten_with_keys_fn argument to "
                "register_pytree_node."
            )
        return list(KEYED[type(node)](node)[0])
    make = {"dict": MappingKey, "namedtuple": GetAttrKey}.get(spec.kind, SequenceKey)
    return [(make(key), child) for key, child in zip(spec.keys(), children, strict=True)]

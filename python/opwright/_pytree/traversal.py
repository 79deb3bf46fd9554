"""Trees into leaves and back, functions of all leaves, and functions of leaves of a class."""

from collections.abc import Callable, Iterable
from typing import Any

from .._C import TreeSpec
from .._C import tree_flatten as _flatten

IsLeaf = Callable[[Any], bool] | None
# A class, several classes, or a predicate.
Selection = type | tuple[type, ...] | Callable[[Any], bool]


def tree_flatten(tree: Any, is_leaf: IsLeaf = None) -> tuple[list[Any], TreeSpec]:
    """Return the leaves, None among them, and the structure."""
    return _flatten(tree, is_leaf, registered_only=True)


def tree_unflatten(leaves: Iterable[Any], treespec: TreeSpec) -> Any:
    """Return the tree of a structure with other leaves; the two may be given in either order."""
    if isinstance(leaves, TreeSpec):
        leaves, treespec = treespec, leaves
    if not isinstance(treespec, TreeSpec):
        raise TypeError(
            "tree_unflatten: Expected `treespec` to be an instance of TreeSpec but got item of "
            f"type {type(treespec)}."
        )
    return treespec.unflatten(leaves)


def tree_leaves(tree: Any, is_leaf: IsLeaf = None) -> list[Any]:
    """Return the leaves."""
    return tree_flatten(tree, is_leaf)[0]


def tree_iter(tree: Any, is_leaf: IsLeaf = None) -> Iterable[Any]:
    """Iterate over the leaves."""
    return iter(tree_leaves(tree, is_leaf))


def tree_structure(tree: Any, is_leaf: IsLeaf = None) -> TreeSpec:
    """Return the structure."""
    return tree_flatten(tree, is_leaf)[1]


def tree_is_leaf(tree: Any, is_leaf: IsLeaf = None) -> bool:
    """Return whether a tree is one leaf."""
    return _flatten(
        tree,
        lambda node: node is not tree or (is_leaf is not None and is_leaf(node)),
        registered_only=True,
    )[1].is_leaf()


def arg_tree_leaves(*args: Any, **kwargs: Any) -> list[Any]:
    """Return the leaves of all arguments."""
    return [leaf for each in (*args, *kwargs.values()) for leaf in tree_leaves(each)]


def tree_map(func: Callable, tree: Any, *rests: Any, is_leaf: IsLeaf = None) -> Any:
    """Apply a function to each leaf, with the parts of other trees at the same place."""
    leaves, spec = tree_flatten(tree, is_leaf)
    columns = [leaves, *(spec.flatten_up_to(rest) for rest in rests)]
    return spec.unflatten(map(func, *columns))


def tree_map_(func: Callable, tree: Any, *rests: Any, is_leaf: IsLeaf = None) -> Any:
    """Like `tree_map`, for the side effects of the function; returns the tree itself."""
    tree_map(func, tree, *rests, is_leaf=is_leaf)
    return tree


def _selector(selection: Selection) -> Callable[[Any], bool]:
    if isinstance(selection, type) or not callable(selection):
        return lambda leaf: isinstance(leaf, selection)
    return selection


def map_only(type_or_types_or_pred: Selection, /) -> Callable[[Callable], Callable]:
    """Return a decorator: the function is applied to values of these classes, others stay."""
    is_selected = _selector(type_or_types_or_pred)

    def decorate(func: Callable[[Any], Any]) -> Callable[[Any], Any]:
        return lambda leaf: func(leaf) if is_selected(leaf) else leaf

    return decorate


def tree_map_only(
    type_or_types_or_pred: Selection, /, func: Callable, tree: Any, is_leaf: IsLeaf = None
) -> Any:
    """Apply a function to the leaves of these classes."""
    return tree_map(map_only(type_or_types_or_pred)(func), tree, is_leaf=is_leaf)


def tree_map_only_(
    type_or_types_or_pred: Selection, /, func: Callable, tree: Any, is_leaf: IsLeaf = None
) -> Any:
    """Like `tree_map_only`, for the side effects of the function; returns the tree itself."""
    return tree_map_(map_only(type_or_types_or_pred)(func), tree, is_leaf=is_leaf)


def tree_all(pred: Callable[[Any], bool], tree: Any, is_leaf: IsLeaf = None) -> bool:
    """Return whether the predicate is true for all leaves."""
    return all(map(pred, tree_leaves(tree, is_leaf)))


def tree_any(pred: Callable[[Any], bool], tree: Any, is_leaf: IsLeaf = None) -> bool:
    """Return whether the predicate is true for any leaf."""
    return any(map(pred, tree_leaves(tree, is_leaf)))


def tree_all_only(
    type_or_types: Selection, /, pred: Callable[[Any], bool], tree: Any, is_leaf: IsLeaf = None
) -> bool:
    """Return whether the predicate is true for all leaves of these classes."""
    is_selected = _selector(type_or_types)
    return all(pred(leaf) for leaf in tree_leaves(tree, is_leaf) if is_selected(leaf))


def tree_any_only(
    type_or_types: Selection, /, pred: Callable[[Any], bool], tree: Any, is_leaf: IsLeaf = None
) -> bool:
    """Return whether the predicate is true for any leaf of these classes."""
    is_selected = _selector(type_or_types)
    return any(pred(leaf) for leaf in tree_leaves(tree, is_leaf) if is_selected(leaf))


def LeafSpec() -> TreeSpec:  # noqa: N802
    """Return the structure of one leaf."""
    return TreeSpec(None, None, [])


def treespec_tuple(iterable: Iterable[TreeSpec] = (), /) -> TreeSpec:
    """Return the structure of a tuple of trees."""
    return TreeSpec(tuple, None, list(iterable))


def treespec_dict(mapping: Any = (), /, **kwargs: TreeSpec) -> TreeSpec:
    """Return the structure of a dict of trees."""
    children = dict(mapping, **kwargs)
    return TreeSpec(dict, list(children), list(children.values()))


def treespec_pprint(treespec: TreeSpec) -> str:
    """Return the structure as the repr of a tree whose leaves are `*`."""

    class Asterisk:
        def __repr__(self) -> str:
            return "*"

    return repr(treespec.unflatten([Asterisk()] * treespec.num_leaves))


def broadcast_to_and_flatten(
    tree: Any, treespec: TreeSpec, is_leaf: IsLeaf = None
) -> list[Any] | None:
    """Repeat each leaf for all leaves of a structure below it; None if the two do not fit."""
    result: list[Any] = []

    def add(leaf: Any, subtree: Any) -> None:
        result.extend([leaf] * len(tree_leaves(subtree, is_leaf)))

    try:
        tree_map_(add, tree, treespec.unflatten([0] * treespec.num_leaves), is_leaf=is_leaf)
    except ValueError:
        return None
    return result

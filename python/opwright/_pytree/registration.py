"""Classes that are pytree nodes: how to flatten instances, name their parts and write them."""

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from .. import _C


class Written(NamedTuple):
    """How structures with a class are written as JSON."""

    name: str | None
    dump_context: Callable[[Any], Any] | None
    load_context: Callable[[Any], Any] | None


WRITTEN: dict[type, Written] = {}
CLASS_OF_NAME: dict[str, type] = {}
KEYED: dict[type, Callable[[Any], tuple[Iterable[tuple[Any, Any]], Any]]] = {}


def register_pytree_node(
    cls: type,
    flatten_fn: Callable[[Any], tuple[Sequence[Any], Any]],
    unflatten_fn: Callable[[Any, Any], Any],
    *,
    serialized_type_name: str | None = None,
    to_dumpable_context: Callable[[Any], Any] | None = None,
    from_dumpable_context: Callable[[Any], Any] | None = None,
    flatten_with_keys_fn: Callable[[Any], tuple[Iterable[tuple[Any, Any]], Any]] | None = None,
) -> None:
    """Register a class as a pytree node.

    `flatten_fn(instance)` returns the children and a context, anything else that
    `unflatten_fn(children, context)` needs to make an instance. `treespec_dumps` writes structures
    of a class that has a `serialized_type_name`, with the context as JSON or as the two functions
    for contexts say. `flatten_with_keys_fn` returns `(key, child)` pairs for
    `tree_flatten_with_path`.

    >>> from opwright.pytree import register_pytree_node, tree_map
    >>> class Pair:
    ...     def __init__(self, a, b):
    ...         self.a, self.b = a, b
    >>> register_pytree_node(
    ...     Pair, lambda pair: ((pair.a, pair.b), None), lambda children, _: Pair(*children)
    ... )
    >>> tree_map(lambda x: x + 1, Pair(1, 2)).b
    3
    """
    if (to_dumpable_context is None) != (from_dumpable_context is None):
        raise ValueError(
            f"register_pytree_node: Both to_dumpable_context and from_dumpable_context for {cls} "
            "must be None or registered."
        )
    _C.register_pytree_node(cls, flatten_fn, unflatten_fn)
    name_class(cls, serialized_type_name, to_dumpable_context, from_dumpable_context)
    if flatten_with_keys_fn is not None:
        KEYED[cls] = flatten_with_keys_fn


def name_class(
    cls: type,
    name: str | None,
    dump_context: Callable[[Any], Any] | None = None,
    load_context: Callable[[Any], Any] | None = None,
) -> None:
    """Set how structures with a class are written."""
    WRITTEN[cls] = Written(name, dump_context, load_context)
    if name is not None:
        CLASS_OF_NAME[name] = cls


register_pytree_node(
    deque,
    lambda items: (list(items), items.maxlen),
    lambda children, maxlen: deque(children, maxlen),
    serialized_type_name="collections.deque",
)

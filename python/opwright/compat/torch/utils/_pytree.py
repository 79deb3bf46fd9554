"""torch.utils._pytree: pytrees, in which None is a leaf."""

from typing import Any

from opwright._pytree.keys import GetAttrKey, MappingKey, SequenceKey
from opwright._pytree.named_tuples import (
    is_namedtuple,
    is_namedtuple_class,
    is_namedtuple_instance,
    is_structseq,
    is_structseq_class,
    is_structseq_instance,
)
from opwright._pytree.paths import (
    KeyEntry,
    KeyPath,
    key_get,
    keystr,
    tree_flatten_with_path,
    tree_leaves_with_path,
    tree_map_with_path,
)
from opwright._pytree.registration import register_pytree_node
from opwright._pytree.special_classes import (
    ConstantNode,
    is_constant_class,
    register_constant,
    register_dataclass,
)
from opwright._pytree.traversal import (
    LeafSpec,
    arg_tree_leaves,
    map_only,
    tree_all,
    tree_all_only,
    tree_any,
    tree_any_only,
    tree_flatten,
    tree_is_leaf,
    tree_iter,
    tree_leaves,
    tree_map,
    tree_map_,
    tree_map_only,
    tree_map_only_,
    tree_structure,
    tree_unflatten,
    treespec_dict,
    treespec_pprint,
    treespec_tuple,
)
from opwright._pytree.traversal import broadcast_to_and_flatten as _broadcast_to_and_flatten
from opwright._pytree.written_spec import register_namedtuple as _register_namedtuple
from opwright._pytree.written_spec import treespec_dumps, treespec_loads
from opwright.compat._absent import absent
from opwright.pytree import TreeSpec

PyTree = Any
Context = Any
PyTreeSpec = TreeSpec
treespec_leaf = LeafSpec

__all__ = [
    "ConstantNode",
    "Context",
    "GetAttrKey",
    "KeyEntry",
    "KeyPath",
    "LeafSpec",
    "MappingKey",
    "PyTree",
    "PyTreeSpec",
    "SequenceKey",
    "TreeSpec",
    "_broadcast_to_and_flatten",
    "_register_namedtuple",
    "arg_tree_leaves",
    "is_constant_class",
    "is_namedtuple",
    "is_namedtuple_class",
    "is_namedtuple_instance",
    "is_structseq",
    "is_structseq_class",
    "is_structseq_instance",
    "key_get",
    "keystr",
    "map_only",
    "register_constant",
    "register_dataclass",
    "register_pytree_node",
    "tree_all",
    "tree_all_only",
    "tree_any",
    "tree_any_only",
    "tree_flatten",
    "tree_flatten_with_path",
    "tree_is_leaf",
    "tree_iter",
    "tree_leaves",
    "tree_leaves_with_path",
    "tree_map",
    "tree_map_",
    "tree_map_only",
    "tree_map_only_",
    "tree_map_with_path",
    "tree_structure",
    "tree_unflatten",
    "treespec_dict",
    "treespec_dumps",
    "treespec_leaf",
    "treespec_loads",
    "treespec_pprint",
    "treespec_tuple",
]

__getattr__ = absent(__name__)

"""opwright.compat.torch.utils._pytree has the rules and names of torch.utils._pytree."""

import dataclasses
from collections import OrderedDict, defaultdict, deque, namedtuple

import opwright.compat.torch.utils._pytree as ours
import opwright.pytree
import pytest
import torch.utils._pytree as theirs

Point = namedtuple("Point", "x y")


@dataclasses.dataclass
class Plain:
    value: object


@dataclasses.dataclass
class Registered:
    first: object
    second: object = None


@dataclasses.dataclass(frozen=True)
class Constant:
    value: int


class Box:
    def __init__(self, items, label):
        self.items, self.label = items, label

    def __eq__(self, other):
        return (self.items, self.label) == (other.items, other.label)


for module in (ours, theirs):
    module.register_pytree_node(
        Box,
        lambda box: (box.items, box.label),
        lambda items, label: Box(list(items), label),
        serialized_type_name="test_torch_trees.Box",
        flatten_with_keys_fn=lambda box, keys=module: (
            [(keys.SequenceKey(i), item) for i, item in enumerate(box.items)],
            box.label,
        ),
    )
    module.register_dataclass(Registered, serialized_type_name="test_torch_trees.Registered")
    module.register_constant(Constant)
    module._register_namedtuple(Point, serialized_type_name="test_torch_trees.Point")


TREES = {
    "none": None,
    "none_in_containers": [1, None, {"a": None}],
    "dict": {"b": 1, "a": (2, [3])},
    "ordered_dict": OrderedDict(b=1, a=2),
    "default_dict": defaultdict(list, a=[1], b=[None]),
    "named_tuple": [Point(1, [2, None])],
    "deque": deque([1, (2,)], maxlen=4),
    "plain_dataclass": [Plain([1, 2])],
    "registered_dataclass": Registered([1], None),
    "constant": [Constant(3), 4],
    "box": Box([1, {"x": None}], "left"),
    "empty": [(), {}, []],
}

each_tree = pytest.mark.parametrize("tree", TREES.values(), ids=TREES)


@each_tree
def test_leaves_and_round_trip_are_torchs(tree):
    leaves, spec = ours.tree_flatten(tree)
    expected, expected_spec = theirs.tree_flatten(tree)

    assert leaves == expected
    assert spec.unflatten(leaves) == tree
    assert (spec.num_leaves, spec.num_nodes, spec.num_children, spec.is_leaf()) == (
        expected_spec.num_leaves,
        expected_spec.num_nodes,
        expected_spec.num_children,
        expected_spec.is_leaf(),
    )


@each_tree
def test_the_class_and_the_context_of_a_structure_are_torchs(tree):
    spec, expected = ours.tree_structure(tree), theirs.tree_structure(tree)

    assert spec.type is expected.type
    assert spec.context == expected.context
    assert [child.type for child in spec.children()] == [c.type for c in expected.children()]
    assert ours.TreeSpec(spec.type, spec.context, spec.children()) == spec


@pytest.mark.parametrize("name", [name for name in TREES if name != "constant"])
def test_written_structures_are_torchs_and_come_back(name):
    spec = ours.tree_structure(TREES[name])

    text = ours.treespec_dumps(spec)

    assert text == theirs.treespec_dumps(theirs.tree_structure(TREES[name]))
    assert ours.treespec_loads(text) == spec


@each_tree
def test_paths_are_torchs(tree):
    pairs, spec = ours.tree_flatten_with_path(tree)
    expected, _ = theirs.tree_flatten_with_path(tree)

    assert [(ours.keystr(path), leaf) for path, leaf in pairs] == [
        (theirs.keystr(path), leaf) for path, leaf in expected
    ]
    assert [ours.key_get(tree, path) for path, _ in pairs if not isinstance(tree, Box)] == [
        leaf for _, leaf in pairs if not isinstance(tree, Box)
    ]
    assert spec == ours.tree_structure(tree)


def test_opwrights_own_trees_have_none_and_dataclasses_as_nodes():
    assert opwright.pytree.tree_leaves([1, None, Plain(2)]) == [1, 2]
    assert ours.tree_leaves([1, None, Plain(2)]) == [1, None, Plain(2)]


CALLS = {
    "tree_map_none": lambda m: m.tree_map(lambda x: x is None, {"x": 7, "z": None}),
    "tree_map_prefix": lambda m: m.tree_map(lambda x, y: [x, *y], [5, 6], [[7, 9], [1, 2]]),
    "tree_map_dict_order": lambda m: m.tree_map(
        lambda x, y: (x, y), {"a": 1, "b": 2}, {"b": 3, "a": 4}
    ),
    "tree_map_is_leaf": lambda m: m.tree_map(
        len, [(1, 2), [(3,)]], is_leaf=lambda x: isinstance(x, tuple)
    ),
    "tree_map_only": lambda m: m.tree_map_only(int, lambda x: -x, [1, "a", (2, None)]),
    "tree_map_only_predicate": lambda m: m.tree_map_only(lambda x: x == 1, lambda x: "one", [1, 2]),
    "tree_all": lambda m: m.tree_all(lambda x: x is not None, [1, None]),
    "tree_any": lambda m: m.tree_any(lambda x: x is None, [1, None]),
    "tree_all_only": lambda m: m.tree_all_only(int, lambda x: x > 1, [2, "a"]),
    "tree_any_only": lambda m: m.tree_any_only((int, str), lambda x: x == "a", [2, "a"]),
    "tree_is_leaf": lambda m: [m.tree_is_leaf(x) for x in (None, 1, [], Plain(1), Point(1, 2))],
    "tree_iter": lambda m: list(m.tree_iter({"a": [1, None]})),
    "tree_map_with_path": lambda m: m.tree_map_with_path(
        lambda path, x, y: (m.keystr(path), x, y), {"a": [1]}, {"a": [(2, 3)]}
    ),
    "arg_tree_leaves": lambda m: m.arg_tree_leaves([1], 2, key=(3, None)),
    "treespec_pprint": lambda m: m.treespec_pprint(m.tree_structure({"a": (1, None)})),
    "broadcast": lambda m: m._broadcast_to_and_flatten((0, None), m.tree_structure(([1, 2], 3))),
    "broadcast_misfit": lambda m: m._broadcast_to_and_flatten((0,), m.tree_structure((1, 2))),
    "flatten_up_to": lambda m: m.tree_structure([1, {"a": 2}]).flatten_up_to([(1, 2), {"a": [3]}]),
    "either_order": lambda m: m.tree_unflatten(m.tree_structure([1, 2]), [3, 4]),
    "constant_class": lambda m: (m.is_constant_class(Constant), m.is_constant_class(int)),
    "named": lambda m: (m.is_namedtuple(Point(1, 2)), m.is_namedtuple((1, 2))),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_functions_of_trees_return_what_torchs_do(call):
    assert call(ours) == call(theirs)


REFUSED = {
    "tree_map_other_structure": lambda m: m.tree_map(max, [1, 2], [1]),
    "tree_map_other_class": lambda m: m.tree_map(max, [1, 2], (1, 2)),
    "tree_map_other_keys": lambda m: m.tree_map(max, {"a": 1}, {"b": 1}),
    "unflatten_other_count": lambda m: m.tree_structure([1, 2]).unflatten([1]),
    "unflatten_no_spec": lambda m: m.tree_unflatten([1], 2),
    "registered_twice": lambda m: m.register_pytree_node(Box, list, list),
    "one_of_two_dumpers": lambda m: m.register_pytree_node(
        type("New", (), {}), list, list, to_dumpable_context=list
    ),
    "dumps_without_name": lambda m: m.treespec_dumps(m.tree_structure(Constant(1))),
    "loads_unknown_name": lambda m: m.treespec_loads(
        '[1, {"type": "nowhere.Thing", "context": "null", "children_spec": []}]'
    ),
    "unknown_protocol": lambda m: m.treespec_dumps(m.tree_structure(1), 2),
    "constant_without_eq": lambda m: m.register_constant(object),
    "dataclass_fields": lambda m: m.register_dataclass(Plain, field_names=["other"]),
}


@pytest.mark.parametrize("call", REFUSED.values(), ids=REFUSED)
def test_what_torch_refuses_is_refused_with_its_class(call):
    with pytest.raises(Exception) as expected:  # noqa: PT011
        call(theirs)

    with pytest.raises(expected.type):
        call(ours)

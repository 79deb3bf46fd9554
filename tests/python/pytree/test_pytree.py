"""Trees of containers: into leaves and a structure, and back."""
# Covers: python/bindings/pytree/*.

import gc
import pickle
import sys
import weakref
from collections import OrderedDict, defaultdict, namedtuple
from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple

import opwright as ow
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from opwright.pytree import (
    register_pytree_node,
    tree_flatten,
    tree_leaves,
    tree_map,
    tree_structure,
    tree_unflatten,
)

Point = namedtuple("Point", "x y")


class Layer(NamedTuple):
    weight: object
    bias: object = None


@dataclass
class Config:
    rate: float
    steps: list
    kind: ClassVar[str] = "none"
    made: int = field(default=0, init=False)


@dataclass(frozen=True, slots=True)
class Frozen:
    value: object


class Pair:
    def __init__(self, first, second, label):
        self.first, self.second, self.label = first, second, label


register_pytree_node(
    Pair,
    lambda pair: ([pair.first, pair.second], pair.label),
    lambda children, label: Pair(*children, label),
)


class Bag:
    """A registered class whose flatten function a test sets."""

    flatten = None


register_pytree_node(Bag, lambda bag: Bag.flatten(bag), lambda children, _: list(children))


@pytest.fixture
def flatten_of_bag(monkeypatch):
    return lambda function: monkeypatch.setattr(Bag, "flatten", staticmethod(function))


def text_of(tree):
    return repr(tree_structure(tree)).removeprefix("TreeSpec(").removesuffix(")")


@pytest.mark.parametrize(
    ("tree", "leaves", "text"),
    [
        (1, [1], "*"),
        (None, [], "None"),
        ((), [], "()"),
        ((1,), [1], "(*,)"),
        ([1, (2, 3)], [1, 2, 3], "[*, (*, *)]"),
        ({"b": 1, "a": 2}, [1, 2], '{"b": *, "a": *}'),
        ({1: "x", (2, 3): "y"}, ["x", "y"], "{1: *, (2, 3): *}"),
        (OrderedDict(b=1, a=2), [1, 2], 'OrderedDict({"b": *, "a": *})'),
        (defaultdict(list, a=1), [1], 'defaultdict(list, {"a": *})'),
        (Point(1, [2]), [1, 2], "Point(x=*, y=[*])"),
        (Layer(1), [1], "Layer(weight=*, bias=None)"),
        (Config(0.1, [1, 2]), [0.1, 1, 2, 0], "Config(rate=*, steps=[*, *], made=*)"),
        (Pair(1, 2, "left"), [1, 2], 'Pair["left"](*, *)'),
    ],
)
def test_a_tree_is_its_leaves_and_a_structure(tree, leaves, text):
    assert tree_leaves(tree) == leaves
    assert text_of(tree) == text


@pytest.mark.parametrize(
    "leaf", [ow.ones(2), "text", b"bytes", {1, 2}, range(3), object(), Config, int, 2.0, True]
)
def test_anything_else_is_a_leaf(leaf):
    leaves, spec = tree_flatten([leaf])

    assert leaves[0] is leaf
    assert repr(spec) == "TreeSpec([*])"


def test_other_subclasses_of_containers_are_leaves():
    class MyList(list):
        pass

    class MyDict(dict):
        pass

    class MyTuple(tuple):
        pass

    assert text_of([MyList([1]), MyDict(a=1), MyTuple((1,))]) == "[*, *, *]"


@pytest.mark.parametrize(
    "tree",
    [
        [1, (2, {"a": None, "b": [3]})],
        OrderedDict(b=1, a=2),
        Point(1, Layer(2, None)),
        Config(0.5, [1]),
        Frozen(Frozen((1, 2))),
    ],
)
def test_unflatten_gives_an_equal_tree_of_the_same_classes(tree):
    made = tree_unflatten(*tree_flatten(tree))

    assert made == tree
    assert type(made) is type(tree)


def test_unflatten_keeps_what_a_defaultdict_makes():
    made = tree_unflatten(*tree_flatten(defaultdict(list, a=1)))

    assert made == {"a": 1}
    assert made["new"] == []


def test_unflatten_of_a_registered_class_gets_what_flatten_gave():
    made = tree_unflatten(*tree_flatten(Pair(1, 2, "left")))

    assert (made.first, made.second, made.label) == (1, 2, "left")


def test_unflatten_of_a_dataclass_does_not_run_its_init():
    @dataclass
    class Counted:
        value: int

        def __post_init__(self):
            self.value += 1

    assert tree_unflatten(*tree_flatten(Counted(1))).value == 2


def test_unflatten_of_a_named_tuple_does_not_run_its_new():
    class Odd(Point):
        def __new__(cls, both):
            return super().__new__(cls, both, both)

    made = tree_unflatten([1, 2], tree_structure(Odd(5)))

    assert made == (1, 2)
    assert type(made) is Odd


@pytest.mark.parametrize(
    ("tree", "path"),
    [
        ([0, {"weight": Layer(1, 9)}], 'args[1]["weight"].bias'),
        ([0, {7: (1, 9)}], "args[1][7][1]"),
        ([0, Config(1, [])], "args[1].made"),
        ([0, 1, Pair(None, 9, None)], "args[2][1]"),
    ],
)
def test_leaf_path_tells_where_a_leaf_is(tree, path):
    spec = tree_structure(tree)

    assert spec.leaf_path(spec.num_leaves - 1, "args") == path


def test_leaf_path_refuses_a_leaf_that_is_not_there():
    with pytest.raises(IndexError, match=r"^leaf_path: the structure has 1 leaf, so .* no leaf 1$"):
        tree_structure([1]).leaf_path(1)


def test_structures_are_equal_and_hash_alike_whatever_the_leaves():
    one, other = tree_structure({"a": [1, None]}), tree_structure({"a": ["x", None]})

    assert one == other
    assert hash(one) == hash(other)
    assert len({one, other}) == 1


@pytest.mark.parametrize(
    ("tree", "other"),
    [
        ([1], (1,)),
        ([1], [1, 2]),
        ([1], [None]),
        ({"a": 1}, {"b": 1}),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
        ({"a": 1}, OrderedDict(a=1)),
        (defaultdict(list, a=1), defaultdict(dict, a=1)),
        (Pair(1, 2, "left"), Pair(1, 2, "right")),
        (Point(1, 2), (1, 2)),
        ([[1], 2], [[1, 2]]),
    ],
)
def test_other_structures_are_not_equal(tree, other):
    assert tree_structure(tree) != tree_structure(other)


def test_a_structure_is_not_equal_to_another_object():
    assert tree_structure([1]) != "[*]"


def test_a_structure_whose_class_gave_an_unhashable_object_has_a_hash():
    one, other = (tree_structure(Pair(1, 2, ["a", "list"])) for _ in range(2))

    assert hash(one) == hash(other)
    assert one == other


@pytest.mark.parametrize(
    ("tree", "other", "difference"),
    [
        ([1, [2, 3]], [1, [2]], "args[1] is a list of 1, expected a list of 2"),
        ([1], [None], "args[0] is None, expected a leaf"),
        ({"a": 1}, {"b": 1}, 'args is a dict with the keys "b", expected a dict with the keys "a"'),
        (
            [Point(1, 2)],
            [Layer(1, 2)],
            'args[0] is a Layer with the fields "weight", "bias", '
            'expected a Point with the fields "x", "y"',
        ),
        (Pair(1, 2, 0), Pair(1, 2, 1), "args is Pair[1] of 2, expected Pair[0] of 2"),
    ],
)
def test_find_difference_tells_the_first_one(tree, other, difference):
    assert tree_structure(tree).find_difference(tree_structure(other), "args") == difference


def test_tree_map_takes_several_trees():
    assert tree_map(lambda *xs: sum(xs), {"a": (1, 2)}, {"a": (3, 4)}) == {"a": (4, 6)}


def test_tree_map_names_the_tree_that_differs():
    expected = r"^tree_map: tree 3 differs from the first: tree\[0\] is None, expected a leaf$"
    with pytest.raises(ValueError, match=expected):
        tree_map(max, [1], [2], [None])


@pytest.mark.parametrize("count", [0, 2])
def test_unflatten_refuses_another_number_of_leaves(count):
    expected = rf"^tree_unflatten: the structure \[\*, None\] has 1 leaf, got {count}$"
    with pytest.raises(ValueError, match=expected):
        tree_unflatten(range(count), tree_structure([1, None]))


def cycle_of_lists():
    tree = []
    tree.append([tree])
    return tree


def cycle_of_dicts():
    tree = {}
    tree["self"] = tree
    return tree


def deep_tuple():
    tree = ()
    for _ in range(100_000):
        tree = (tree,)
    return tree


@pytest.mark.parametrize("make", [cycle_of_lists, cycle_of_dicts, deep_tuple])
def test_a_tree_that_contains_itself_or_is_very_deep_is_refused(make):
    with pytest.raises(
        RecursionError, match=r"^tree_flatten: .* more than 1000 containers deep; does one of"
    ):
        tree_flatten(make())


def test_a_registered_class_that_gives_itself_is_refused(flatten_of_bag):
    flatten_of_bag(lambda bag: ([bag], None))

    with pytest.raises(RecursionError, match=r"a \S*Bag is more than 1000 containers deep"):
        tree_flatten(Bag())


def test_the_deepest_tree_that_is_taken_comes_back():
    tree = 1
    for _ in range(1000):
        tree = [tree]

    leaves, spec = tree_flatten(tree)

    assert leaves == [1]
    assert repr(spec) == f"TreeSpec({'[' * 1000}*{']' * 1000})"
    assert tree_leaves(tree_unflatten([2], spec)) == [2]


@pytest.mark.parametrize("given", [None, [1], ([1], None, 3), 7])
def test_flatten_function_that_returns_something_else_is_told_of(flatten_of_bag, given):
    flatten_of_bag(lambda _: given)

    with pytest.raises(
        TypeError, match=r"^tree_flatten: the flatten function of \S*Bag must return"
    ):
        tree_flatten([Bag()])


def test_exceptions_of_registered_functions_come_through(flatten_of_bag):
    def fail(_):
        raise KeyError("own")

    flatten_of_bag(fail)

    with pytest.raises(KeyError, match="own"):
        tree_flatten([Bag()])


def test_a_list_that_changes_while_it_is_flattened_does_no_harm(flatten_of_bag):
    tree = [Bag(), 1, 2]

    def clear(_):
        tree.clear()
        return (), None

    flatten_of_bag(clear)

    assert tree_leaves(tree) == [1, 2]


def test_registering_a_class_twice_is_refused():
    with pytest.raises(
        ValueError, match=r"^register_pytree_node: Pair is already registered as pytree node$"
    ):
        register_pytree_node(Pair, list, list)


@pytest.mark.parametrize("cls", [list, dict, tuple, type(None), ow.Tensor, int])
def test_registering_a_built_in_class_is_refused(cls):
    with pytest.raises(ValueError, match=r"means in a tree cannot be changed$"):
        register_pytree_node(cls, list, list)


def test_registering_what_is_no_class_is_refused():
    with pytest.raises(TypeError, match=r"the first argument must be a class, got int$"):
        register_pytree_node(3, list, list)


def test_registering_without_functions_is_refused():
    class New:
        pass

    with pytest.raises(TypeError, match=r"flatten and unflatten of New must be functions$"):
        register_pytree_node(New, None, None)


def test_a_dataclass_that_can_not_be_made_of_its_fields_is_refused():
    @dataclass
    class Table(dict):
        name: str

    with pytest.raises(TypeError, match=r"object.__new__\(.*Table\) is not safe"):
        tree_unflatten(["new"], tree_structure(Table("old")))


def test_names_with_half_a_surrogate_pair_can_be_shown():
    assert repr(tree_structure({"\ud800": 1})) == "TreeSpec({\"'\\ud800'\": *})"


def test_trees_are_not_kept_alive():
    class Leaf:
        pass

    leaf = Leaf()
    gone = weakref.ref(leaf)
    leaves, spec = tree_flatten({"a": [leaf]})
    before = sys.getrefcount(None)
    for _ in range(1000):
        tree_unflatten(leaves, spec)
        tree_flatten({"a": [leaf, None]})
    assert abs(sys.getrefcount(None) - before) < 100

    del leaf, leaves
    gc.collect()

    assert gone() is None
    assert spec.num_leaves == 1


nodes = st.recursive(
    st.integers() | st.none() | st.text(max_size=3),
    lambda trees: st.one_of(
        st.lists(trees, max_size=4),
        st.lists(trees, max_size=4).map(tuple),
        st.dictionaries(st.text(max_size=3) | st.integers(), trees, max_size=4),
        st.builds(Point, trees, trees),
        st.builds(Frozen, trees),
        st.dictionaries(st.integers(), trees, max_size=3).map(OrderedDict),
    ),
    max_leaves=20,
)


@settings(deadline=None)
@given(nodes)
def test_every_tree_comes_back(tree):
    leaves, spec = tree_flatten(tree)

    assert tree_unflatten(leaves, spec) == tree
    assert tree_structure(tree_unflatten(range(len(leaves)), spec)) == spec
    assert len({spec.leaf_path(i) for i in range(len(leaves))}) == len(leaves)
    assert pickle.loads(pickle.dumps(spec)) == spec

"""The structure of a call as a text that reads back, without importing or running anything."""

import collections
import dataclasses
import random
import sys
import types
from typing import NamedTuple

import opwright as ow
import pytest
from opwright import _C
from opwright.pytree import register_pytree_node, tree_flatten, tree_structure


@dataclasses.dataclass
class Pair:
    left: object
    right: object


class Point(NamedTuple):
    x: object
    y: object


class Outer:
    @dataclasses.dataclass
    class Inner:
        value: object


class Box:
    def __init__(self, items, label):
        self.items, self.label = items, label


register_pytree_node(Box, lambda box: (box.items, box.label), Box)

HERE = __name__


@pytest.mark.parametrize(
    ("tree", "text"),
    [
        (1, "*"),
        (None, "None"),
        ((), "()"),
        ((1,), "(*,)"),
        ((1, [2, None], []), "(*, [*, None], [])"),
        ({"a": 1, "b": {"c": 2}}, '{"a": *, "b": {"c": *}}'),
        (
            {1: 2, 2.5: 3, None: 1, False: 2, ("a", 1): 2, b"\0a": 1},
            '{1: *, 2.5: *, None: *, False: *, ("a", 1): *, b"\\x00\\x61": *}',
        ),
        ({'quote " \\ é\n': 1}, '{"quote \\" \\\\ é\\x0a": *}'),
        ({float("inf"): 1, -3: 2, 10**30: 3}, f"{{inf: *, -3: *, {10**30}: *}}"),
        (collections.OrderedDict(a=1), 'OrderedDict({"a": *})'),
        (collections.defaultdict(list, a=1), 'defaultdict("builtins:list", {"a": *})'),
        (collections.defaultdict(None, a=1), 'defaultdict(None, {"a": *})'),
        (Pair(1, [2]), f'dataclass "{HERE}:Pair"(left=*, right=[*])'),
        (Point(1, None), f'namedtuple "{HERE}:Point"(x=*, y=None)'),
        (Outer.Inner(1), f'dataclass "{HERE}:Outer.Inner"(value=*)'),
        (Box([1, 2], None), f'registered "{HERE}:Box"(*, *)'),
        (
            Box([1], {"a": [1, (2.5, None)]}),
            f'registered "{HERE}:Box"[{{"a": [1, (2.5, None)]}}](*)',
        ),
    ],
)
def test_a_structure_reads_back(tree, text):
    spec = tree_structure(tree)

    assert _C.tree_text(spec) == text
    assert _C.read_tree_text(text) == spec
    assert _C.check_tree_text(text) == spec.num_leaves


def test_half_a_surrogate_pair_reads_back():
    spec = tree_structure({"\ud800": 1})

    assert _C.read_tree_text(_C.tree_text(spec)) == spec


def test_a_call_has_the_names_of_its_parameters():
    spec = tree_structure(((1, [2], 3), {"scale": 4, "key": 5}))
    names = ["x", "", "z", "scale"]

    text = _C.call_text(spec, names)

    assert text == '((x=*, [*], z=*), {scale=*, "key": *})'
    assert _C.read_call_text(text) == (spec, names)
    assert _C.check_call_text(text) == 5


def test_a_tuple_of_names_inside_an_argument_is_one_of_the_arguments():
    spec = tree_structure((((1, 2),), {}))

    assert _C.call_text(spec, ["pair"]) == "((pair=(*, *),), {})"
    assert _C.read_call_text("((pair=(*, *),), {})") == (spec, ["pair"])


def test_a_parameter_of_another_alphabet_is_quoted():
    spec = tree_structure(((1,), {"größe": 2, "key": 3}))
    names = ["maß", "größe"]

    text = _C.call_text(spec, names)

    assert text == '(("maß"=*,), {"größe"=*, "key": *})'
    assert _C.read_call_text(text) == (spec, names)
    assert _C.check_call_text(text) == 3


@pytest.mark.parametrize("name", ['"x y"', '"x=*, y"', '""', "1x", '"\\xff"'])
def test_a_parameter_that_is_no_identifier_is_refused(name):
    with pytest.raises(ValueError, match="expected the name of a parameter at column 3"):
        _C.check_call_text(f"(({name}=*,), {{}})")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "expected a structure at column 1"),
        ("(*", "expected ',' at column 3"),
        ("(*,*)x", "expected the end at column 6"),
        ("[*, ", "expected a structure at column 5"),
        ('{"a" *}', "expected ': ' at column 5"),
        ('{"a: *}', "expected '\"' at column 8"),
        ("{[1]: *}", "a key that has no hash at column 5"),
        ("{1e: *}", "'1e' is not a number at column 4"),
        ('dataclass "m:C"(x)', "expected '=' at column 19"),
        ("dataclass C()", "expected '\"' at column 11"),
        ("set()", "expected a structure at column 1"),
        ('b"', "expected a structure at column 1"),
        ('{b"\\x0"}', "expected a hexadecimal digit at column 7"),
        ("*\n*", "expected the end at column 2"),
    ],
)
def test_a_text_that_is_none_is_told_with_the_place(text, problem):
    with pytest.raises(ValueError, match=":") as error:
        _C.check_tree_text(text)
    assert str(error.value).startswith(f"the structure of the results: {problem}\n")


def test_the_place_is_shown():
    with pytest.raises(ValueError, match=":") as error:
        _C.check_tree_text("(*, [*, **])")
    assert str(error.value) == (
        "the structure of the results: expected ',' at column 10\n    (*, [*, **])\n             ^"
    )


@pytest.mark.parametrize(
    "text", ["*", "(*, *)", "((), ())", "((), {}, *)", "[(), {}]", "((*,), *)"]
)
def test_a_call_is_a_tuple_and_a_dict(text):
    with pytest.raises(ValueError, match="expected a tuple of a tuple and a dict"):
        _C.check_call_text(text)


def test_arguments_by_name_have_strings_for_names():
    with pytest.raises(ValueError, match="expected the name of an argument at column 8"):
        _C.check_call_text("((), {1: *})")


def test_a_name_after_a_key_is_refused():
    with pytest.raises(ValueError, match="the structure of the arguments: "):
        _C.check_call_text('((), {"key": *, scale=*})')


def test_a_text_that_nests_too_deep_is_refused():
    with pytest.raises(ValueError, match="more than 1000 containers deep"):
        _C.check_tree_text("[" * 100_000)
    with pytest.raises(ValueError, match="more than 100 levels of data"):
        _C.check_tree_text("{" + "(" * 100_000)
    with pytest.raises(ValueError, match="expected plain data"):
        _C.check_tree_text("{" + "1" * 100_000)


def test_a_class_of_a_module_that_is_not_imported_is_told():
    text = 'dataclass "not_there.model:Pair"(left=*)'

    assert _C.check_tree_text(text) == 1
    with pytest.raises(ImportError) as error:
        _C.read_tree_text(text)
    assert str(error.value) == (
        "the structure of the program's call has the class Pair of the module not_there.model, "
        "which is not imported; import not_there.model before the program is called"
    )
    assert "not_there" not in sys.modules


def test_a_class_that_a_module_does_not_have_is_told():
    with pytest.raises(ImportError) as error:
        _C.read_tree_text(f'dataclass "{HERE}:Gone"(left=*)')
    assert str(error.value) == (
        f"the structure of the program's call has the class Gone of the module {HERE}, which has "
        "no such class; define it there before the program is called"
    )


@pytest.mark.parametrize(
    "text",
    [
        f'dataclass "{HERE}:Pair"(left=*)',
        f'dataclass "{HERE}:Point"(x=*, y=*)',
        f'namedtuple "{HERE}:Pair"(left=*, right=*)',
        f'namedtuple "{HERE}:Point"(y=*, x=*)',
        'dataclass "builtins:int"()',
    ],
)
def test_a_class_of_another_kind_or_with_other_fields_is_told(text):
    with pytest.raises(ImportError, match="which it is not any more; export the program again"):
        _C.read_tree_text(text)


def test_a_class_that_is_not_registered_is_told():
    with pytest.raises(ImportError) as error:
        _C.read_tree_text(f'registered "{HERE}:Outer"(*)')
    assert "which is not registered; call opwright.pytree.register_pytree_node" in str(error.value)


@pytest.mark.parametrize("place", ["os:system", "builtins:eval", f"{HERE}:HERE", "sys:modules"])
def test_what_is_no_class_is_not_found(place):
    with pytest.raises(ImportError, match="which has no such class"):
        _C.read_tree_text(f'dataclass "{place}"()')


def test_looking_up_a_class_runs_nothing():
    class Alarm(types.ModuleType):
        def __getattr__(self, name):
            raise AssertionError("code of the module ran")

    module = Alarm("alarmed")
    sys.modules["alarmed"] = module
    try:
        with pytest.raises(ImportError, match="which has no such class"):
            _C.read_tree_text('dataclass "alarmed:Pair.Inner"(left=*)')
    finally:
        del sys.modules["alarmed"]


def test_what_a_text_cannot_hold_is_shown_and_refused_when_it_is_used():
    spec = tree_structure({ow.float32: 1})

    text = _C.tree_text(spec)

    assert text == '{?"opwright.float32": *}'
    assert _C.check_tree_text(text) == 1
    with pytest.raises(TypeError, match=r"holds opwright.float32, which is not plain data"):
        _C.read_tree_text(text)


def test_a_factory_that_is_no_built_in_class_is_refused_when_it_is_used():
    text = _C.tree_text(tree_structure(collections.defaultdict(Outer, a=1)))

    assert _C.check_tree_text(text) == 1
    with pytest.raises(TypeError, match=r"a defaultdict of .*:Outer, which a file cannot hold"):
        _C.read_tree_text(text)


def test_mutated_texts_give_an_error_or_a_structure():
    trees = [
        {"a": (1, [2, None]), 3: Pair(1, Point(2, 3))},
        Box([1, 2], ("x", {"y": b"\0"})),
        collections.OrderedDict(a=collections.defaultdict(int, b=1)),
    ]
    texts = [_C.tree_text(tree_flatten(tree)[1]) for tree in trees]
    dice = random.Random(11)
    alphabet = '()[]{}*,:="?\\xb0123N one'
    read = 0
    for _ in range(20_000):
        text = list(dice.choice(texts))
        for _ in range(dice.randint(1, 4)):
            place = dice.randrange(len(text))
            text[place : place + dice.randint(0, 2)] = dice.choice(alphabet)
        try:
            _C.check_tree_text("".join(text))
            _C.read_tree_text("".join(text))
            read += 1
        except (ValueError, ImportError, TypeError) as error:
            assert str(error)  # noqa: PT017
    assert read > 0

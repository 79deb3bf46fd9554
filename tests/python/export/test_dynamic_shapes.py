"""Everything that can be said of sizes, and in which forms."""

import dataclasses

import opwright as ow
import pytest
from opwright.export import Dim, ShapesCollection, dims, export


@dataclasses.dataclass
class Pair:
    left: ow.Tensor
    right: ow.Tensor


def add(x, y):
    return x.sum() + y.sum()


def free_sizes(f, args, shapes, kwargs=None):
    """The sizes of the graph's inputs, as text."""
    program = export(f, args, kwargs, dynamic_shapes=shapes)
    return [str(list(node.meta["val"].shape)) for node in program.graph.inputs]


BATCH, LENGTH = dims("batch", "length")
ONES = (ow.ones(4, 3), ow.ones(4, 3))


@pytest.mark.parametrize(
    "shapes",
    [
        {"x": {0: BATCH}, "y": None},
        {"x": {0: BATCH}},
        {"x": [BATCH, None], "y": (None, None)},
        ({0: BATCH}, None),
        [(BATCH, 3), {}],
        ({0: BATCH, 1: Dim.STATIC}, {0: 4}),
        {"x": {-2: BATCH}},
    ],
)
def test_all_forms_say_the_same(shapes):
    assert free_sizes(add, ONES, shapes) == ["[batch, 3]", "[4, 3]"]


def test_a_dim_is_the_same_number_everywhere():
    shapes = {"x": {0: BATCH}, "y": {0: BATCH}}

    program = export(add, ONES, dynamic_shapes=shapes)

    assert program(ow.ones(2, 3), ow.ones(2, 3)).item() == 12.0
    with pytest.raises(ValueError, match="dimension 0 of the argument 'y' must be 2"):
        program(ow.ones(2, 3), ow.ones(5, 3))


def test_derived_dims_follow_their_root():
    def f(x, y, z):
        return ow.cat([x, x]) + y, z

    shapes = {"x": {0: BATCH}, "y": {0: 2 * BATCH}, "z": {0: BATCH * 3 + 1}}
    program = export(f, (ow.ones(4), ow.ones(8), ow.ones(13)), dynamic_shapes=shapes)

    assert program.range_constraints == {"batch": (1, None)}
    assert program(ow.ones(5), ow.ones(10), ow.ones(16))[0].shape == (10,)
    with pytest.raises(ValueError, match=r"dimension 0 of the argument 'z' must be 16 .*got 15"):
        program(ow.ones(5), ow.ones(10), ow.ones(15))


def test_a_dim_less_one_starts_at_two():
    shapes = {"x": {0: BATCH}, "y": {0: BATCH - 1}}

    program = export(lambda x, y: x[1:] + y, (ow.ones(5), ow.ones(4)), dynamic_shapes=shapes)

    assert program.range_constraints == {"batch": (2, None)}
    assert program(ow.ones(9), ow.ones(8)).shape == (8,)


def test_the_offset_of_a_dim_may_be_the_least_int():
    dim = Dim("n") + -(2**63)
    assert repr(dim) == f"n - {2**63}"
    with pytest.raises(ValueError, match=f"is 3, which does not equal n - {2**63}"):
        export(lambda x: x + 1, (ow.ones(3),), dynamic_shapes={"x": {0: dim}})


def test_nested_arguments_take_nested_shapes():
    def f(batch, pair):
        return batch["x"].sum() + batch["rest"][1].sum() + pair.left.sum() + pair.right.sum()

    args = ({"x": ow.ones(4), "rest": [ow.ones(5), ow.ones(6)]}, Pair(ow.ones(7), ow.ones(8)))
    a, b, c = dims("a", "b", "c")

    by_name = {"batch": {"x": {0: a}, "rest": [None, {0: b}]}, "pair": {"right": {0: c}}}
    by_place = [{"x": [a], "rest": (None, [b])}, Pair(None, [c])]

    expected = ["[a]", "[5]", "[b]", "[7]", "[c]"]
    assert free_sizes(f, args, by_name) == expected
    assert free_sizes(f, args, by_place) == expected


def test_keyword_arguments_have_shapes_too():
    shapes = {"x": None, "y": {0: BATCH}}

    assert free_sizes(add, ONES[:1], shapes, {"y": ONES[1]}) == ["[4, 3]", "[batch, 3]"]


@pytest.mark.parametrize(
    "shapes",
    [
        {"xs": ({0: BATCH}, None)},
        {"xs[0]": [BATCH, None]},
        ({0: BATCH}, None),
        (({0: BATCH}, None),),
    ],
)
def test_arguments_of_a_star_are_listed_together_or_one_by_one(shapes):
    assert free_sizes(lambda *xs: xs[0] * 2, ONES, shapes) == ["[batch, 3]", "[4, 3]"]


@pytest.mark.parametrize("shapes", [{"z": {0: BATCH}}, {"rest": {"z": {0: BATCH}}}])
def test_arguments_of_two_stars_are_listed_together_or_one_by_one(shapes):
    def f(x, **rest):
        return x.sum() + rest["z"].sum()

    assert free_sizes(f, ONES[:1], shapes, {"z": ONES[1]}) == ["[4, 3]", "[batch, 3]"]


def test_a_module_is_asked_by_the_names_of_its_forward():
    program = export(ow.nn.Linear(3, 2), ONES[:1], dynamic_shapes={"input": {0: BATCH}})

    assert program(ow.ones(9, 3)).shape == (9, 2)


def test_auto_takes_what_the_function_admits():
    def f(x, w):
        return x @ w

    shapes = {"x": {0: Dim.AUTO, 1: Dim.AUTO}, "w": None}
    program = export(f, (ow.ones(4, 3), ow.ones(3, 2)), dynamic_shapes=shapes)

    assert program(ow.ones(7, 3), ow.ones(3, 2)).shape == (7, 2)
    with pytest.raises(ValueError, match="dimension 1 of the argument 'x'"):
        program(ow.ones(7, 4), ow.ones(3, 2))


def test_dynamic_takes_conditions_as_they_are():
    shapes = [{0: Dim.DYNAMIC}]
    program = export(lambda x: x.view(-1, 4), (ow.ones(8),), dynamic_shapes=shapes)

    assert program(ow.ones(12)).shape == (3, 4)
    assert [guard.text for guard in program.guards] == ["s0 % 4 == 0"]
    with pytest.raises(ValueError, match="s0 % 4 == 0"):
        program(ow.ones(13))


def test_dynamic_and_auto_may_have_bounds():
    shapes = [{0: Dim.DYNAMIC(min=2, max=9)}, {0: Dim.AUTO(max=5)}]

    program = export(add, ONES, dynamic_shapes=shapes)

    assert program.range_constraints == {"s0": (2, 9), "s1": (1, 5)}
    with pytest.raises(ValueError, match="2 <= s0 <= 9, but is run with s0 = 10"):
        program(ow.ones(10, 3), ow.ones(4, 3))


def test_static_stays_as_it_is():
    assert free_sizes(add, ONES, {"x": {0: Dim.STATIC}}) == ["[4, 3]", "[4, 3]"]


def test_a_collection_says_it_by_tensor():
    x = ow.ones(4)
    shapes = ShapesCollection()
    shapes[x] = {0: BATCH}

    assert free_sizes(lambda d: d["a"]["x"] + 1, ({"a": {"x": x}},), shapes) == ["[batch]"]
    assert len(shapes) == 1
    assert shapes[x] == {0: BATCH}


def test_a_collection_with_a_stranger_is_refused():
    shapes = ShapesCollection()
    shapes[ow.ones(4)] = {0: BATCH}

    with pytest.raises(ValueError, match="a tensor of 1 dimension, which is not an argument"):
        export(lambda x: x, (ow.ones(4),), dynamic_shapes=shapes)


def test_dims_are_values():
    assert Dim("a", min=2) == Dim("a", min=2)
    assert Dim("a") != Dim("a", max=3)
    assert hash(2 * Dim("a")) == hash(2 * Dim("a"))
    assert repr(Dim("a", min=2, max=8)) == 'Dim("a", min=2, max=8)'
    assert repr(3 * Dim("a") - 1) == "3*a - 1"
    assert str(Dim("a", min=2)) == "a"
    assert repr(Dim.AUTO(min=3)) == "Dim.AUTO(min=3)"
    assert (Dim("a", min=2, max=8).name, Dim("a", min=2, max=8).min, Dim("a").max) == (
        "a",
        2,
        None,
    )


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: Dim("a b"), "Dim: the name must be one that Python admits, got 'a b'"),
        (lambda: Dim("a", min=-1), "Dim: 'a' cannot be negative, got min=-1"),
        (lambda: Dim("a", min=5, max=2), "Dim: 'a' has max=2, which is less than min=5"),
        (lambda: 0 * Dim("a"), "Dim: the factor of a must be at least 1, got 0"),
        (
            lambda: Dim.AUTO + 1,
            "Dim: arithmetic needs a dimension with a name, got Dim.AUTO",
        ),
    ],
)
def test_a_dim_that_cannot_be_is_refused(make, text):
    with pytest.raises(ValueError, match=":") as error:
        make()
    assert str(error.value) == text


@pytest.mark.parametrize(
    ("shapes", "text"),
    [
        ({"z": {0: BATCH}}, "dynamic_shapes: there is no argument 'z'; the call has x, y"),
        (({0: BATCH},), "dynamic_shapes: the call has 2 arguments (x, y), got 1 entry"),
        (
            BATCH,
            "dynamic_shapes: give a dict by the names of the arguments (x, y), or one entry for "
            'each, got Dim("batch")',
        ),
        (
            {"x": BATCH},
            "dynamic_shapes: 'x' is a tensor of 2 dimensions; give a dict such as {0: batch}, a "
            'list with an entry for each dimension, or None, got Dim("batch")',
        ),
        ({"x": [BATCH]}, "dynamic_shapes: 'x' has 2 dimensions, got 1 entry"),
        (
            {"x": {2: BATCH}},
            "export: 'x': dimension 2 is out of range for a tensor of 2 dimensions",
        ),
        (
            {"x": {"0": BATCH}},
            "dynamic_shapes: the keys of 'x' are numbers of its dimensions, got '0'",
        ),
        (
            {"x": {0: "batch"}},
            "dynamic_shapes: dimension 0 of 'x' must be a Dim, its size or None, got 'batch'",
        ),
        (
            {"x": {0: 5}},
            "dynamic_shapes: dimension 0 of 'x' is said to be 5, the example has 4",
        ),
        (
            {"x": {0: BATCH, 1: BATCH}},
            "export: the dimension 'batch' is 4 in dimension 0 of 'x' and 3 in dimension 1 of 'x'; "
            "give the two different names, or examples of one size",
        ),
        (
            {"x": {0: Dim("batch", max=9)}, "y": {0: BATCH}},
            'export: batch = Dim("batch", max=9) in dimension 0 of \'x\' and batch = Dim("batch") '
            "in dimension 0 of 'y' have one name and other bounds",
        ),
        (
            {"x": {0: Dim("batch", max=3)}},
            "export: the example has 4 for batch = Dim(\"batch\", max=3) in dimension 0 of 'x'",
        ),
        (
            {"x": {0: 2 * BATCH + 1}},
            "export: dimension 0 of 'x' is 4, which does not equal 2*batch + 1",
        ),
    ],
)
def test_what_does_not_fit_is_told_with_its_place(shapes, text):
    with pytest.raises((TypeError, ValueError, IndexError)) as error:
        export(add, ONES, dynamic_shapes=shapes)
    assert str(error.value) == text


@pytest.mark.parametrize(
    ("shapes", "text"),
    [
        (
            {"batch": {"z": None}},
            "dynamic_shapes: 'batch' has no 'z'; it has 'x', 'rest'",
        ),
        (
            {"batch": [None, None]},
            "dynamic_shapes: 'batch' is a dict of 2; give a dict with its keys, or None, "
            "got [None, None]",
        ),
        (
            {"batch": {"rest": [None]}},
            "dynamic_shapes: 'batch[\"rest\"]' is a list of 2, got 1 entry",
        ),
        (
            {"batch": {"rest": {0: BATCH}}},
            "dynamic_shapes: 'batch[\"rest\"]' is a list of 2; give an entry for each, or None, "
            'got {0: Dim("batch")}',
        ),
        (
            {"batch": {"rest": [BATCH, None]}},
            "dynamic_shapes: 'batch[\"rest\"][0]' is a tensor of 1 dimension; give a dict such as "
            '{0: batch}, a list with an entry for each dimension, or None, got Dim("batch")',
        ),
        (
            {"factor": {0: BATCH}},
            "dynamic_shapes: 'factor' is a float, which has no sizes; give None, "
            'got {0: Dim("batch")}',
        ),
        (
            {"count": {0: BATCH}},
            "dynamic_shapes: 'count' is an int; give a Dim such as Dim.DYNAMIC, or None, "
            'got {0: Dim("batch")}',
        ),
    ],
)
def test_what_does_not_fit_inside_is_told_with_its_place(shapes, text):
    def f(batch, factor, count):
        return batch["x"] * factor

    args = ({"x": ow.ones(4), "rest": [ow.ones(5), ow.ones(6)]}, 2.0, 3)
    with pytest.raises((TypeError, ValueError)) as error:
        export(f, args, dynamic_shapes=shapes)
    assert str(error.value) == text


@pytest.mark.parametrize(
    ("f", "results"),
    [
        (lambda count: ow.isin(count, ow.tensor(0)), [True, False, False]),
        (lambda count: ow.add(ow.tensor(5), count), [5, 6, 12]),
    ],
)
def test_a_dynamic_int_stays_dynamic_where_it_meets_constants(f, results):
    program = export(f, (0,), dynamic_shapes=(Dim.DYNAMIC,))

    assert [program(count).item() for count in (0, 1, 7)] == results


@pytest.mark.parametrize("kind", [TypeError, ValueError, RuntimeError])
@pytest.mark.parametrize(
    ("args", "shapes"),
    [(ow.ones(4), None), ((ow.ones(4),), {"x": BATCH}), ((ow.ones(4),), {"x": {0: "batch"}})],
)
def test_a_wrong_structure_is_an_error_of_each_class_that_callers_catch(args, shapes, kind):
    with pytest.raises(kind, match=r"(export|dynamic_shapes): "):
        export(lambda x: x + 1, args, dynamic_shapes=shapes)

"""Sizes that the function does not support: which, the line that required it, and the fix."""

import re

import opwright as ow
import pytest
from opwright.export import Dim, dims, export

BATCH, LENGTH = dims("batch", "length")


def refusal(f, args, shapes):
    """The text of the error."""
    with pytest.raises(ValueError, match=":") as error:
        export(f, args, dynamic_shapes=shapes)
    return str(error.value)


def pasted(text, **names):
    """The names that the suggested lines define."""
    _, lines = text.split("\nUse instead:\n")
    names.update(Dim=Dim)
    exec("\n".join(line.strip() for line in lines.splitlines()), names)
    return names


def test_a_fixed_size_names_the_dimension_the_line_and_the_fix(here):
    def f(x):
        return x @ ow.ones(4, 2)  # the product

    text = refusal(f, (ow.ones(5, 4),), {"x": {0: BATCH, 1: LENGTH}})

    first, *rest = text.splitlines()
    assert first == "export: the function does not accept all sizes that dynamic_shapes declares"
    assert rest[0] == "  dimension 1 of 'x' is length, but the function fixes it to 4:"
    assert f"length == 4, required at {here('the product')}" in rest[1]
    assert rest[2:] == ["Use instead:", "  length = 4"]
    fixed = pasted(text)["length"]
    program = export(f, (ow.ones(5, 4),), dynamic_shapes={"x": {0: BATCH, 1: fixed}})
    assert program(ow.ones(9, 4)).shape == (9, 2)


def test_two_dims_that_must_be_equal_are_told(here):
    def f(x, y):
        return x + y  # the sum

    args = (ow.ones(5), ow.ones(5))
    text = refusal(f, args, {"x": {0: BATCH}, "y": {0: LENGTH}})

    assert "  dimension 0 of 'y' is length, but length must be batch:" in text
    assert here("the sum") in text
    names = pasted(text, batch=BATCH)
    program = export(f, args, dynamic_shapes={"x": {0: BATCH}, "y": {0: names["length"]}})
    assert program(ow.ones(8), ow.ones(8)).shape == (8,)


@pytest.mark.parametrize("kind", [Dim.AUTO, Dim.DYNAMIC])
@pytest.mark.parametrize("named_first", [True, False])
def test_a_size_without_a_name_follows_the_dim_that_it_equals(kind, named_first):
    named = Dim("named", max=8)
    sizes = (named, kind) if named_first else (kind, named)
    shapes = tuple({0: size} for size in sizes)

    program = export(lambda x, y: x + y, (ow.ones(4), ow.ones(4)), dynamic_shapes=shapes)

    assert program(ow.ones(8), ow.ones(8)).shape == (8,)
    with pytest.raises(ValueError, match=r"but is run with .* = 9"):
        program(ow.ones(9), ow.ones(9))


def test_a_size_without_a_name_follows_a_dim_at_a_distance():
    program = export(
        lambda x, y: x + y[1:],
        (ow.ones(4), ow.ones(5)),
        dynamic_shapes=({0: Dim.AUTO}, {0: LENGTH}),
    )

    assert program(ow.ones(7), ow.ones(8)).shape == (7,)
    with pytest.raises(ValueError, match=r"length == s0 \+ 1"):
        program(ow.ones(7), ow.ones(7))


def test_a_dim_wider_than_the_size_without_a_name_is_told():
    shapes = {"x": {0: Dim.AUTO(max=5)}, "y": {0: Dim("wide", max=8)}}

    text = refusal(lambda x, y: x + y, (ow.ones(4), ow.ones(4)), shapes)

    assert text.endswith('\nUse instead:\n  wide = Dim("wide", max=5)')


def test_two_dims_that_equal_one_size_without_a_name_are_told():
    shapes = {"x": {0: Dim.AUTO}, "y": {0: BATCH}, "z": {0: LENGTH}}

    text = refusal(lambda x, y, z: x + y + z, (ow.ones(5), ow.ones(5), ow.ones(5)), shapes)

    assert "dimension 0 of 'y' is batch, but batch must be s0:" in text
    assert "dimension 0 of 'z' is length, but length must be s0:" in text


def test_a_dim_that_is_derived_is_told():
    def f(x, y):
        return ow.cat([x, x]) + y

    args = (ow.ones(5), ow.ones(10))
    text = refusal(f, args, {"x": {0: BATCH}, "y": {0: LENGTH}})

    assert text.endswith("\nUse instead:\n  length = 2*batch")
    names = pasted(text, batch=BATCH)
    program = export(f, args, dynamic_shapes={"x": {0: BATCH}, "y": {0: names["length"]}})
    assert program(ow.ones(8), ow.ones(16)).shape == (16,)


@pytest.mark.parametrize("shapes", [{"x": {0: BATCH}}, {"x": {0: Dim.DYNAMIC}}])
def test_a_size_that_no_dim_can_say_becomes_dynamic(shapes):
    def f(x, y):
        return x[::2] + y

    args = (ow.ones(9), ow.ones(5))
    text = refusal(f, args, {**shapes, "y": {0: LENGTH}})

    assert text.endswith("\nUse instead:\n  length = Dim.DYNAMIC")
    program = export(f, args, dynamic_shapes={**shapes, "y": {0: pasted(text)["length"]}})
    assert program(ow.ones(7), ow.ones(4)).shape == (4,)
    with pytest.raises(ValueError, match="dimension 0 of the argument 'y'"):
        program(ow.ones(7), ow.ones(5))


def test_a_product_of_dims_becomes_dynamic():
    def f(x, y):
        return x.flatten() + y

    args = (ow.ones(3, 4), ow.ones(12))
    shapes = {"x": {0: BATCH, 1: LENGTH}, "y": {0: Dim("area")}}
    text = refusal(f, args, shapes)

    assert "dimension 0 of 'y' is area, but area must be batch*length:" in text
    shapes["y"][0] = pasted(text)["area"]
    assert export(f, args, dynamic_shapes=shapes)(ow.ones(5, 6), ow.ones(30)).shape == (30,)


def test_a_narrower_range_is_told_with_its_bounds(here):
    def f(x):
        return x + 1 if x.shape[0] > 3 else x - 1  # the branch

    text = refusal(f, (ow.ones(8),), {"x": {0: Dim("batch", min=2, max=64)}})

    assert "dimension 0 of 'x' is batch, but the function takes batch from 4 only:" in text
    assert here("the branch") in text
    assert text.endswith('\n  batch = Dim("batch", min=4, max=64)')
    batch = pasted(text)["batch"]
    program = export(f, (ow.ones(8),), dynamic_shapes={"x": {0: batch}})
    assert program.range_constraints == {"batch": (4, 64)}


def test_bounds_that_were_not_demanded_are_narrowed_without_a_word():
    def f(x):
        return x + 1 if x.shape[0] > 3 else x - 1

    program = export(f, (ow.ones(8),), dynamic_shapes={"x": {0: BATCH}})

    assert program.range_constraints == {"batch": (4, None)}
    with pytest.raises(ValueError, match=r"exported under batch >= 4, required at .*, but is run"):
        program(ow.ones(3))


def test_a_multiple_is_told_with_a_derived_dim():
    def f(x):
        return x.view(-1, 4)

    text = refusal(f, (ow.ones(8),), {"x": {0: BATCH}})

    assert "dimension 0 of 'x' is batch, but the function needs batch % 4 == 0:" in text
    batch = pasted(text.replace("; ", "\n"))["batch"]
    program = export(f, (ow.ones(8),), dynamic_shapes={"x": {0: batch}})
    assert program(ow.ones(20)).shape == (5, 4)


def test_a_dynamic_dimension_that_is_fixed_has_a_fix_that_can_be_pasted():
    def f(batch):
        return batch["x"] @ ow.ones(4, 2)

    shapes = {"batch": {"x": {0: Dim.DYNAMIC, 1: Dim.DYNAMIC}}}
    text = refusal(f, ({"x": ow.ones(5, 4)},), shapes)

    assert "  dimension 1 of 'batch[\"x\"]' is Dim.DYNAMIC, but the function fixes it to 4:" in text
    assert text.endswith('\n  dynamic_shapes["batch"]["x"][1] = 4')
    pasted(text, dynamic_shapes=shapes)
    program = export(f, ({"x": ow.ones(5, 4)},), dynamic_shapes=shapes)
    assert program({"x": ow.ones(9, 4)}).shape == (9, 2)


def test_all_that_is_wrong_is_told_at_once():
    def f(x, y):
        return x.view(4, 5) @ y

    shapes = {"x": {0: BATCH}, "y": {0: LENGTH}}
    text = refusal(f, (ow.ones(20), ow.ones(5, 2)), shapes)

    assert re.findall(r"^  (\w+) = (\d+)$", text, re.MULTILINE) == [
        ("batch", "20"),
        ("length", "5"),
    ]


def test_a_question_to_an_unbacked_size_names_the_line(here):
    def f(x):
        return x.nonzero().shape[0] > 3 and x  # the question

    with pytest.raises(RuntimeError, match="u0") as error:
        export(f, (ow.ones(5),))
    assert here("the question") in str(error.value)


def test_an_unbacked_size_is_checked_when_the_program_runs(here):
    def f(x):
        found = x.nonzero()
        ow.check(found.shape[0] <= 3, "at most three peaks")  # the check
        return found

    program = export(f, (ow.tensor([0.0, 1.0, 1.0]),), dynamic_shapes=[{0: BATCH}])

    assert program(ow.tensor([1.0, 0.0, 1.0, 1.0])).shape == (3, 1)
    with pytest.raises(ValueError, match="at most three peaks") as error:
        program(ow.ones(4))
    assert here("the check") in str(error.value)
    assert [each.text for each in program.graph.shape_env.runtime_asserts] == ["u0 <= 3"]


def test_sizes_that_depend_on_data_flow_on():
    def f(x):
        chosen = x[x > 0]
        return ow.cat([chosen, chosen]) * 2

    program = export(f, (ow.tensor([1.0, -1.0, 2.0]),), dynamic_shapes=[{0: BATCH}])

    for x in (ow.randn(7), ow.zeros(3), ow.ones(1)):
        assert ow.equal(program(x), f(x))


def test_an_example_of_one_stays_free_where_nothing_broadcasts():
    program = export(lambda x: x.sin(), (ow.ones(1, 3),), dynamic_shapes=[{0: BATCH}])

    assert program(ow.ones(6, 3)).shape == (6, 3)

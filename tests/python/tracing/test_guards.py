"""Control flow on sizes becomes guards of the graph."""

import opwright as ow
import pytest
from opwright import make_fx


def test_a_branch_on_a_size_is_a_guard(here):
    def f(x):
        if x.shape[0] > 4:  # branch
            return x * 2
        return x

    traced = make_fx(f, tracing_mode="symbolic")(ow.ones(6))

    assert ow.equal(traced(ow.ones(9)), ow.full([9], 2.0))
    with pytest.raises(ValueError, match="dimension 0 of input 'x'") as error:
        traced(ow.ones(3))
    assert here("branch") in str(error.value)


def test_guards_are_listed_with_their_lines(here):
    def f(x):
        if x.shape[0] > 4:  # listed
            return x * 2
        return x

    traced = make_fx(f, tracing_mode="symbolic")(ow.ones(6))

    (guard,) = traced.graph.guards
    assert "s0 >= 5" in str(guard) or "s0 > 4" in str(guard)
    assert here("listed") in str(guard)


def test_a_size_that_becomes_an_int_is_fixed(here):
    def f(x):
        return x * int(x.shape[0])  # fixed

    traced = make_fx(f, tracing_mode="symbolic")(ow.ones(6))

    with pytest.raises(ValueError, match=here("fixed")):
        traced(ow.ones(7))


def test_equal_sizes_are_one_symbol():
    traced = make_fx(lambda x, y: x + y, tracing_mode="symbolic")(ow.ones(6), ow.ones(6))

    assert ow.equal(traced(ow.ones(8), ow.ones(8)), ow.full([8], 2.0))
    with pytest.raises(ValueError, match="input 'y'"):
        traced(ow.ones(8), ow.ones(9))


def test_sizes_of_zero_and_one_stay_as_they_are():
    traced = make_fx(lambda x: x + 1, tracing_mode="symbolic")(ow.ones(1, 3))

    with pytest.raises(ValueError, match="dimension 0 of input 'x'"):
        traced(ow.ones(2, 3))


def test_divisibility_is_learned():
    def f(x):
        return x.reshape(x.shape[0] // 2, 2)

    traced = make_fx(f, tracing_mode="symbolic")(ow.arange(6))

    assert ow.equal(traced(ow.arange(8)), ow.arange(8).reshape(4, 2))
    with pytest.raises(ValueError, match="dimension 0 of input 'x'"):
        traced(ow.arange(7))


def test_another_dtype_is_refused():
    traced = make_fx(lambda x: x + 1, tracing_mode="symbolic")(ow.ones(3))

    with pytest.raises(TypeError) as error:
        traced(ow.ones(3, dtype=ow.float64))
    assert "input 'x'" in str(error.value)
    assert "float64" in str(error.value)


def test_another_number_of_dimensions_is_refused():
    traced = make_fx(lambda x: x + 1, tracing_mode="symbolic")(ow.ones(3))

    with pytest.raises(TypeError) as error:
        traced(ow.ones(3, 3))
    assert "input 'x'" in str(error.value)


def test_unbacked_sizes_run(nonzero):
    traced = make_fx(nonzero, tracing_mode="symbolic")(ow.tensor([0, 1, 2]))

    x = ow.tensor([0, 1, 0, 3, 4])
    assert ow.equal(traced(x), ow.nonzero(x))


def test_a_branch_on_an_unbacked_size_names_the_line_and_the_ways_out(nonzero, here):
    def f(x):
        found = nonzero(x)
        if found.shape[0] > 2:  # unknown
            return found
        return found + 1

    with pytest.raises(RuntimeError) as error:
        make_fx(f, tracing_mode="symbolic")(ow.tensor([0, 1, 2]))

    assert here("unknown") in str(error.value)
    assert "check_size" in str(error.value)


def test_check_size_bounds_an_unbacked_size(nonzero):
    def f(x):
        found = nonzero(x)
        ow.check_size(found.shape[0], min=3)
        if found.shape[0] > 2:
            return found
        return found + 1

    traced = make_fx(f, tracing_mode="symbolic")(ow.tensor([5, 1, 2]))

    x = ow.tensor([0, 1, 2, 3])
    assert ow.equal(traced(x), ow.nonzero(x))
    with pytest.raises(ValueError, match="u0 >= 3"):
        traced(ow.tensor([0, 0, 2]))


def test_item_of_an_int_is_a_symbol():
    def f(x, n):
        return x.new_zeros([n.item()])

    traced = make_fx(f, tracing_mode="symbolic")(ow.ones(3), ow.tensor(4))

    assert tuple(traced(ow.ones(3), ow.tensor(6)).shape) == (6,)

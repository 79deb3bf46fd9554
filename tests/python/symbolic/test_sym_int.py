"""SymInt and SymBool as Python sees them."""

import copy
import math
import pickle

import opwright as ow
import pytest
from opwright import ShapeEnv, SymBool, SymInt


@pytest.fixture
def env() -> ShapeEnv:
    return ShapeEnv()


@pytest.fixture
def n(env) -> SymInt:
    return env.make_size(8, "x.size(0)")


def texts(env: ShapeEnv) -> list[str]:
    return [guard.text for guard in env.guards]


# ---- Arithmetic ----


@pytest.mark.parametrize(
    ("compute", "text", "hint"),
    [
        (lambda n: n + 1, "s0 + 1", 9),
        (lambda n: 1 + n, "s0 + 1", 9),
        (lambda n: n - 3, "s0 - 3", 5),
        (lambda n: 3 - n, "3 - s0", -5),
        (lambda n: 2 * n, "2*s0", 16),
        (lambda n: n * n, "s0*s0", 64),
        (lambda n: n // 3, "s0//3", 2),
        (lambda n: n % 3, "s0 % 3", 2),
        (lambda n: -n, "-s0", -8),
        (lambda n: +n, "s0", 8),
        (lambda n: abs(n), "s0", 8),
        (lambda n: n**2, "s0*s0", 64),
        (lambda n: ow.sym_max(n, 9), "max(s0, 9)", 9),
        (lambda n: ow.sym_min(9, n), "min(s0, 9)", 8),
        (math.floor, "s0", 8),
        (math.ceil, "s0", 8),
        (math.trunc, "s0", 8),
        (round, "s0", 8),
    ],
)
def test_arithmetic_stays_symbolic(env, n, compute, text, hint):
    result = compute(n)

    assert (type(result), str(result), result.hint) == (SymInt, text, hint)
    assert texts(env) == []


def test_what_cancels_is_a_plain_int(n):
    assert (n - n, n * 0, n // n, n**0) == (0, 0, 1, 1)
    assert type(n - n) is int


def test_divmod_gives_both_parts(n):
    assert [str(part) for part in divmod(n, 3)] == ["s0//3", "s0 % 3"]


def test_numpy_ints_are_ints(n):
    import numpy as np

    assert str(n + np.int64(2)) == "s0 + 2"


@pytest.mark.parametrize(
    ("compute", "value"),
    [
        (lambda n: n / 2, 4.0),
        (lambda n: 2 / n, 0.25),
        (lambda n: n * 0.5, 4.0),
        (lambda n: 2**n, 256),
        (lambda n: n**-1, 0.125),
        (float, 8.0),
        (complex, 8 + 0j),
        (int, 8),
    ],
)
def test_what_needs_the_number_fixes_the_symbol_with_the_line(env, n, here, compute, value):
    result = compute(n)

    assert (result, type(result)) == (value, type(value))
    assert texts(env) == ["s0 == 8"]
    assert env.guards[0].line.startswith(__file__)


def test_text_is_no_number(n):
    with pytest.raises(TypeError, match="unsupported operand"):
        n + "1"


def test_symbols_of_two_environments_do_not_mix(n):
    with pytest.raises(ValueError, match="symbolic ints of two environments in one expression"):
        n + ShapeEnv().make_size(5, "y.size(0)")


def test_division_by_zero_is_one(n):
    with pytest.raises(ZeroDivisionError):
        n // 0


# ---- Where Python wants an int ----


def test_a_symbol_is_no_int(n):
    assert not isinstance(n, int)
    assert (ow.is_symbolic(n), ow.is_symbolic(n > 5), ow.is_symbolic(8)) == (True, True, False)


def test_range_and_lists_fix_it(env, n):
    assert list(range(n)) == list(range(8))
    assert list(range(20))[n] == 8
    assert "abcdefghijk"[:n] == "abcdefgh"
    assert texts(env) == ["s0 == 8"]


def test_a_symbol_formats_as_its_text(env, n):
    assert f"{n} {2 * n:>6} {n!r}" == "s0   2*s0 s0"
    assert texts(env) == []


def test_equal_expressions_are_one_key(env, n):
    seen = {n: "size", n + 1: "next"}

    assert (seen[n], seen[1 + n], hash(n + 1) == hash(1 + n)) == ("size", "next", True)
    assert texts(env) == []


def test_a_copy_is_the_symbol_itself(n):
    assert copy.copy(n) is n
    assert copy.deepcopy([n])[0] is n


def test_a_symbol_cannot_be_pickled(n):
    with pytest.raises(TypeError) as failure:
        pickle.dumps(n)

    assert str(failure.value) == (
        "the symbol s0 cannot be pickled: it belongs to the trace that made it; int(n) is its value"
    )


def test_a_symbol_outlives_its_environment():
    n = ShapeEnv().make_size(8, "x.size(0)")

    assert str(2 * n) == "2*s0"


def test_a_symbol_cannot_be_made_by_hand():
    with pytest.raises(TypeError, match=r"cannot create 'opwright.SymInt' instances"):
        SymInt()


# ---- Conditions ----


def test_control_flow_on_a_comparison_is_a_guard_with_its_line(env, n, here):
    taken = "large" if n > 4 else "small"  # asked

    assert taken == "large"
    assert (texts(env), env.guards[0].line) == (["s0 >= 5"], here("asked"))
    assert repr(env.guards[0]) == f"s0 >= 5  # {here('asked')}"


def test_a_guard_of_the_other_answer_is_negated(env, n):
    assert not n > 10
    assert texts(env) == ["s0 <= 10"]


def test_a_comparison_alone_is_none(env, n):
    assert isinstance(n == 8, SymBool)
    assert [str(c) for c in (n < 4, n <= 4, n > 4, n >= 4, n == 4, n != 4)] == [
        "s0 <= 3",
        "s0 <= 4",
        "s0 >= 5",
        "s0 >= 4",
        "s0 == 4",
        "s0 != 4",
    ]
    assert texts(env) == []


def test_what_the_facts_decide_is_a_plain_bool_or_no_guard(env, n):
    assert (n == n) is True
    assert n > 1
    assert texts(env) == []


def test_the_same_question_is_asked_once(env, n):
    for _ in range(3):
        assert n > 4
    assert texts(env) == ["s0 >= 5"]


def test_truth_of_a_size_is_whether_it_is_zero(env):
    n = env.make_backed(3, min=0, source="n")

    assert n
    assert texts(env) == ["s0 != 0"] or texts(env) == ["s0 >= 1"]


@pytest.mark.parametrize(
    ("compare", "text"),
    [
        (lambda n: n < 5.5, "s0 <= 5"),
        (lambda n: n >= 5.5, "s0 >= 6"),
        (lambda n: n == 6.0, "s0 == 6"),
        (lambda n: n == 6.5, "False"),
        (lambda n: n != 6.5, "True"),
        (lambda n: n < float("inf"), "True"),
        (lambda n: n > float("nan"), "False"),
    ],
)
def test_a_float_is_compared_as_the_whole_numbers_around_it(n, compare, text):
    assert str(compare(n)) == text


def test_conditions_join_without_being_decided(env, n):
    m = env.make_size(5, "x.size(1)")

    assert str((n > 4) & (m > 4)) == "s0 >= 5 and s1 >= 5"
    assert str((n > 9) | (m > 9)) == "s0 >= 10 or s1 >= 10"
    assert str(~(n == 4)) == str(ow.sym_not(n == 4)) == "s0 != 4"
    assert ((n > 4) & False) is False
    assert texts(env) == []


def test_equality_with_none_is_false(n):
    assert (n == None, n != None) == (False, True)  # noqa: E711


# ---- Demands ----


def test_check_of_a_backed_symbol_is_a_guard(env, n):
    ow.check(n < 100)

    assert texts(env) == ["s0 <= 99"]


def test_a_check_that_fails_raises_its_message(n):
    with pytest.raises(ValueError, match=r"^at most 4 rows$"):
        ow.check(n <= 4, "at most 4 rows")
    with pytest.raises(ValueError, match=r"^check failed: s0 <= 3$"):
        ow.check(n < 4)
    with pytest.raises(ValueError, match=r"^check failed$"):
        ow.check(False)


def test_check_of_an_unbacked_symbol_waits_for_run_time(env, here):
    u = env.make_unbacked()

    ow.check(u % 2 == 0, lambda: "an even number of rows")  # demanded

    (demand,) = env.runtime_asserts
    assert (demand.text, demand.message) == ("u0 % 2 == 0", "an even number of rows")
    assert demand.line == here("demanded")
    assert u % 2 == 0


def test_check_size_bounds_an_unbacked_symbol(env):
    u = env.make_unbacked()

    ow.check_size(u, min=2, max=64)

    assert env.range(u) == (2, 64)
    assert u != 1
    assert [demand.message for demand in env.runtime_asserts] == [
        "the size u0 must be at least 2",
        "the size u0 must be at most 64",
    ]


def test_check_wants_a_condition():
    with pytest.raises(TypeError, match="check: expected a bool or a SymBool, got int"):
        ow.check(3)


def test_a_branch_on_an_unbacked_size_names_the_line_and_the_ways_out(env, here):
    u = env.make_unbacked()  # made

    with pytest.raises(RuntimeError) as failure:
        bool(u > 4)  # branch

    text = str(failure.value)
    assert text.startswith(
        f"cannot decide u0 >= 5 at {here('branch')}: u0 in [0, inf] (made at {here('made')}) is "
        "known only when the program runs"
    )
    for way in ("opwright.check_size", "opwright.check(", "sym_max", "guard_or_false"):
        assert way in text


def test_an_unbacked_size_has_no_number(env, here):
    u = env.make_unbacked()

    with pytest.raises(RuntimeError) as failure:
        range(u)  # counted

    assert str(failure.value).startswith(f"cannot fix u0 at {here('counted')}")


def test_guard_or_false_and_guard_or_true_answer_what_is_unknown(env):
    u = env.make_unbacked()

    assert (ow.guard_or_false(u == 1), ow.guard_or_true(u == 1)) == (False, True)
    assert env.guards == []


def test_a_shift_by_plain_bits_is_a_product_or_a_quotient():
    n = ow.ShapeEnv().make_size(8)

    assert [str(n << 2), str(n >> 1)] == ["4*s0", "s0//2"]
    assert (1 << n) == 256

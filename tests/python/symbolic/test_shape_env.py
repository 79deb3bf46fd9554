"""ShapeEnv as Python sees it."""

import opwright as ow
import pytest
from opwright import ShapeEnv


def test_equal_sizes_are_one_symbol_by_duck_shaping():
    env = ShapeEnv()

    assert env.make_size(8, "x.size(0)") is not None
    assert str(env.make_size(8, "y.size(0)")) == "s0"
    assert [(s.name, s.hint, s.source) for s in env.symbols] == [("s0", 8, "x.size(0)")]


def test_without_duck_shaping_each_size_is_its_own():
    env = ShapeEnv(duck_shaping=False)

    assert [str(env.make_size(8)) for _ in range(2)] == ["s0", "s1"]


def test_zero_and_one_stay_plain_unless_asked_otherwise():
    assert [ShapeEnv().make_size(size) for size in (0, 1)] == [0, 1]
    assert str(ShapeEnv(specialises_zero_one=False).make_size(1)) == "s0"


def test_a_backed_symbol_outside_of_its_range_is_refused():
    with pytest.raises(ValueError, match="3 is outside of its range"):
        ShapeEnv().make_backed(3, min=5)


def test_decide_asks_without_a_guard():
    env = ShapeEnv()
    n = env.make_size(8)

    assert (env.decide(n > 1), env.decide(n > 4), env.decide(n < 0)) == (True, None, False)
    assert env.guards == []


def test_guards_narrow_the_range():
    env = ShapeEnv()
    n = env.make_size(8)

    assert n > 4
    assert n < 100

    assert env.range(n) == (5, 99)
    assert env.range(2 * n + 1) == (11, 199)


def test_solve_gives_ranges_and_what_is_left():
    env = ShapeEnv()
    n, m = env.make_size(8, "x.size(0)"), env.make_size(16, "x.size(1)")

    assert m == 2 * n
    symbols, rest = env.solve()

    assert {s.name: str(s.equals) for s in symbols if s.equals is not None} in (
        {"s1": "2*s0"},
        {"s0": "s1//2"},
    )
    assert rest == []


def test_simplify_puts_in_what_was_learned():
    env = ShapeEnv()
    n, m = env.make_size(8), env.make_size(16)

    env.learn(m == 2 * n)

    assert str(env.simplify(m - n)) in ("s0", "s1//2")
    assert env.guards == []


def test_text_reads_back():
    env = ShapeEnv()
    n = env.make_size(8)

    assert hash(env.parse("2*s0 + 1")) == hash(2 * n + 1)
    assert isinstance(env.parse("s0 == 4"), ow.SymBool)
    with pytest.raises(ValueError, match="nobody"):
        env.parse("2*nobody")


def test_evaluate_computes_for_other_values():
    env = ShapeEnv()
    n = env.make_size(8)

    assert env.evaluate(n // 3 + 1, {"s0": 30}) == 11
    assert env.evaluate(n > 9, {"s0": 30}) == 1


def test_a_symbol_knows_its_environment():
    env = ShapeEnv()

    assert env.make_size(8).shape_env == env
    assert env != ShapeEnv()
    assert repr(env) == "<ShapeEnv of 1 symbols, 0 guards>"

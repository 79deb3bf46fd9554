"""Random expressions of symbols compute what Python computes of their values."""

import operator

import opwright as ow
from hypothesis import given, settings
from hypothesis import strategies as st
from opwright import ShapeEnv

OPERATIONS = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "//": operator.floordiv,
    "%": operator.mod,
    "max": ow.sym_max,
    "min": ow.sym_min,
}
COMPARISONS = [operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne]
LEAVES = st.one_of(st.sampled_from(["a", "b", "c"]), st.integers(-4, 9))
EXPRESSIONS = st.recursive(
    LEAVES, lambda inner: st.tuples(st.sampled_from([*OPERATIONS]), inner, inner), max_leaves=8
)


def compute(expression, values):
    if isinstance(expression, str):
        return values[expression]
    if isinstance(expression, int):
        return expression
    name, left, right = expression
    return OPERATIONS[name](compute(left, values), compute(right, values))


def is_defined(expression, values) -> bool:
    try:
        compute(expression, values)
    except ZeroDivisionError:
        return False
    return True


def hint_of(value):
    return value.hint if ow.is_symbolic(value) else value


SIZES = st.fixed_dictionaries({name: st.integers(2, 40) for name in "abc"})


@settings(max_examples=400, deadline=None)
@given(EXPRESSIONS, SIZES, SIZES)
def test_hints_and_other_values_are_pythons(expression, sizes, others):
    env = ShapeEnv(duck_shaping=False)
    symbols = {name: env.make_size(size, name) for name, size in sizes.items()}
    if not (is_defined(expression, sizes) and is_defined(expression, others)):
        return

    made = compute(expression, symbols)

    assert hint_of(made) == compute(expression, sizes)
    if ow.is_symbolic(made):
        given = {str(symbols[name]): others[name] for name in others}
        assert env.evaluate(made, given) == compute(expression, others)
        assert hash(env.parse(str(made))) == hash(made)
    assert env.guards == []


@settings(max_examples=200, deadline=None)
@given(EXPRESSIONS, EXPRESSIONS, st.sampled_from(COMPARISONS), SIZES)
def test_branches_go_as_pythons_do(left, right, compare, sizes):
    env = ShapeEnv(duck_shaping=False)
    symbols = {name: env.make_size(size, name) for name, size in sizes.items()}
    if not (is_defined(left, sizes) and is_defined(right, sizes)):
        return

    taken = bool(compare(compute(left, symbols), compute(right, symbols)))

    assert taken == compare(compute(left, sizes), compute(right, sizes))
    values = {str(symbols[name]): sizes[name] for name in sizes}
    assert all(env.evaluate(guard.condition, values) for guard in env.guards)

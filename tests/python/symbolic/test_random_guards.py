"""Graphs with random guards read back from their text as they were written."""

import operator
import os

import opwright as ow
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from opwright import make_fx

IS_LONG = os.environ.get("OPWRIGHT_ALL") == "1"

OPERATIONS = [operator.add, operator.sub, operator.mul, operator.floordiv, operator.mod]
COMPARISONS = [operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne]
LEAVES = st.one_of(st.sampled_from(["s0", "s1", "s2", "s3"]), st.integers(1, 8))
EXPRESSIONS = st.recursive(
    LEAVES, lambda inner: st.tuples(st.sampled_from(OPERATIONS), inner, inner), max_leaves=5
)
GUARDS = st.lists(
    st.tuples(st.sampled_from(COMPARISONS), EXPRESSIONS, EXPRESSIONS), min_size=1, max_size=6
)


def compute(expression, sizes):
    if isinstance(expression, str):
        return sizes[expression]
    if isinstance(expression, int):
        return expression
    operation, left, right = expression
    return operation(compute(left, sizes), compute(right, sizes))


@settings(max_examples=3_000 if IS_LONG else 400, deadline=None, derandomize=not IS_LONG)
@given(guards=GUARDS, hints=st.lists(st.integers(2, 12), min_size=4, max_size=4))
def test_ranges_and_equalities_that_follow_from_guards_read_back(guards, hints):
    def ask(x):
        sizes = dict(zip(("s0", "s1", "s2", "s3"), x.shape, strict=True))
        for compare, left, right in guards:
            bool(compare(compute(left, sizes), compute(right, sizes)))
        return x * 1

    try:
        graph = make_fx(ask, tracing_mode="symbolic")(ow.ones(*hints)).graph
    except (ZeroDivisionError, OverflowError):
        assume(False)

    assert str(ow.Graph.parse(str(graph))) == str(graph)

"""cond and while_loop."""
# Covers: src/transforms/control_flow/*.

import opwright as ow
import pytest
from opwright import cond, make_fx, while_loop

MODES = ["real", "fake", "symbolic"]


def choose(x):
    return cond(x.sum() > 0, lambda x: x.sin(), lambda x: x - 1, (x,))


def test_cond_calls_one_branch():
    assert ow.equal(choose(ow.ones(2)), ow.ones(2).sin())
    assert ow.equal(choose(-ow.ones(2)), -ow.ones(2) - 1)


@pytest.mark.parametrize("mode", MODES)
def test_cond_is_one_node_with_two_graphs(mode):
    traced = make_fx(choose, tracing_mode=mode)(ow.ones(2))

    assert ow.equal(traced(ow.ones(2)), choose(ow.ones(2)))
    assert ow.equal(traced(-ow.ones(2)), choose(-ow.ones(2)))
    assert "opwright::cond" in str(traced.graph)


def test_cond_runs_at_other_sizes():
    traced = make_fx(choose, tracing_mode="symbolic")(ow.ones(3))

    assert ow.equal(traced(-ow.ones(5)), choose(-ow.ones(5)))


def test_a_branch_may_close_over_traced_and_captured_tensors():
    weight = ow.full([3], 2.0)

    def f(x):
        y = x * 3
        return cond(x.sum() > 0, lambda: y + weight, lambda: weight * 1, ())

    traced = make_fx(f, tracing_mode="symbolic")(ow.ones(3))

    assert ow.equal(traced(ow.ones(3)), f(ow.ones(3)))
    assert ow.equal(traced(-ow.ones(3)), f(-ow.ones(3)))
    weight.fill_(7.0)
    assert ow.equal(traced(-ow.ones(3)), f(-ow.ones(3)))


@pytest.mark.parametrize("mode", MODES)
def test_a_branch_may_make_tensors_from_data(mode):
    def f(x):
        return cond(x.sum() > 0, lambda x: x + ow.tensor([1.0, 2.0]), lambda x: x - 1, (x,))

    traced = make_fx(f, tracing_mode=mode)(ow.ones(2))

    assert traced(ow.ones(2)).tolist() == [2.0, 3.0]
    assert traced(-ow.ones(2)).tolist() == [-2.0, -2.0]


def test_a_branch_may_use_sizes_of_the_function():
    def f(x, y):
        n = x.shape[0]
        return cond(y.sum() > 0, lambda y: y * n, lambda y: y + n, (y,))

    traced = make_fx(f, tracing_mode="symbolic")(ow.ones(3), ow.ones(5))

    assert ow.equal(traced(ow.ones(4), ow.ones(6)), f(ow.ones(4), ow.ones(6)))


def test_branches_nest():
    def f(x):
        return cond(
            x.sum() > 0,
            lambda x: cond(x.max() > 2, lambda x: x * 10, lambda x: x * 5, (x,)),
            lambda x: x * 0,
            (x,),
        )

    traced = make_fx(f, tracing_mode="symbolic")(ow.ones(3))

    for value in (1.0, 3.0, -1.0):
        assert ow.equal(traced(ow.full([4], value)), f(ow.full([4], value)))


def test_branches_of_different_results_are_refused():
    def f(x):
        return cond(x.sum() > 0, lambda x: x, lambda x: x.sum(), (x,))

    with pytest.raises(ValueError, match="cond: result 0 of true_fn and false_fn must match"):
        make_fx(f, tracing_mode="symbolic")(ow.ones(3))


def test_a_branch_that_writes_its_operand_is_refused():
    def f(x):
        return cond(x.sum() > 0, lambda x: x.add_(1), lambda x: x * 2, (x,))

    with pytest.raises(RuntimeError) as error:
        make_fx(f, tracing_mode="symbolic")(ow.ones(3))
    assert "cond: true_fn writes to" in str(error.value)
    assert "Return the new value instead" in str(error.value)


def count_down(n, x):
    return while_loop(lambda n, x: n > 0, lambda n, x: (n - 1, x * 2), (n, x))


@pytest.mark.parametrize("mode", MODES)
def test_a_loop_closes_over_the_first_value_of_what_it_carries(mode):
    def grow(n, x):
        return while_loop(lambda n, y: n > 0, lambda n, y: (n - 1, y * 2 + x), (n, x))[1]

    traced = make_fx(grow, tracing_mode=mode)(ow.tensor(1), ow.ones(2))

    assert traced(ow.tensor(3), ow.ones(2)).tolist() == [15.0, 15.0]
    assert grow(ow.tensor(3), ow.ones(2)).tolist() == [15.0, 15.0]


def test_while_loop_runs():
    n, x = count_down(ow.tensor(3), ow.ones(2))

    assert n.item() == 0
    assert ow.equal(x, ow.full([2], 8.0))


@pytest.mark.parametrize("mode", MODES)
def test_while_loop_is_one_node(mode):
    traced = make_fx(count_down, tracing_mode=mode)(ow.tensor(3), ow.ones(2))

    for count in (0, 1, 5):
        for ours, expected in zip(
            traced(ow.tensor(count), ow.ones(2)),
            count_down(ow.tensor(count), ow.ones(2)),
            strict=True,
        ):
            assert ow.equal(ours, expected)


def test_a_loop_that_does_not_run_gives_new_tensors():
    traced = make_fx(count_down)(ow.tensor(3), ow.ones(2))
    x = ow.ones(2)

    traced(ow.tensor(0), x)[1].add_(1)

    assert ow.equal(x, ow.ones(2))


def test_a_body_that_changes_a_size_is_refused():
    def f(x):
        return while_loop(lambda x: x.sum() > 0, lambda x: (ow.cat([x, x]),), (x,))

    with pytest.raises(ValueError, match="carried tensor 0 before and after body_fn must match"):
        make_fx(f, tracing_mode="symbolic")(ow.ones(3))

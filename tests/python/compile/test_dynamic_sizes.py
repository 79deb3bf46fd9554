"""Sizes of compiled functions: fixed at first, symbols once they changed."""

import opwright as ow
import pytest


@pytest.mark.parametrize("order", [range(1, 51), range(50, 0, -1), [3, 50, 1, *range(4, 50)]])
def test_a_loop_over_fifty_batch_sizes_compiles_at_most_twice(order):
    layer = ow.nn.Linear(4, 3)

    @ow.compile(fullgraph=True)
    def f(x):
        return ow.relu(layer(x)) + x.sum()

    with ow.no_grad():
        for size in order:
            x = ow.randn(size, 4)
            assert ow.allclose(f(x), ow.relu(layer(x)) + x.sum(), rtol=1e-4, atol=1e-5)

    assert f.num_compiles <= 2


def test_sizes_that_python_reads_are_symbols():
    @ow.compile(fullgraph=True, dynamic=True)
    def f(x):
        return x.reshape(x.shape[0] * x.size(1)) / x.numel(), x.shape[0] + 1

    for rows in range(2, 6):
        flat, number = f(ow.ones(rows, 3))
        assert flat.tolist() == pytest.approx([1 / (3 * rows)] * (3 * rows))
        assert number == rows + 1

    assert f.num_compiles == 1


def test_a_branch_on_a_size_is_a_guard():
    @ow.compile(dynamic=True)
    def f(x):
        return x * 2 if x.shape[0] > 4 else x

    assert f(ow.ones(8))[0].item() == 2.0
    assert f(ow.ones(5))[0].item() == 2.0
    assert f(ow.ones(3))[0].item() == 1.0
    assert f.num_compiles == 2
    assert f.recompile_reasons[0].startswith("this does not hold: ")
    assert "test_dynamic_sizes.py" in f.recompile_reasons[0]


def test_static_functions_compile_for_each_size():
    @ow.compile(dynamic=False)
    def f(x):
        return x + 1

    for size in (2, 3, 2, 4):
        f(ow.ones(size))

    assert f.num_compiles == 3


def test_a_size_of_zero_is_fixed():
    @ow.compile(dynamic=True)
    def f(x):
        return x.sum() + x.shape[0]

    assert f(ow.ones(3)).item() == 6.0
    assert f(ow.ones(0)).item() == 0.0
    assert f(ow.ones(5)).item() == 10.0
    assert f.num_compiles == 2


def test_a_dimension_that_becomes_one_stays_in_the_range_where_nothing_asked():
    @ow.compile(dynamic=True)
    def f(x):
        return x * 2

    for size in (5, 1, 9):
        assert f(ow.ones(size, 2)).shape == (size, 2)

    assert f.num_compiles == 1


def test_sizes_of_two_inputs_are_equal_where_the_function_asked():
    @ow.compile(dynamic=True)
    def f(x, y):
        return x + y

    assert f(ow.ones(4), ow.ones(4)).shape == (4,)
    assert f(ow.ones(6), ow.ones(6)).shape == (6,)
    assert f.num_compiles == 1
    assert f(ow.ones(6), ow.ones(1)).shape == (6,)
    assert f.num_compiles == 2


def test_results_have_eagers_strides_for_any_order_of_dimensions():
    def f(x):
        return ow.sin(x) + 1

    compiled = ow.compile(f, dynamic=True)
    for rows, columns in ((3, 4), (5, 2)):
        for x in (
            ow.ones(rows, columns),
            ow.ones(columns, rows).t(),
            ow.ones(rows, 8)[:, :columns],
        ):
            assert compiled(x).stride() == f(x).stride()


def test_data_dependent_sizes_work_within_one_graph():
    @ow.compile(fullgraph=True)
    def f(x):
        return ow.nonzero(x) + 1, x[x > 0] * 2

    for values in ([0.0, 1.0, 2.0], [3.0, 0.0, 0.0], [0.0, 0.0, 0.0]):
        x = ow.tensor(values)
        places, positive = f(x)
        assert ow.equal(places, ow.nonzero(x) + 1)
        assert ow.equal(positive, x[x > 0] * 2)

    assert f.num_compiles == 1


def test_the_cache_keeps_64_guard_sets():
    @ow.compile(dynamic=False)
    def f(x):
        return x + 1

    for size in range(1, 66):
        f(ow.ones(size))
    assert len(f.graphs) == 64
    f(ow.ones(2))
    assert f.num_compiles == 65
    f(ow.ones(1))
    assert f.num_compiles == 66

"""Products of floats against those in float64, at every level of vector instructions."""
# Covers: src/ops/engine/product/half_*, src/ops/engine/product/tile_kernel_bfloat16.

import os
import subprocess
import sys

import numpy as np
import opwright as ow
import pytest

LEVELS = ("baseline", "avx2", "avx512")
DTYPES = (ow.float16, ow.bfloat16, ow.float32)
# Rows, depth, columns: odd ones, single and few lines, several blocks of a packed product.
SIZES = [
    (1, 1, 1),
    (1, 7, 1),
    (3, 5, 2),
    (1, 700, 33),
    (37, 701, 1),
    (8, 64, 32),
    (9, 33, 17),
    (17, 1, 19),
    (100, 515, 130),
    (5, 30, 1100),
    (7, 50, 11),
    (16, 300, 42),
    (2, 0, 3),
]


def numbers(generator: np.random.Generator, *sizes: int, dtype: ow.dtype) -> ow.Tensor:
    return ow.from_numpy(generator.standard_normal(sizes)).to(dtype)


def check_product(x: ow.Tensor, y: ow.Tensor) -> None:
    """Compare with the float64 product of the same numbers, within the rounding of the dtype."""
    exact = x.double() @ y.double()
    magnitude = x.double().abs() @ y.double().abs()
    result = x @ y
    rounding = ow.finfo(x.dtype).eps * exact.abs() + 1e-5 * magnitude + 1e-7

    assert result.dtype == x.dtype
    assert (((result.double() - exact).abs() - rounding) <= 0).all().item()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("sizes", SIZES)
def test_products_round_once_from_float32(sizes, dtype):
    rows, depth, columns = sizes
    generator = np.random.default_rng(rows + depth)
    x = numbers(generator, rows, depth, dtype=dtype)
    y = numbers(generator, depth, columns, dtype=dtype)

    check_product(x, y)
    check_product(x, numbers(generator, columns, depth, dtype=dtype).t())
    check_product(numbers(generator, depth, rows, dtype=dtype).t(), y)


@pytest.mark.parametrize("dtype", DTYPES)
def test_factors_may_have_any_strides(dtype):
    generator = np.random.default_rng(0)
    wide = numbers(generator, 3, 40, 90, dtype=dtype)

    check_product(wide[:, ::2, 1::3], wide[:, :30, ::3])
    check_product(wide[0, :, :21], wide[1].t()[:21])
    check_product(wide[:1, :, :33].expand(3, 40, 33), wide[:, :33, :])
    check_product(wide[0, 0].expand(40, 90), wide[0, 0].expand(7, 90).t())


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_matrix_times_a_vector(dtype):
    generator = np.random.default_rng(1)
    matrix = numbers(generator, 65, 301, dtype=dtype)

    check_product(matrix, numbers(generator, 301, dtype=dtype))
    check_product(matrix.t(), numbers(generator, 65, dtype=dtype))
    check_product(matrix, numbers(generator, 602, dtype=dtype)[::2])


@pytest.mark.parametrize("dtype", DTYPES)
def test_infinity_and_nan_stay(dtype):
    x = ow.ones(3, 40, dtype=dtype)
    x[0, 5], x[1, 7] = float("inf"), float("nan")

    result = x @ ow.ones(40, 20, dtype=dtype)

    assert result[0].isinf().all().item()
    assert result[1].isnan().all().item()
    assert (result[2] == 40).all().item()


# The last part of rows may be a single one, the columns of a part may fit a cache that all do not.
@pytest.mark.parametrize("sizes", [(300, 700, 400), (217, 500, 100), (50, 300, 200)])
@pytest.mark.parametrize("dtype", [*DTYPES, ow.float64])
def test_results_do_not_depend_on_the_number_of_threads(dtype, sizes):
    rows, depth, columns = sizes
    generator = np.random.default_rng(2)
    x = numbers(generator, rows, depth, dtype=dtype)
    y = numbers(generator, depth, columns, dtype=dtype)
    threads = ow.num_threads()
    results = []
    for count in (1, 2, 5, 8):
        ow.set_num_threads(count)
        results.append(x @ y)
    ow.set_num_threads(threads)

    assert all(ow.equal(results[0], each) for each in results[1:])


@pytest.mark.parametrize("level", LEVELS)
def test_every_level_of_the_machine_is_right(level):
    if os.environ.get("OPWRIGHT_CPU_LEVEL"):
        pytest.skip("this is the run at one level")
    command = [sys.executable, "-m", "pytest", "-q", __file__]
    done = subprocess.run(
        command, env={**os.environ, "OPWRIGHT_CPU_LEVEL": level}, capture_output=True, text=True
    )

    assert done.returncode == 0, done.stdout

"""Matrix products of the OpenCL device against numpy."""

import numpy
import pytest

from .device_driver import from_bfloat16, to_bfloat16

RANDOM = numpy.random.default_rng(7)


def product(driver, left, right, **numbers):
    shape = (*left.shape[:2], right.shape[2])
    result = driver.array(numpy.full(shape, 2, left.dtype))
    driver.product(result, driver.array(left), driver.array(right), **numbers)
    return result.read()


@pytest.mark.parametrize("sizes", [(1, 1, 1, 1), (2, 33, 17, 40), (1, 64, 100, 5), (3, 1, 70, 1)])
def test_sizes_that_no_tile_divides(driver, sizes):
    batch, rows, depth, columns = sizes
    left = RANDOM.standard_normal((batch, rows, depth)).astype(numpy.float32)
    right = RANDOM.standard_normal((batch, depth, columns)).astype(numpy.float32)

    actual = product(driver, left, right)

    numpy.testing.assert_allclose(actual, left @ right, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "int64", "float16", "float64"])
def test_products_of_every_dtype(driver, dtype):
    left = RANDOM.integers(-3 if dtype[0] != "u" else 0, 4, (2, 10, 20)).astype(dtype)
    right = RANDOM.integers(0, 4, (2, 20, 9)).astype(dtype)

    numpy.testing.assert_array_equal(product(driver, left, right), left @ right)


def test_bfloat16_is_summed_in_float(driver):
    left = to_bfloat16(RANDOM.standard_normal((1, 8, 500)))
    right = to_bfloat16(RANDOM.standard_normal((1, 500, 8)))
    result = driver.array(numpy.zeros((1, 8, 8), numpy.uint16), "bfloat16")

    driver.product(result, driver.array(left, "bfloat16"), driver.array(right, "bfloat16"))

    expected = from_bfloat16(left).astype("float64") @ from_bfloat16(right).astype("float64")
    numpy.testing.assert_allclose(from_bfloat16(result.read()), expected, rtol=1e-2, atol=1e-2)


def test_transposed_and_broadcast_matrices_and_a_strided_result(driver):
    left = RANDOM.standard_normal((20, 30)).astype(numpy.float32).T[numpy.newaxis]
    left = numpy.broadcast_to(left, (2, 30, 20))
    right = RANDOM.standard_normal((2, 10, 20)).astype(numpy.float32).transpose(0, 2, 1)
    result = driver.array(numpy.zeros((2, 30, 20), numpy.float32)[:, :, ::2])

    driver.product(result, driver.array(left), driver.array(right))

    numpy.testing.assert_allclose(result.read(), left @ right, rtol=1e-4, atol=1e-5)


def test_alpha_and_beta(driver):
    left = RANDOM.standard_normal((1, 4, 5)).astype(numpy.float32)
    right = RANDOM.standard_normal((1, 5, 6)).astype(numpy.float32)

    actual = product(driver, left, right, alpha=0.5, beta=3.0)

    numpy.testing.assert_allclose(actual, 0.5 * (left @ right) + 6, rtol=1e-5)


def test_a_result_that_is_not_added_is_not_read(driver):
    left, right = numpy.ones((1, 2, 3), numpy.float32), numpy.ones((1, 3, 2), numpy.float32)
    result = driver.array(numpy.full((1, 2, 2), numpy.nan, numpy.float32))

    driver.product(result, driver.array(left), driver.array(right))

    assert (result.read() == 3).all()


def test_a_product_of_no_depth_is_zero(driver):
    left, right = numpy.ones((1, 2, 0), numpy.float32), numpy.ones((1, 0, 3), numpy.float32)

    assert (product(driver, left, right) == 0).all()

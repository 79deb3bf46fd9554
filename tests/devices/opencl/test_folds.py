"""Folds of the OpenCL device against numpy: few long ones, many short ones, every layout."""

import numpy
import pytest

RANDOM = numpy.random.default_rng(5)


def floats(*shape):
    return RANDOM.standard_normal(shape).astype(numpy.float32)


def fold(driver, name, values, num_folded, compute="float32", result=None, number=0.0):
    shape = values.shape[: values.ndim - num_folded]
    out = driver.array(numpy.zeros(shape, result or compute))
    driver.fold(name, driver.array(values), num_folded, out, None, compute, number)
    return out.read()


# One result of many elements is reduced in parts, many results in a work-item each.
SHAPES = {"long": (3, 9001), "short": (700, 13), "two folded": (5, 6, 7)}
FOLDS = {
    "sum": numpy.sum,
    "prod": numpy.prod,
    "mean": numpy.mean,
    "max": numpy.max,
    "min": numpy.min,
    "var": lambda x, axis: numpy.var(x, axis=axis, ddof=1),
    "norm": lambda x, axis: numpy.sqrt((x * x).sum(axis=axis)),
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", FOLDS)
def test_a_fold_of_floats_agrees_with_numpy(driver, name, shape):
    x = floats(*SHAPES[shape])
    if name == "prod":
        x = 1 + x * 0.01
    axes = tuple(range(1, x.ndim))

    actual = fold(driver, name, x, x.ndim - 1, number={"var": 1.0, "norm": 2.0}.get(name, 0.0))

    expected = FOLDS[name](x.astype(numpy.float64), axis=axes)
    numpy.testing.assert_allclose(actual, expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("length", [1000, 1_000_000])
def test_a_sum_of_floats_does_not_lose_the_small_ones(driver, length):
    x = numpy.full((1, length), 0.1, numpy.float32)
    x[0, 0] = 1e5

    actual = fold(driver, "sum", x, 1)

    numpy.testing.assert_allclose(actual, x.sum(axis=1, dtype=numpy.float64), rtol=1e-6)


def test_a_sum_with_an_infinity_is_infinite(driver):
    x = numpy.array([[1, numpy.inf, 2], [1, numpy.inf, -numpy.inf], [3e38, 3e38, 1]], numpy.float32)

    numpy.testing.assert_array_equal(fold(driver, "sum", x, 1), [numpy.inf, numpy.nan, numpy.inf])


@pytest.mark.parametrize("order", [0.0, 1.0, 2.0, 3.0, 0.5, numpy.inf, -numpy.inf])
def test_norms_of_every_order(driver, order):
    x = floats(4, 30)

    actual = fold(driver, "norm", x, 1, number=order)

    numpy.testing.assert_allclose(actual, numpy.linalg.norm(x, order, axis=1), rtol=1e-5)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", ["max", "min"])
def test_the_index_is_that_of_the_first_extremum(driver, name, shape):
    sizes = SHAPES[shape]
    x = RANDOM.integers(0, 9, sizes).astype(numpy.float32)
    indices = driver.array(numpy.zeros(sizes[:1], numpy.int64))
    values = driver.array(numpy.zeros(sizes[:1], numpy.float32))

    driver.fold(name, driver.array(x), x.ndim - 1, values, indices)

    flat = x.reshape(sizes[0], -1)
    expected = getattr(flat, f"arg{name}")(axis=1)
    numpy.testing.assert_array_equal(indices.read(), expected)
    numpy.testing.assert_array_equal(values.read(), getattr(flat, name)(axis=1))


@pytest.mark.parametrize("length", [10, 5000])
def test_the_first_nan_is_the_extremum(driver, length):
    x = floats(1, length)
    x[0, 4] = x[0, 7] = numpy.nan
    indices = driver.array(numpy.zeros(1, numpy.int64))

    driver.fold("max", driver.array(x), 1, None, indices)

    assert indices.read().tolist() == [4]


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "int32", "int64", "bool"])
def test_ints_are_summed_in_64_bits(driver, dtype):
    x = RANDOM.integers(0, 2 if dtype == "bool" else 100, (3, 4000)).astype(dtype)

    actual = fold(driver, "sum", x, 1, compute="int64")

    numpy.testing.assert_array_equal(actual, x.sum(axis=1, dtype=numpy.int64))


@pytest.mark.parametrize("name", ["max", "min", "prod"])
@pytest.mark.parametrize("dtype", ["int8", "uint8", "int64", "uint64"])
def test_folds_of_ints(driver, name, dtype):
    limits = numpy.iinfo(dtype)
    x = RANDOM.integers(limits.min, limits.max, (4, 50), dtype=dtype)

    actual = fold(driver, name, x, 1, compute=dtype)

    expected = x.prod(axis=1, dtype=dtype) if name == "prod" else getattr(x, name)(axis=1)
    numpy.testing.assert_array_equal(actual, expected)


@pytest.mark.parametrize("name", ["any", "all"])
def test_truth_of_elements(driver, name):
    x = (RANDOM.random((6, 9)) < 0.8).astype(numpy.float32) * 0.5

    actual = fold(driver, name, x, 1, compute="bool")

    numpy.testing.assert_array_equal(actual, getattr(x, name)(axis=1))


@pytest.mark.parametrize(
    ("name", "expected"), [("sum", 0), ("prod", 1), ("any", 0), ("all", 1), ("mean", numpy.nan)]
)
def test_the_fold_of_nothing(driver, name, expected):
    x = numpy.zeros((2, 0), numpy.float32)

    actual = fold(driver, name, x, 1)

    numpy.testing.assert_array_equal(actual, [expected] * 2)


def test_halves_are_summed_in_float(driver):
    x = numpy.full((2, 3000), 0.1, numpy.float16)

    actual = fold(driver, "sum", x, 1, result="float16")

    numpy.testing.assert_array_equal(actual, x.sum(axis=1, dtype=numpy.float64).astype("float16"))


def test_strided_elements_and_results(driver):
    x = floats(8, 5, 6).transpose(1, 2, 0)[::-1, ::2]
    base = numpy.zeros((3, 10), numpy.float32)
    out = driver.array(base[:, ::2].T)

    driver.fold("sum", driver.array(x), 1, out)

    numpy.testing.assert_allclose(out.read(), x.sum(axis=2), rtol=1e-5, atol=1e-5)


def test_a_whole_tensor_is_folded_to_one_element(driver):
    x = floats(40, 50)

    actual = fold(driver, "sum", x, 2)

    numpy.testing.assert_allclose(actual, x.sum(dtype=numpy.float64), rtol=1e-5, atol=1e-4)


def test_an_unknown_fold_and_a_fold_of_complex_numbers_are_refused(driver):
    with pytest.raises(NotImplementedError, match="opencl: there is no fold 'median'"):
        fold(driver, "median", floats(2, 3), 1)
    with pytest.raises(NotImplementedError, match="the fold 'sum' does not compute with complex64"):
        fold(driver, "sum", floats(2, 3).astype("complex64"), 1, compute="complex64")

"""Gather, scatter and add by index on the OpenCL device."""

from ctypes import c_int64

import numpy
import pytest

from .device_driver import number_operand

RANDOM = numpy.random.default_rng(11)
DTYPES = ["bool", "int8", "uint8", "int16", "int32", "int64", "float16", "float32", "float64"]


def spread(array, strides):
    """An operand over the array's memory with other strides."""
    operand = array.operand()
    operand.strides = (c_int64 * len(strides))(*strides)
    return operand


@pytest.mark.parametrize("dtype", [*DTYPES, "complex64", "complex128"])
@pytest.mark.parametrize("index_dtype", ["int32", "int64"])
def test_rows_are_gathered(driver, dtype, index_dtype):
    source = RANDOM.integers(0, 100, (6, 4)).astype(dtype)
    index = numpy.array([5, 0, -1, 2], index_dtype)
    table, places = driver.array(source), driver.array(index)
    result = driver.array(numpy.zeros((4, 4), dtype))

    at = spread(places, [1, 0])
    driver.move("gather", (4, 4), spread(table, [0, 1]), result.operand(), [(at, 6, 4)])

    numpy.testing.assert_array_equal(result.read(), source[index])


def test_two_indices_find_elements(driver):
    source = RANDOM.standard_normal((5, 6)).astype(numpy.float32)
    rows, columns = numpy.array([0, 4, 2]), numpy.array([5, -6, 3])
    table = driver.array(source)
    result = driver.array(numpy.zeros(3, numpy.float32))
    kept = [driver.array(rows), driver.array(columns)]

    driver.move(
        "gather",
        (3,),
        spread(table, [0]),
        result.operand(),
        [(kept[0].operand(), 5, 6), (kept[1].operand(), 6, 1)],
    )

    numpy.testing.assert_array_equal(result.read(), source[rows, columns])


def test_elements_and_a_number_are_scattered(driver):
    target = driver.array(numpy.zeros(8, numpy.float32))
    index = driver.array(numpy.array([1, 7, 3]))
    values = driver.array(numpy.array([10, 20, 30], numpy.float32))
    into = spread(target, [0])

    driver.move("scatter", (3,), values.operand(), into, [(index.operand(), 8, 1)])
    assert target.read().tolist() == [0, 10, 0, 30, 0, 0, 0, 20]
    driver.move("scatter", (3,), number_operand(2.5, "float32"), into, [(index.operand(), 8, 1)])
    assert target.read().tolist() == [0, 2.5, 0, 2.5, 0, 0, 0, 2.5]


@pytest.mark.parametrize("dtype", DTYPES)
def test_additions_to_one_element_all_count(driver, dtype):
    index = RANDOM.integers(0, 7, 300)
    values = RANDOM.integers(0, 2, 300).astype(dtype)
    target = driver.array(numpy.zeros(7, dtype))
    places, added = driver.array(index), driver.array(values)

    driver.move("add", (300,), added.operand(), spread(target, [0]), [(places.operand(), 7, 1)])

    expected = numpy.zeros(7, dtype)
    numpy.add.at(expected, index, values)
    numpy.testing.assert_array_equal(target.read(), expected)


@pytest.mark.parametrize("value", [5, -6])
@pytest.mark.parametrize("kind", ["gather", "scatter", "add"])
def test_an_index_outside_is_an_error_of_the_call(driver, kind, value):
    table, other = (driver.array(numpy.zeros(5, numpy.float32)) for _ in range(2))
    index = driver.array(numpy.array([0, value, 1]))

    at = [(index.operand(), 5, 1)]
    sides = (spread(table, [0]), other.operand())
    source, result = sides if kind == "gather" else sides[::-1]
    with pytest.raises(
        IndexError, match=f"index {value} is out of range for a dimension of size 5"
    ):
        driver.move(kind, (3,), source, result, at)

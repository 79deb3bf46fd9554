"""Random numbers of the OpenCL device: each is what its definition says."""

import math

import numpy
import pytest

from .philox import philox, words

SEED, FIRST, COUNT = 0x123456789ABCDEF, 32, 200


def draw(driver, distribution, numbers, dtype, count=COUNT):
    result = driver.array(numpy.zeros(count, dtype))
    driver.random(distribution, result, numbers, SEED, FIRST)
    return result.read()


def test_the_words_are_those_of_the_published_algorithm():
    # The vector of Random123 for a counter and a key of zeros.
    block = philox(0, numpy.zeros(1, numpy.uint64))[:, 0]

    assert [hex(word) for word in block] == ["0x6627e8d5", "0xe169c58d", "0xbc57ac4c", "0x9b00dbd8"]


@pytest.mark.parametrize(("dtype", "bits"), [("float32", 24), ("float16", 11)])
def test_uniform_numbers_to_the_bit(driver, dtype, bits):
    word = words(SEED, FIRST, COUNT, 1)[0]

    actual = draw(driver, "uniform", [0.0, 1.0, 1 - 2.0**-bits, bits], dtype)

    numpy.testing.assert_array_equal(actual, ((word >> (32 - bits)) * 2.0**-bits).astype(dtype))


def test_uniform_doubles_to_the_bit(driver):
    low, high = words(SEED, FIRST, COUNT, 2)

    actual = draw(driver, "uniform", [-1.0, 2.0, 1 - 2.0**-53, 53], "float64")

    unit = high * 2.0**-32 + (low >> 11) * 2.0**-53
    numpy.testing.assert_array_equal(actual, unit * 2 - 1)


def normal_pairs(radius_unit, turns):
    lane = numpy.arange(COUNT) % 64
    radius = numpy.sqrt(-2 * numpy.log(radius_unit))
    angle = 2 * math.pi * turns
    return numpy.where(lane < 32, radius * numpy.cos(angle), radius * numpy.sin(angle))


def partners(values):
    """Of each element: what lane j of its pair has, and what lane j + 32 has."""
    padded = values.reshape(-1, 2, 32)
    return [numpy.stack([padded[:, side]] * 2, axis=1).reshape(-1)[:COUNT] for side in (0, 1)]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_normal_numbers_are_pairs_of_box_and_muller(driver, dtype):
    whole = -(-COUNT // 64) * 64
    if dtype == "float32":
        word = words(SEED, FIRST, whole, 1)[0]
        unit, turns = (word >> 1) * 2.0**-31 + 2.0**-32, word * 2.0**-32
    else:
        low, high = words(SEED, FIRST, whole, 2)
        unit = high * 2.0**-32 + (low >> 11) * 2.0**-53 + 2.0**-53
        turns = (high + low * 2.0**-32) * 2.0**-32

    actual = draw(driver, "normal", [3.0, 0.5], dtype)

    expected = 3 + 0.5 * normal_pairs(partners(unit)[0], partners(turns)[1])
    tolerance = 2e-6 if dtype == "float32" else 1e-13
    numpy.testing.assert_allclose(actual, expected, rtol=tolerance, atol=tolerance)


def test_exponential_numbers(driver):
    word = words(SEED, FIRST, COUNT, 1)[0]

    actual = draw(driver, "exponential", [0.25], "float32")

    expected = -numpy.log((word >> 1) * 2.0**-31 + 2.0**-32) * 0.25
    numpy.testing.assert_allclose(actual, expected, rtol=1e-5)


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int64", "float16", "float32", "float64"])
def test_bernoulli_numbers_to_the_bit(driver, dtype):
    word = words(SEED, FIRST, COUNT, 1)[0]
    threshold = int(0.3 * 2**31)

    actual = draw(driver, "bernoulli", [threshold], dtype)

    numpy.testing.assert_array_equal(actual, ((word >> 1) < threshold).astype(dtype))


@pytest.mark.parametrize(
    ("low", "size"), [(-5, 11), (0, 2**16), (7, 2**20), (-(2**40), 2**41 + 3), (-(2**63), 0)]
)
def test_ints_of_every_range_to_the_bit(driver, low, size):
    drawn = words(SEED, FIRST, COUNT, 1 if 0 < size <= 2**16 else 2).tolist()
    if 0 < size <= 2**16:
        expected = [low + (w * size >> 32) for w in drawn[0]]
    elif 0 < size < 2**32:
        expected = [
            low + ((hi * size + (lo * size >> 32)) >> 32) for lo, hi in zip(*drawn, strict=True)
        ]
    else:
        bits = [hi << 32 | lo for lo, hi in zip(*drawn, strict=True)]
        expected = [low + (b * size >> 64 if size else b) for b in bits]

    actual = draw(driver, "integers", [low, size], "int64")

    assert actual.tolist() == expected


def test_an_unknown_distribution_is_refused(driver):
    with pytest.raises(NotImplementedError, match="there is no distribution 'cauchy'"):
        draw(driver, "cauchy", [0.0, 1.0], "float32")

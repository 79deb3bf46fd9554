"""Loops of the OpenCL device: formulas against numpy, over every layout and dtype."""

import numpy
import pytest

from .device_driver import from_bfloat16, number_operand, to_bfloat16

RANDOM = numpy.random.default_rng(3)


def run(driver, formula, arrays, numbers=(), dtype="float32", result=None, through=None):
    """The formula over arrays of one shape, computed in `dtype`."""
    operands = [driver.array(array) for array in arrays]
    shape = numpy.broadcast_shapes(*[array.shape for array in arrays])
    out = driver.array(numpy.zeros(shape, result or dtype))
    driver.loop(formula, out, [operand.operand(through) for operand in operands], numbers, dtype)
    return out.read()


def floats(*shape):
    return (RANDOM.standard_normal(shape) * 2).astype(numpy.float32)


FUNCTIONS = {
    "absolute(x)": numpy.abs,
    "ceil(x)": numpy.ceil,
    "cos(x)": numpy.cos,
    "exp(x)": numpy.exp,
    "exp2(x)": numpy.exp2,
    "expm1(x)": numpy.expm1,
    "floor(x)": numpy.floor,
    "log(absolute(x))": lambda x: numpy.log(numpy.abs(x)),
    "log10(absolute(x))": lambda x: numpy.log10(numpy.abs(x)),
    "log1p(absolute(x))": lambda x: numpy.log1p(numpy.abs(x)),
    "log2(absolute(x))": lambda x: numpy.log2(numpy.abs(x)),
    "round(x)": numpy.round,
    "rsqrt(absolute(x))": lambda x: 1 / numpy.sqrt(numpy.abs(x)),
    "sigmoid(x)": lambda x: 1 / (1 + numpy.exp(-x)),
    "sin(x) / cos(x)": numpy.tan,
    "sqrt(absolute(x))": lambda x: numpy.sqrt(numpy.abs(x)),
    "tanh(x)": numpy.tanh,
    "trunc(x)": numpy.trunc,
    "-x": numpy.negative,
    "1 / x": numpy.reciprocal,
    "x < 0 ? 0 : x": lambda x: numpy.maximum(x, 0),
    "0.5 * x * (1 + tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)))": lambda x: (
        0.5 * x * (1 + numpy.tanh(0.7978845608028654 * (x + 0.044715 * x**3)))
    ),
}


@pytest.mark.parametrize("formula", FUNCTIONS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_function_of_one_operand_agrees_with_numpy(driver, formula, dtype):
    x = floats(50).astype(dtype)

    actual = run(driver, formula, [x], dtype=dtype)

    rtol = 4e-6 if dtype == "float32" else 1e-13
    numpy.testing.assert_allclose(actual, FUNCTIONS[formula](x), rtol=rtol, atol=rtol / 10)


def test_erf_agrees_with_its_known_values(driver):
    x = numpy.array([-1, 0, 0.5, 2], numpy.float32)

    actual = run(driver, "erf(x)", [x])

    numpy.testing.assert_allclose(actual, [-0.84270079, 0, 0.52049988, 0.99532227], rtol=1e-6)


BINARY = {
    "x + y": numpy.add,
    "x - y": numpy.subtract,
    "x * y": numpy.multiply,
    "minimum(x, y)": numpy.minimum,
    "maximum(x, y)": numpy.maximum,
    "fmod(x, y)": numpy.fmod,
    "remainder(x, y)": numpy.remainder,
    "divide_floor(x, y)": numpy.floor_divide,
}
INTS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]


@pytest.mark.parametrize("formula", BINARY)
@pytest.mark.parametrize("dtype", INTS)
def test_ints_wrap_and_divide_as_numpy_does(driver, formula, dtype):
    limits = numpy.iinfo(dtype)
    ends = numpy.array([limits.min, limits.max, 1, 7, 100, 3], dtype)
    x, y = (a.ravel() for a in numpy.meshgrid(ends, ends))
    y = numpy.where(y == 0, 5, y).astype(dtype)

    actual = run(driver, formula, [x, y], dtype=dtype)

    with numpy.errstate(over="ignore"):
        expected = BINARY[formula](x, y)
    numpy.testing.assert_array_equal(actual, expected)


@pytest.mark.parametrize("formula", [*BINARY, "pow(absolute(x), y)"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_floats_of_two_operands_agree_with_numpy(driver, formula, dtype):
    special = [0.0, -0.0, numpy.inf, -numpy.inf, numpy.nan, 1.5, -7.25, 3.0]
    x, y = (a.ravel().astype(dtype) for a in numpy.meshgrid(special, special))

    actual = run(driver, formula, [x, y], dtype=dtype)

    with numpy.errstate(all="ignore"):
        function = BINARY.get(formula, lambda x, y: numpy.power(numpy.abs(x), y))
        expected = function(x, y)
        if formula == "divide_floor(x, y)":  # numpy gives NaN for inf // 1
            expected = numpy.where(numpy.isinf(x) & ~numpy.isinf(y), x / y, expected)
            actual = numpy.where(numpy.isinf(x) & ~numpy.isinf(y), x / y, actual)
        if formula == "remainder(x, y)":  # and the divisor for 1 % inf, by sign
            unlike = numpy.isinf(y) & numpy.isfinite(x)
            actual, expected = actual[~unlike], expected[~unlike]
    numpy.testing.assert_allclose(actual, expected, rtol=1e-6)


def test_an_extremum_with_nan_is_nan(driver):
    x = numpy.array([1, numpy.nan, 2, numpy.nan], numpy.float32)
    y = numpy.array([numpy.nan, 1, 3, numpy.nan], numpy.float32)

    assert numpy.isnan(run(driver, "minimum(x, y)", [x, y])).tolist() == [True, True, False, True]


def test_the_smallest_int_divided_by_minus_one_is_itself(driver):
    x = numpy.array([-(2**31), -(2**31)], numpy.int32)
    y = numpy.array([-1, 0], numpy.int32)

    assert run(driver, "divide_trunc(x, y)", [x, y], dtype="int32")[0] == -(2**31)


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        ("x | y", [0, 1, 1, 1]),
        ("x ^ y", [0, 1, 1, 0]),
        ("!x & y", [0, 1, 0, 0]),
        ("~x", [1, 1, 0, 0]),
    ],
)
def test_bools_are_computed_as_truth_values(driver, formula, expected):
    x = numpy.array([0, 0, 1, 1], bool)
    y = numpy.array([0, 1, 0, 1], bool)

    operands = [x, y] if "y" in formula else [x]
    assert run(driver, formula, operands, dtype="bool").tolist() == [bool(e) for e in expected]


def test_a_comparison_of_floats_is_stored_as_a_bool(driver):
    x, y = floats(20), floats(20)

    actual = run(driver, "x < y", [x, y], result="bool")

    numpy.testing.assert_array_equal(actual, x < y)


def test_an_operand_through_bool_is_a_condition(driver):
    condition = driver.array(numpy.array([2.5, 0, -1], numpy.float32))
    x = driver.array(numpy.array([1, 2, 3], numpy.float32))
    out = driver.array(numpy.zeros(3, numpy.float32))

    operands = [condition.operand("bool"), x.operand(), number_operand(0.5, "float32")]
    driver.loop("x ? y : z", out, operands)

    assert out.read().tolist() == [1, 0.5, 3]


def test_numbers_are_of_the_dtype_that_is_computed_in(driver):
    x = numpy.arange(4, dtype=numpy.int64) + 2**60

    actual = run(driver, "x + a * b", [x], numbers=[2**59, 3], dtype="int64")

    numpy.testing.assert_array_equal(actual, x + 3 * 2**59)


def test_strided_transposed_reversed_and_broadcast_operands(driver):
    x = floats(6, 8)[::2, ::-2]
    y = floats(4, 3).T
    z = numpy.broadcast_to(floats(4), (3, 4))

    actual = run(driver, "x + y * z", [x, y, z])

    numpy.testing.assert_allclose(actual, x + y * z, rtol=1e-6)


def test_a_result_of_a_part_leaves_the_rest_alone(driver):
    base = numpy.zeros((4, 6), numpy.float32)
    out = driver.array(base[1:3, ::2])

    driver.loop("a", out, [], [7.0])

    out.read()
    assert base.sum() == 6 * 7.0
    assert (base[1:3, ::2] == 7).all()


def test_an_operand_may_be_the_result(driver):
    x = driver.array(numpy.arange(5, dtype=numpy.float32))

    driver.loop("x * x", x, [x.operand()])

    assert x.read().tolist() == [0, 1, 4, 9, 16]


def test_thirty_dimensions_are_walked(driver):
    view = numpy.arange(64, dtype=numpy.float32).reshape(2, 2, 2, 1, 2, 2, 2).transpose()
    view = view.reshape(view.shape + (1,) * 23)
    out = driver.array(numpy.zeros(view.shape, numpy.float32))

    driver.loop("x + 1", out, [driver.array(view).operand()])

    numpy.testing.assert_array_equal(out.read(), view + 1)


def test_halves_are_rounded_to_nearest_even(driver):
    every = numpy.arange(2**16, dtype=numpy.uint16).view(numpy.float16)
    x = numpy.concatenate([every.astype(numpy.float32) * 1.00048828125, floats(100) * 1e-6])

    out = driver.array(numpy.zeros(x.shape, numpy.float16))
    driver.loop("x", out, [driver.array(x).operand()])

    with numpy.errstate(over="ignore", invalid="ignore"):
        expected = x.astype(numpy.float16)
    numpy.testing.assert_array_equal(out.read(), expected)


def test_every_half_becomes_its_float(driver):
    every = numpy.arange(2**16, dtype=numpy.uint16).view(numpy.float16)

    actual = run(driver, "x", [every], result="float32")

    numpy.testing.assert_array_equal(actual, every.astype(numpy.float32))


def test_bfloat16_is_computed_in_float_and_rounded(driver):
    x, y = floats(200), floats(200)
    x_bits, y_bits = to_bfloat16(x), to_bfloat16(y)
    out = driver.array(numpy.zeros(200, numpy.uint16), "bfloat16")

    operands = [driver.array(bits, "bfloat16") for bits in (x_bits, y_bits)]
    driver.loop("x * y", out, [operand.operand() for operand in operands])

    expected = to_bfloat16(from_bfloat16(x_bits) * from_bfloat16(y_bits))
    numpy.testing.assert_array_equal(out.read(), expected)


def test_an_operand_goes_through_a_half(driver):
    x = floats(50)

    actual = run(driver, "x", [x], through="float16")

    numpy.testing.assert_array_equal(actual, x.astype(numpy.float16).astype(numpy.float32))


DTYPES = ["bool", *INTS, "float16", "float32", "float64"]


@pytest.mark.parametrize("source", DTYPES)
def test_elements_are_converted_as_numpy_does(driver, source):
    x = numpy.array([0, 1, 2, 100, 3.7] if source[0] == "f" else [0, 1, 2, 100, 3], source)
    for target in DTYPES:
        actual = run(driver, "x", [x], dtype=source.replace("float16", "float32"), result=target)

        numpy.testing.assert_array_equal(actual, x.astype(target))


def test_complex_numbers_are_moved_and_not_computed(driver):
    x = (floats(4, 3) + 1j * floats(4, 3)).astype(numpy.complex64)

    moved = run(driver, "x", [x.T], dtype="complex64")

    numpy.testing.assert_array_equal(moved, x.T)
    with pytest.raises(NotImplementedError, match=r"opencl: the loop 'x \* x' does not compute"):
        run(driver, "x * x", [x], dtype="complex64")


def test_a_formula_that_is_none_has_the_compilers_log(driver):
    with pytest.raises(
        RuntimeError, match=r"the loop 'x \+ nothing' cannot be built(.|\n)*nothing"
    ):
        run(driver, "x + nothing", [floats(3)])

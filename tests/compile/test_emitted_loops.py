"""Loops, reductions and passes of emitted nests, compared with NumPy."""

import math

import numpy as np
import pytest

pytest.importorskip("llvmlite")
from .emitted_nest import TOOL, EmittedNest, vector_sizes
from .nest_reference import run_reference

pytestmark = [
    pytest.mark.skipif(not TOOL.exists(), reason="emit_nest is not built"),
    pytest.mark.filterwarnings("ignore"),
]
WIDTHS = vector_sizes()

SOFTMAX = """rows {rows} depth columns {columns} folded
operand 0 float32 [{stride}, 1]
operand 1 written float32 [{stride}, 1]
%0 float32 = load 0
%1 float32 = fold_maximum %0
%2 float32 = subtract %0 %1
%3 float32 = exp %2
%4 float32 = fold_sum %3
%5 float32 = divide %3 %4
store 1 %5
"""


def check(text, operands, width, *, numbers=(), rows=1, columns=0, strides=(), points=0, rtol=2e-5):
    """Run the nest and its reference on copies; compare all memory."""
    expected = [operand.copy() for operand in operands]
    run_reference(text, expected, numbers, strides)
    actual = [operand.copy() for operand in operands]
    nest = EmittedNest(text, width)
    nest(actual, numbers, (0, rows), (0, columns), strides, points)
    for mine, theirs in zip(actual, expected, strict=True):
        np.testing.assert_allclose(
            mine.astype(np.float64), theirs.astype(np.float64), rtol=rtol, atol=rtol
        )
    return nest


def floats(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape, dtype=np.float32)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("columns", [1, 3, 16, 37, 64, 200, 1024])
def test_softmax_of_fixed_and_of_any_columns(columns, width):
    x = floats(5, columns)
    out = np.zeros_like(x)
    text = SOFTMAX.format(rows=5, columns=columns, stride=columns)
    check(text, [x, out], width, rows=5, points=columns)
    text = SOFTMAX.format(rows=5, columns="n0", stride="?")
    strides = (columns, 1, columns, 1)
    check(text, [x, out], width, numbers=(columns,), rows=5, strides=strides, points=columns)


def test_a_softmax_of_nothing_touches_nothing():
    out = np.full(4, 7, np.float32)
    nest = EmittedNest(SOFTMAX.format(rows=5, columns="n0", stride=0), WIDTHS[0])
    nest([out, out], (0,), (0, 5))
    assert (out == 7).all()


def test_a_softmax_may_be_written_over_its_input():
    x = floats(6, 100)
    out = x.copy()
    nest = EmittedNest(SOFTMAX.format(rows=6, columns=100, stride=100), WIDTHS[0])
    nest([out, out], rows=(0, 6), points=100)
    e = np.exp(x - x.max(-1, keepdims=True))
    np.testing.assert_allclose(out, e / e.sum(-1, keepdims=True), rtol=1e-5)


def test_a_part_of_the_rows_leaves_the_others_alone():
    x, out = floats(6, 40), np.full((6, 40), 9, np.float32)
    nest = EmittedNest(SOFTMAX.format(rows=6, columns=40, stride=40), WIDTHS[0])
    nest([x, out], rows=(2, 4), points=40)
    assert (out[:2] == 9).all()
    assert (out[4:] == 9).all()
    np.testing.assert_allclose(out[2:4].sum(-1), 1, rtol=1e-6)


KEPT = """rows 3 depth {depth} columns {columns} folded
operand 0 float32 [{strides}]
operand 1 written float32 [{strides}]
%0 float32 = load 0
%1 float32 = exp %0
%2 float32 = fold_sum %1
%3 float32 = constant 100
%4 float32 = divide %2 %3
%5 float32 = subtract %1 %4
%6 float32 = multiply %5 %5
%7 float32 = fold_sum %6
%8 float32 = rsqrt %7
%9 float32 = multiply %5 %8
%10 float32 = add %9 %0
store 1 %10
"""


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize(("depth", "columns"), [("", 70), ("4", 33), ("2 3", 16)])
def test_costly_lanes_are_kept_in_scratch(depth, columns, width):
    sizes = [3, *map(int, depth.split()), columns]
    strides = [math.prod(sizes[i + 1 :]) for i in range(len(sizes))]
    text = KEPT.format(depth=depth, columns=columns, strides=", ".join(map(str, strides)))
    x = floats(*sizes)
    nest = check(text, [x, x * 0], width, rows=3, points=math.prod(sizes[1:]))
    assert nest.scratch_bytes == 4


FOLDS_OF = {
    "float32": ["fold_sum", "fold_product", "fold_minimum", "fold_maximum"],
    "float64": ["fold_sum", "fold_product", "fold_minimum", "fold_maximum"],
    "int64": ["fold_sum", "fold_product", "fold_minimum", "fold_maximum", "fold_and", "fold_or"],
    "uint8": ["fold_minimum", "fold_maximum", "fold_and", "fold_or"],
    "int16": ["fold_minimum", "fold_maximum", "fold_and", "fold_or"],
    "bool": ["fold_and", "fold_or"],
}


def fold_text(dtype, op, header, strides, results):
    return f"""{header}
operand 0 {dtype} [{strides}]
operand 1 written {dtype} [{results}]
%0 {dtype} = load 0
%1 {dtype} = {op} %0
store 1 %1
"""


def values(dtype, *shape):
    rng = np.random.default_rng(3)
    if dtype.startswith("float"):
        return rng.uniform(0.9, 1.1, shape).astype(dtype)
    return rng.integers(0, 2 if dtype == "bool" else 100, shape).astype(dtype)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("dtype", FOLDS_OF)
def test_folds_over_columns(dtype, width):
    for op in FOLDS_OF[dtype]:
        for columns in (5, 64, 131):
            x = values(dtype, 4, columns)
            text = fold_text(
                dtype, op, f"rows 4 depth columns {columns} folded", f"{columns}, 1", "1, 0"
            )
            check(text, [x, np.zeros(4, dtype)], width, rows=4)
        x = values(dtype, 4, 3, 77)
        header = "rows n0 depth n1 columns n2 folded"
        text = fold_text(dtype, op, header, "231, 77, 1", "1, 0, 0")
        check(text, [x, np.zeros(4, dtype)], width, numbers=(4, 3, 77), rows=4)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("dtype", FOLDS_OF)
def test_folds_over_the_depth_of_each_column(dtype, width):
    for op in FOLDS_OF[dtype]:
        for columns in (5, 64, 131):
            x = values(dtype, 2, 7, columns)
            header = f"rows 2 depth 7 columns {columns}"
            text = fold_text(dtype, op, header, f"{7 * columns}, {columns}, 1", f"{columns}, 0, 1")
            check(text, [x, np.zeros((2, columns), dtype)], width, rows=2, columns=columns)
    header = "rows n0 depth n1 n2 columns n3"
    x = values(dtype, 2, 3, 5, 70)
    text = fold_text(
        dtype,
        "fold_or" if dtype == "bool" else "fold_maximum",
        header,
        "1050, 350, 70, 1",
        "70, 0, 0, 1",
    )
    check(text, [x, np.zeros((2, 70), dtype)], width, numbers=(2, 3, 5, 70), rows=2, columns=70)


def test_a_fold_over_no_depth_is_the_value():
    x = floats(40)
    text = fold_text("float32", "fold_sum", "rows depth columns 40", "1", "1")
    check(text, [x, x * 0], WIDTHS[0], columns=40)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("columns", ["1000003", "n0"])
def test_the_error_of_a_sum_does_not_grow_with_its_length(columns, width):
    x = np.random.default_rng(1).uniform(0, 1, 1000003).astype(np.float32)
    out = np.zeros(1, np.float32)
    text = fold_text(
        "float32", "fold_sum", f"rows 1 depth columns {columns} folded", "0, 1", "0, 0"
    )
    EmittedNest(text, width)([x, out], (x.size,) if columns == "n0" else ())
    assert abs(out[0] / x.astype(np.float64).sum() - 1) < 2**-23


@pytest.mark.parametrize("depth", ["100003", "n0"])
def test_nor_that_of_a_sum_over_the_depth(depth):
    x = np.random.default_rng(1).uniform(0, 1, (100003, 8)).astype(np.float32)
    out = np.zeros(8, np.float32)
    text = fold_text("float32", "fold_sum", f"rows depth {depth} columns 8", "8, 1", "0, 1")
    EmittedNest(text, WIDTHS[0])([x, out], (len(x),) if depth == "n0" else (), columns=(0, 8))
    np.testing.assert_allclose(out, x.astype(np.float64).sum(0), rtol=2**-22)


def test_sums_keep_infinities_and_nan():
    for value in (np.inf, -np.inf, np.nan):
        x = np.ones(50000, np.float32)
        x[123] = value
        out = np.zeros(1, np.float32)
        text = fold_text("float32", "fold_sum", "rows 1 depth columns n0 folded", "0, 1", "0, 0")
        EmittedNest(text, WIDTHS[0])([x, out], (x.size,))
        np.testing.assert_equal(out[0], np.float32(value))


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("dtype", ["float32", "float64", "uint8", "float16"])
def test_strided_and_broadcast_operands(dtype, width):
    lane = "float32" if dtype == "float16" else dtype
    text = f"""rows n0 n1 depth columns n2
operand 0 {dtype} [?, ?, ?]
operand 1 {dtype} [0, 1, 0]
operand 2 written {dtype} [?, ?, ?]
%0 {lane} = load 0
%1 {lane} = load 1
%2 {lane} = multiply %0 %1
%3 {lane} = add %2 %1
store 2 %3
"""
    x = (np.random.default_rng(2).uniform(0, 6, (37, 3, 4))).astype(dtype)
    w = np.arange(4).astype(dtype)
    out = np.zeros((4, 3, 37), dtype)
    strides = (4, 1, 12, 0, 1, 0, 37, 3 * 37, 1)
    numbers = (3, 4, 37)
    check(
        text, [x, w, out], width, numbers=numbers, rows=12, columns=37, strides=strides, rtol=2e-3
    )
    other = np.zeros((37, 4, 3), dtype)
    strides = (4, 1, 12, 0, 1, 0, 1, 3, 12)
    check(
        text, [x, w, other], width, numbers=numbers, rows=12, columns=37, strides=strides, rtol=2e-3
    )


def test_a_part_of_the_columns_leaves_the_others_alone():
    text = """rows depth columns 256
operand 0 written float32 [1]
%0 float32 = constant 3
store 0 %0
"""
    out = np.zeros(256, np.float32)
    EmittedNest(text, WIDTHS[0])([out], columns=(64, 192))
    assert (out[64:192] == 3).all()
    assert out.sum() == 3 * 128


def test_numbers_of_the_call_are_values_too():
    text = """rows 3 depth columns n0 folded
operand 0 float32 [?, 1]
operand 1 written float32 [1, 0]
%0 float32 = load 0
%1 float32 = fold_sum %0
%2 int64 = number n0
%3 float32 = cast %2
%4 float32 = divide %1 %3
store 1 %4
"""
    x = floats(3, 50)
    check(
        text, [x, np.zeros(3, np.float32)], WIDTHS[0], numbers=(50,), rows=3, strides=(50, 1, 1, 0)
    )


QUOTIENT = """rows 32 depth columns 512 folded
operand 0 {dtype} [512, 1]
operand 1 {dtype} [1, 0]
operand 2 written {dtype} [512, 1]
%0 {dtype} = load 0
%1 {dtype} = load 1
%2 {dtype} = divide %0 %1
store 2 %2
"""


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_vector_divided_by_one_number_is_the_quotient(dtype, width):
    rng = np.random.default_rng(7)
    limits = np.finfo(dtype)
    special = [0, -0.0, np.inf, -np.inf, np.nan, limits.max, -limits.max, limits.tiny, 3, 1]
    special += [limits.smallest_subnormal, limits.tiny / 8, limits.max / 3, -7, 6, 9]
    top = np.log10(float(limits.max))

    def mixed(count):
        values = rng.standard_normal(count) * 10.0 ** rng.uniform(-top, top, count)
        return np.concatenate([special, values])[:count].astype(dtype)

    x, divisors = np.tile(mixed(512), (32, 1)), mixed(32)
    out = np.zeros_like(x)
    EmittedNest(QUOTIENT.format(dtype=dtype), width)([x, divisors, out], rows=(0, 32))
    expected = x / divisors[:, None]
    usual = ~(np.abs(expected) < limits.tiny)
    np.testing.assert_array_max_ulp(out[usual], expected[usual], 1)
    small = limits.smallest_subnormal
    np.testing.assert_allclose(out[~usual], expected[~usual], rtol=0, atol=2 * small)
    whole = (x == np.rint(x)) & (np.abs(x) < 1e6) & (np.abs(divisors[:, None]) < 10)
    np.testing.assert_array_equal(out[whole], expected[whole])

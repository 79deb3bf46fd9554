"""Results of emitted nests compared with NumPy: all dtypes, reductions, layouts, remainders."""

import itertools

import numpy as np
import pytest

pytest.importorskip("llvmlite")
from .emitted_nest import TOOL, EmittedNest, vector_sizes

pytestmark = [
    pytest.mark.skipif(not TOOL.exists(), reason="emit_nest is not built"),
    pytest.mark.filterwarnings("ignore"),
]

INTS = ["uint8", "int8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
FLOATS = ["float32", "float64"]
WIDTHS = vector_sizes()
COUNT = 131  # full vectors of every width, and a remainder


def pointwise(dtypes: list[str], result: str, lanes: str, last: int, columns: str = "n0") -> str:
    operands = [f"operand {i} {dtype} [1]" for i, dtype in enumerate(dtypes)]
    operands.append(f"operand {len(dtypes)} written {result} [1]")
    return "\n".join(
        [f"rows depth columns {columns}", *operands, lanes, f"store {len(dtypes)} %{last}"]
    )


def samples(dtype: str, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    if dtype == "bool":
        return rng.integers(0, 2, COUNT).astype(bool)
    if dtype.startswith("float"):
        values = rng.standard_normal(COUNT) * 10 ** rng.uniform(-2, 2, COUNT)
        values[:8] = [0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, 0.5]
        rng.shuffle(values)
        return values.astype(dtype)
    limits = np.iinfo(dtype)
    values = rng.integers(limits.min, limits.max, COUNT, dtype=dtype, endpoint=True)
    values[:20] = rng.integers(0, 9, 20)
    values[20:24] = [limits.min, limits.max, 0, 1]
    return values


def run(text: str, operands: list[np.ndarray], result: str, width: int) -> np.ndarray:
    out = np.full(COUNT + 8, 77, dtype=result)
    nest = EmittedNest(text, width)
    nest([*operands, out], numbers=(COUNT,), columns=(0, COUNT))
    assert (out[COUNT:] == out.dtype.type(77)).all(), "wrote beyond the end"
    return out[:COUNT]


def binary(op: str, dtype: str, result: str, width: int) -> tuple[np.ndarray, ...]:
    x, y = samples(dtype, 1), samples(dtype, 2)
    lanes = f"%0 {dtype} = load 0\n%1 {dtype} = load 1\n%2 {result} = {op} %0 %1"
    return x, y, run(pointwise([dtype, dtype], result, lanes, 2), [x, y], result, width)


def assert_same(actual: np.ndarray, expected: np.ndarray) -> None:
    np.testing.assert_array_equal(actual, expected.astype(actual.dtype))


ARITHMETIC = {"add": np.add, "subtract": np.subtract, "multiply": np.multiply}
EXTREMES = {"minimum": np.minimum, "maximum": np.maximum}
COMPARISONS = {
    "equal": np.equal,
    "not_equal": np.not_equal,
    "less": np.less,
    "less_equal": np.less_equal,
    "greater": np.greater,
    "greater_equal": np.greater_equal,
}


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("dtype", INTS + FLOATS)
def test_arithmetic_and_extremes_are_numpys(dtype, width):
    for op, reference in {**ARITHMETIC, **EXTREMES}.items():
        x, y, out = binary(op, dtype, dtype, width)
        assert_same(out, reference(x, y))


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("dtype", [*INTS, *FLOATS, "bool"])
def test_comparisons_are_numpys(dtype, width):
    for op, reference in COMPARISONS.items():
        x, y, out = binary(op, dtype, "bool", width)
        assert_same(out, reference(x, y))


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("dtype", [*INTS, "bool"])
def test_bits_are_numpys(dtype, width):
    for op, reference in {
        "and": np.bitwise_and,
        "or": np.bitwise_or,
        "xor": np.bitwise_xor,
    }.items():
        x, y, out = binary(op, dtype, dtype, width)
        assert_same(out, reference(x, y))
    lanes = f"%0 {dtype} = load 0\n%1 {dtype} = not %0"
    out = run(pointwise([dtype], dtype, lanes, 1), [x], dtype, width)
    assert_same(out, np.invert(x))


@pytest.mark.parametrize("dtype", INTS)
def test_shifts_beyond_the_width_shift_everything_out(dtype):
    x = samples(dtype, 3)
    by = (np.arange(COUNT) % (np.iinfo(dtype).bits + 3)).astype(dtype)
    for op, reference in {"shift_left": np.left_shift, "shift_right": np.right_shift}.items():
        lanes = f"%0 {dtype} = load 0\n%1 {dtype} = load 1\n%2 {dtype} = {op} %0 %1"
        out = run(pointwise([dtype, dtype], dtype, lanes, 2), [x, by], dtype, WIDTHS[0])
        assert_same(out, reference(x, by))


def quotient_towards_zero(x: int, y: int) -> int:
    return abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("dtype", INTS)
def test_divisions_of_ints_are_exact_and_zero_divisors_do_no_harm(dtype, width):
    references = {
        "divide_trunc": quotient_towards_zero,
        "divide_floor": lambda x, y: x // y,
        "remainder": lambda x, y: x % y,
        "fmod": lambda x, y: x - quotient_towards_zero(x, y) * y,
    }
    for op, reference in references.items():
        x, y, out = binary(op, dtype, dtype, width)
        assert (y == 0).any()
        expected = [reference(int(a), int(b)) if b != 0 else 0 for a, b in zip(x, y, strict=True)]
        wrapped = np.array([value % 2**64 for value in expected], np.uint64).astype(dtype)
        assert_same(np.where(y == 0, wrapped, out), wrapped)


@pytest.mark.parametrize("width", WIDTHS)
def test_divisions_of_floats_follow_python(width):
    x, y, out = binary("fmod", "float32", "float32", width)
    assert_same(out, np.fmod(x, y))
    x, y, out = binary("remainder", "float32", "float32", width)
    np.testing.assert_array_equal(out, np.where(np.isinf(y) & np.isfinite(x), out, np.mod(x, y)))
    x, y, out = binary("divide_floor", "float32", "float32", width)
    usual = np.isfinite(x) & np.isfinite(y) & (y != 0)
    assert_same(out[usual], np.floor_divide(x, y)[usual])
    for dtype in FLOATS:
        x, y, out = binary("divide_trunc", dtype, dtype, width)
        assert_same(out, np.trunc(x / y))


def test_fmod_is_exact_for_quotients_of_all_sizes():
    rng = np.random.default_rng(5)
    x = (rng.standard_normal(COUNT) * 10 ** rng.uniform(-45, 38, COUNT)).astype(np.float32)
    y = (rng.standard_normal(COUNT) * 10 ** rng.uniform(-45, 38, COUNT)).astype(np.float32)
    y[y == 0] = 1
    lanes = "%0 float32 = load 0\n%1 float32 = load 1\n%2 float32 = fmod %0 %1"
    text = pointwise(["float32", "float32"], "float32", lanes, 2)
    assert_same(run(text, [x, y], "float32", WIDTHS[0]), np.fmod(x, y))


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("dtype", FLOATS)
def test_functions_that_are_one_instruction_are_exact(dtype, width):
    for op, reference in {
        "floor": np.floor,
        "ceil": np.ceil,
        "trunc": np.trunc,
        "round": np.rint,
        "sqrt": np.sqrt,
        "negate": np.negative,
        "absolute": np.absolute,
    }.items():
        x = samples(dtype, 4)
        lanes = f"%0 {dtype} = load 0\n%1 {dtype} = {op} %0"
        out = run(pointwise([dtype], dtype, lanes, 1), [x], dtype, width)
        assert_same(out, reference(x))
    x, y, out = binary("copysign", dtype, dtype, width)
    assert_same(out, np.copysign(x, y))
    x, y, out = binary("divide", dtype, dtype, width)
    assert_same(out, np.divide(x, y))


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("source", [*INTS, *FLOATS, "bool"])
def test_casts_are_those_of_tensors(source, width):
    x = samples(source, 6)
    if source in FLOATS:
        x[~np.isfinite(x)] = 3.7
    for target in [*INTS, *FLOATS, "bool"]:
        if target == source:
            continue
        lanes = f"%0 {source} = load 0\n%1 {target} = cast %0"
        out = run(pointwise([source], target, lanes, 1), [x], target, width)
        through = x.astype(np.int64) if source in FLOATS and target in INTS else x
        assert_same(out, through.astype(target))


def test_floats_that_no_int_holds_become_the_smallest():
    x = np.full(COUNT, np.nan, np.float32)
    x[1:4] = [1e30, -1e30, np.inf]
    lanes = "%0 float32 = load 0\n%1 {} = cast %0"
    out = run(pointwise(["float32"], "int64", lanes.format("int64"), 1), [x], "int64", WIDTHS[0])
    assert (out == np.iinfo(np.int64).min).all()
    out = run(pointwise(["float32"], "int32", lanes.format("int32"), 1), [x], "int32", WIDTHS[0])
    assert (out == 0).all()


@pytest.mark.parametrize("width", WIDTHS)
def test_halves_are_rounded_to_nearest_even(width):
    x = np.concatenate([samples("float32", 7)[:65], np.float32(2.0) ** np.arange(-33, 33)])
    x = x[:COUNT].astype(np.float32)
    x[40:60] *= np.float32(1 + 2**-11)
    out = run(
        pointwise(["float32"], "float16", "%0 float32 = load 0", 0).replace(
            "written float32", "written float16"
        ),
        [x],
        "float16",
        width,
    )
    assert_same(out, x.astype(np.float16))
    lanes = "%0 float32 = load 0\n%1 float32 = round_half float16 %0"
    assert_same(
        run(pointwise(["float32"], "float32", lanes, 1), [x], "float32", width),
        x.astype(np.float16).astype(np.float32),
    )
    half = x.astype(np.float16)
    text = pointwise(["float16"], "float32", "%0 float32 = load 0", 0)
    assert_same(run(text, [half], "float32", width), half.astype(np.float32))


def bfloat_bits(x: np.ndarray) -> np.ndarray:
    bits = x.view(np.uint32).astype(np.uint64)
    rounded = (bits + 0x7FFF + (bits >> 16 & 1)) >> 16
    return np.where(np.isnan(x), bits >> 16 | 0x40, rounded).astype(np.uint16)


@pytest.mark.parametrize("width", WIDTHS)
def test_bfloats_are_rounded_to_nearest_even(width):
    x = samples("float32", 8)
    x[10:40] = (x[10:40].view(np.uint32) & 0xFFFF0000 | 0x8000).view(np.float32)
    text = pointwise(["float32"], "uint16", "%0 float32 = load 0", 0)
    out = run(text.replace("written uint16", "written bfloat16"), [x], "uint16", width)
    assert_same(out, bfloat_bits(x))
    back = (out.astype(np.uint32) << 16).view(np.float32)
    text = pointwise(["bfloat16"], "float32", "%0 float32 = load 0", 0)
    assert_same(run(text, [out], "float32", width), back)
    lanes = "%0 float32 = load 0\n%1 float32 = round_half bfloat16 %0"
    assert_same(run(pointwise(["float32"], "float32", lanes, 1), [x], "float32", width), back)


@pytest.mark.parametrize("width", WIDTHS)
def test_a_select_of_a_condition_takes_lanes_of_two(width):
    condition = samples("bool", 9)
    for dtype in ["float32", "int64", "uint8", "bool"]:
        x, y = samples(dtype, 10), samples(dtype, 11)
        lanes = f"%0 bool = load 0\n%1 {dtype} = load 1\n%2 {dtype} = load 2\n"
        lanes += f"%3 {dtype} = select %0 %1 %2"
        text = pointwise(["bool", dtype, dtype], dtype, lanes, 3)
        assert_same(run(text, [condition, x, y], dtype, width), np.where(condition, x, y))


POWERS = [0.0, -0.0, 1.0, -1.0, 2.0, -2.0, 0.5, -0.5, 3.0, -3.0, 1e30, -1e30, 1e-40]
POWERS += [np.inf, -np.inf, np.nan, 16777217.0, 2.5, -2.5]


def test_pow_of_special_numbers_is_that_of_c():
    x, y = (np.array(v, np.float32) for v in zip(*itertools.product(POWERS, POWERS), strict=True))
    out = np.empty_like(x)
    lanes = "%0 float32 = load 0\n%1 float32 = load 1\n%2 float32 = pow %0 %1"
    nest = EmittedNest(pointwise(["float32", "float32"], "float32", lanes, 2), WIDTHS[0])
    nest([x, y, out], numbers=(x.size,), columns=(0, x.size))
    with np.errstate(all="ignore"):
        expected = np.power(x.astype(np.float64), y.astype(np.float64)).astype(np.float32)
    np.testing.assert_allclose(out, expected, rtol=3e-7)
    assert_same(np.signbit(out[out == 0]), np.signbit(expected[out == 0]))


def exact_sigmoid(x):
    return np.where(x < 0, np.exp(x) / (1 + np.exp(x)), 1 / (1 + np.exp(-x)))


DOUBLE_FUNCTIONS = {
    "exp": np.exp,
    "exp2": np.exp2,
    "expm1": np.expm1,
    "log": np.log,
    "log2": np.log2,
    "log10": np.log10,
    "log1p": np.log1p,
    "tanh": np.tanh,
    "sigmoid": exact_sigmoid,
}


@pytest.mark.skipif(np.finfo(np.longdouble).nmant < 63, reason="no wider float to compare with")
@pytest.mark.parametrize("op", DOUBLE_FUNCTIONS)
def test_functions_of_float64_err_by_a_few_units(op):
    rng = np.random.default_rng(12)
    x = np.concatenate(
        [
            rng.standard_normal(20000) * 10.0 ** rng.uniform(-20, 3, 20000),
            rng.uniform(-2, 2, 20000),
            rng.integers(0, 2**63, 5000, dtype=np.uint64).view(np.float64),
            rng.integers(0, 2**63, 5000, dtype=np.uint64).view(np.float64) * -1,
            [0.0, -0.0, np.inf, -np.inf, np.nan, -1.0, 1.0, 5e-324, -745.1, 709.78, 709.79],
        ]
    )
    out = np.empty_like(x)
    lanes = f"%0 float64 = load 0\n%1 float64 = {op} %0"
    nest = EmittedNest(pointwise(["float64"], "float64", lanes, 1), WIDTHS[0])
    nest([x, out], numbers=(x.size,), columns=(0, x.size))
    exact = DOUBLE_FUNCTIONS[op](x.astype(np.longdouble))
    nearest = exact.astype(np.float64)
    special = ~np.isfinite(nearest) | (nearest == 0)
    np.testing.assert_array_equal(out[special], nearest[special])
    np.testing.assert_array_equal(np.signbit(out[nearest == 0]), np.signbit(nearest[nearest == 0]))
    units = np.abs(out[~special] - exact[~special]) / np.spacing(np.abs(nearest[~special]))
    assert units.max() < 3, x[~special][units.argmax()]

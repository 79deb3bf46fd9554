"""Arithmetic, powers, roundings and functions of one number as ONNX nodes."""

from collections.abc import Callable

import numpy as np
import opwright as ow
import pytest
from opwright.export import Dim

from .exported import OPSETS, check_export, node_types, through_bfloat16

INF = float("inf")
NAN = float("nan")

FLOATS = (ow.float16, ow.float32, ow.float64)
INTS = (ow.uint8, ow.int8, ow.int16, ow.int32, ow.int64)

EDGES = [0.0, -0.0, 0.5, -0.5, 1.5, 2.5, -2.5, 1e-7, -1e-7, 3.0, -7.0, 100.0, INF, -INF, NAN]

# Functions of one number, and the numbers that they are tried on.
UNARY = {
    "neg": EDGES,
    "abs": EDGES,
    "sign": [0.0, 2.0, -3.0, INF, -INF],
    "ceil": EDGES,
    "floor": EDGES,
    "round": [*EDGES, 3.5, -3.5, 0.49999997],
    "trunc": EDGES,
    "reciprocal": EDGES,
    "sqrt": EDGES,
    "rsqrt": EDGES,
    "exp": EDGES,
    "expm1": EDGES,
    "log": EDGES,
    "log2": EDGES,
    "log10": EDGES,
    "log1p": [*EDGES, -1.0, -0.999, 1e-6],
    "sin": [0.0, 0.5, -3.0, 10.0],
    "cos": [0.0, 0.5, -3.0, 10.0],
    "tan": [0.0, 0.5, -3.0, 1.0],
    "tanh": EDGES,
    "acosh": [1.0, 1.5, 20.0],
    "atanh": [0.0, 0.5, -0.9],
    "relu": EDGES,
    "sigmoid": EDGES,
}
# ONNX Runtime has these for float16 and float32 only.
UNARY_WITHOUT_DOUBLE = {
    "asin": [0.0, 0.5, -0.9, 1.0],
    "acos": [0.0, 0.5, -0.9, 1.0],
    "atan": EDGES,
    "sinh": [0.0, 0.5, -3.0],
    "cosh": [0.0, 0.5, -3.0],
    "asinh": [0.0, 0.5, -3.0],
    "erf": [0.0, 0.5, -3.0],
}
GIVES_FLOATS = sorted(
    set(UNARY) - {"neg", "abs", "sign", "ceil", "floor", "round", "trunc", "relu"}
)


def of_dtype(values: list[float], dtype: ow.dtype) -> ow.Tensor:
    return ow.tensor(values, dtype=ow.float64).to(dtype)


def ints(*values: int, dtype: ow.dtype = ow.int64) -> ow.Tensor:
    return ow.tensor(list(values), dtype=dtype)


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("name", UNARY)
def test_a_function_of_one_number_gives_what_eager_gives(name: str, dtype: ow.dtype) -> None:
    check_export(getattr(ow, name), of_dtype(UNARY[name], dtype), rtol=tolerance(dtype))


@pytest.mark.parametrize("dtype", FLOATS[:2], ids=str)
@pytest.mark.parametrize("name", UNARY_WITHOUT_DOUBLE)
def test_a_function_that_has_no_double_in_onnx_runtime(name: str, dtype: ow.dtype) -> None:
    values = of_dtype(UNARY_WITHOUT_DOUBLE[name], dtype)
    check_export(getattr(ow, name), values, rtol=tolerance(dtype))


@pytest.mark.parametrize("name", UNARY)
def test_a_function_of_bfloat16_is_computed_in_float32(name: str) -> None:
    fn = through_bfloat16(getattr(ow, name))
    check_export(fn, of_dtype(UNARY[name], ow.float32), opsets=OPSETS[1:], rtol=1e-2)


@pytest.mark.parametrize("dtype", [*INTS, ow.bool], ids=str)
@pytest.mark.parametrize("name", GIVES_FLOATS)
def test_ints_become_floats_where_eager_makes_them_floats(name: str, dtype: ow.dtype) -> None:
    check_export(getattr(ow, name), ow.tensor([1, 1, 1]).to(dtype), opsets=(12, 20))


@pytest.mark.parametrize("dtype", INTS, ids=str)
@pytest.mark.parametrize("name", ["neg", "abs", "sign", "ceil", "floor", "round", "trunc", "relu"])
def test_ints_stay_ints_and_wrap_round_as_in_eager(name: str, dtype: ow.dtype) -> None:
    least = 0 if dtype == ow.uint8 else int(np.iinfo(str(dtype).split(".")[-1]).min)
    check_export(getattr(ow, name), ints(0, 1, 2, 100, least, dtype=dtype))


# ---- Arithmetic ----

BINARY: dict[str, Callable] = {
    "add": lambda x, y: x + y,
    "add with alpha": lambda x, y: ow.add(x, y, alpha=3),
    "sub": lambda x, y: x - y,
    "sub with alpha": lambda x, y: ow.sub(x, y, alpha=2),
    "mul": lambda x, y: x * y,
    "div": lambda x, y: x / y,
    "div floor": lambda x, y: ow.div(x, y, rounding_mode="floor"),
    "div trunc": lambda x, y: ow.div(x, y, rounding_mode="trunc"),
    "floor_divide": lambda x, y: ow.floor_divide(x, y),
    "fmod": lambda x, y: ow.fmod(x, y),
    "remainder": lambda x, y: ow.remainder(x, y),
}
DIVIDENDS = [7.0, -7.0, 7.0, -7.0, 6.0, -6.0, 0.0, 5.0, 1.0]
DIVISORS = [2.0, 2.0, -2.0, -2.0, 3.0, 3.0, 4.0, -5.0, 7.0]


@pytest.mark.parametrize("dtype", [*FLOATS, *INTS], ids=str)
@pytest.mark.parametrize("name", BINARY)
def test_arithmetic_gives_what_eager_gives(name: str, dtype: ow.dtype) -> None:
    if dtype == ow.uint8:
        x, y = (of_dtype([abs(v) for v in values], dtype) for values in (DIVIDENDS, DIVISORS))
    else:
        x, y = of_dtype(DIVIDENDS, dtype), of_dtype(DIVISORS, dtype)
    check_export(BINARY[name], x, y, opsets=(12, 13, 18, 20, 26))


@pytest.mark.parametrize("name", BINARY)
@pytest.mark.parametrize("number", [3, -3, 2.5, -0.1], ids=str)
@pytest.mark.parametrize("dtype", [ow.float16, ow.float32, ow.int8, ow.int64], ids=str)
def test_arithmetic_with_a_number(name: str, number: float, dtype: ow.dtype) -> None:
    x = of_dtype([7.0, -7.0, 0.0, 1.0, -1.0], dtype)
    check_export(lambda x: BINARY[name](x, number), x, opsets=(12, 20))


@pytest.mark.parametrize("name", ["div floor", "div trunc", "floor_divide", "fmod", "remainder"])
def test_division_at_the_edges_of_floats(name: str) -> None:
    x = ow.tensor([1.0, -1.0, INF, NAN, 1.0, 5.0, 0.3, -0.3, 1e30])
    y = ow.tensor([0.0, 0.0, 2.0, 2.0, INF, -INF, 0.1, 0.1, 3.0])
    check_export(BINARY[name], x, y, opsets=(12, 20))


@pytest.mark.parametrize("name", [name for name in BINARY if name != "div"])
def test_ints_of_64_bits_are_exact(name: str) -> None:
    x = ints(2**62 + 1, -(2**62) - 1, 2**53 + 1, -(2**53) - 1)
    y = ints(3, 3, -5, 2**40 + 1)
    check_export(BINARY[name], x, y, opsets=(12, 20))


@pytest.mark.parametrize("name", BINARY)
def test_sizes_are_free_and_shapes_are_broadcast(name: str) -> None:
    check_export(
        BINARY[name],
        ow.rand(3, 1, 4) + 0.5,
        ow.rand(5, 1) + 0.5,
        dynamic_shapes={"x": {0: Dim("n")}, "y": {0: Dim("m")}},
        at=[(ow.rand(6, 1, 4) + 0.5, ow.rand(2, 1) + 0.5)],
        opsets=(12, 20),
    )


@pytest.mark.parametrize("name", ["add", "mul", "div", "sub"])
@pytest.mark.parametrize(
    "dtypes",
    [
        (ow.int32, ow.float32),
        (ow.uint8, ow.int8),
        (ow.bool, ow.int64),
        (ow.float16, ow.float32),
        (ow.int64, ow.float16),
        (ow.float32, ow.float64),
    ],
    ids=str,
)
def test_operands_of_two_dtypes_meet_as_in_eager(name: str, dtypes: tuple) -> None:
    x, y = of_dtype([1.0, 0.0, 5.0], dtypes[0]), of_dtype([2.0, 1.0, 3.0], dtypes[1])
    if name == "sub" and ow.bool in dtypes:
        x = x.to(ow.int8)
    check_export(BINARY[name], x, y, opsets=(12, 20))


def test_a_zero_dim_tensor_does_not_raise_the_dtype() -> None:
    check_export(lambda x, y: x * y, ow.rand(3).to(ow.float16), ow.tensor(0.1, dtype=ow.float64))


@pytest.mark.parametrize("dtype", [ow.uint16, ow.uint32, ow.uint64], ids=str)
def test_unsigned_ints_of_every_width_wrap_round(dtype: ow.dtype) -> None:
    x, y = ints(5, 2, 60000, 7).to(dtype), ints(2, 7, 60000, 3).to(dtype)
    for fn in (
        lambda x, y: x + y,
        lambda x, y: x - y,
        lambda x, y: x * y,
        ow.maximum,
        lambda x, y: x < y,
        lambda x, y: ow.where(x == y, x, y),
    ):
        check_export(fn, x, y, opsets=(12, 20))


def test_rsub_takes_a_number_and_alpha() -> None:
    check_export(lambda x: 3 - x, ow.rand(3), opsets=(12, 20))
    check_export(lambda x: ow.rsub(x, 5, alpha=2), ints(1, 2, 3), opsets=(12, 20))
    check_export(lambda x, y: ow.rsub(x, y, alpha=2), ints(1, 2), ints(3, 9), opsets=(12, 20))


def test_a_number_that_is_a_size_of_the_call() -> None:
    check_export(
        lambda x: (x * x.shape[0] + x.shape[0]).clamp(min=5, max=x.shape[0] + 3),
        ow.rand(3),
        dynamic_shapes={"x": {0: Dim("n")}},
        at=[(ow.rand(8),)],
        opsets=(12, 20),
    )


def test_an_operation_of_one_node_is_one_node() -> None:
    half = ow.rand(3).to(ow.float16)
    assert node_types(lambda x, y: x + y, ow.rand(3), ow.rand(3)) == ["Add"]
    assert node_types(lambda x, y: x + y, half, half) == ["Add"]
    assert node_types(lambda x: x * 2, half) == ["Mul"]
    assert node_types(lambda x, y: x / y, ints(1), ints(2)) == ["Cast", "Cast", "Div"]
    assert node_types(ow.asinh, ow.rand(3)) == ["Asinh"]


# ---- Powers and compositions ----


@pytest.mark.parametrize("exponent", [0, 1, 2, 3, 0.5, -1, -2, 2.5], ids=str)
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_powers_of_floats(exponent: float, dtype: ow.dtype) -> None:
    x = of_dtype([0.5, 2.0, 3.0, 1.0], dtype)
    check_export(lambda x: x**exponent, x, opsets=(12, 13, 20))
    check_export(lambda x: ow.pow(2, x), x, opsets=(12, 20))
    check_export(lambda x, y: x**y, x, of_dtype([exponent] * 4, dtype), opsets=(12, 20))


@pytest.mark.parametrize("dtype", INTS, ids=str)
def test_powers_of_ints_are_exact_and_wrap_round(dtype: ow.dtype) -> None:
    x = ints(0, 1, 2, 3, 7, 10, dtype=dtype)
    for exponent in (0, 1, 2, 3, 5, 19):
        check_export(lambda x, e=exponent: x**e, x, opsets=(12, 20))
    check_export(lambda x, y: x**y, x, ints(39, 40, 62, 39, 2, 1, dtype=dtype), opsets=(12, 20))
    check_export(lambda x: ow.pow(3, x), x, opsets=(12, 20))


def test_powers_of_negative_ints() -> None:
    x = ints(-1, -1, -2, -3, 1, 0, 5, -1)
    y = ints(3, 100, 63, 39, -5, 64, -1, -3)
    check_export(lambda x, y: x**y, x, y, opsets=(12, 20))


@pytest.mark.parametrize("dtype", [ow.float16, ow.float32], ids=str)
def test_atan2_of_every_quadrant(dtype: ow.dtype) -> None:
    y = of_dtype([1.0, 1.0, -1.0, -1.0, 0.0, 0.0, 2.0, -2.0, 0.0, NAN], dtype)
    x = of_dtype([1.0, -1.0, 1.0, -1.0, 1.0, -1.0, 0.0, 0.0, 0.0, 1.0], dtype)
    check_export(ow.atan2, y, x)


@pytest.mark.parametrize("dtype", [ow.float16, ow.float32, ow.float64], ids=str)
def test_compositions_of_three_operands(dtype: ow.dtype) -> None:
    x, y, z = (of_dtype(v, dtype) for v in ([1.0, -2.0, 3.0], [0.5, 4.0, -1.0], [0.25, 2.0, 0.75]))
    for fn in (
        lambda x, y, z: ow.addcmul(x, y, z, value=0.5),
        lambda x, y, z: ow.addcdiv(x, y, z, value=2),
        lambda x, y, z: ow.lerp(x, y, z),
        lambda x, y, z: ow.lerp(x, y, 0.3) + z,
        lambda x, y, z: ow.lerp(x, y, 0.8) + z,
    ):
        check_export(fn, x, y, z, opsets=(12, 20))


def test_addcmul_of_ints() -> None:
    x, y, z = ints(1, 2**60, 3), ints(3, 5, 2**40), ints(7, 9, 2**20)
    check_export(lambda x, y, z: ow.addcmul(x, y, z, value=2), x, y, z, opsets=(12, 20))


def test_xlogy_is_zero_at_zero() -> None:
    x = ow.tensor([0.0, 0.0, 1.0, 2.0, 0.0, 1.0])
    y = ow.tensor([0.0, INF, 2.0, 0.0, NAN, NAN])
    check_export(ow.xlogy, x, y, opsets=(12, 20))
    check_export(lambda x: ow.xlogy(2, x) + ow.xlogy(x, 3), ow.rand(4), opsets=(12, 20))


def tolerance(dtype: ow.dtype) -> float:
    """Of functions that ONNX Runtime computes with other series than eager."""
    return {ow.float16: 4e-3, ow.float32: 2e-6}.get(dtype, 1e-12)

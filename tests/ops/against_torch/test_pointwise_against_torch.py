"""Pointwise operators match torch: dtypes, broadcasting, strides, special values."""
# Covers: src/ops/pointwise/*.

import pytest

from .torch_referee import ALL, INTS, REALS, Calls, check_against_torch, dtype_of, torch

UNARY = (
    *("neg", "abs", "sign", "ceil", "floor", "round", "trunc", "reciprocal", "sqrt", "rsqrt"),
    *("exp", "expm1", "log", "log2", "log10", "log1p", "erf"),
    *("sin", "cos", "tan", "asin", "acos", "atan"),
    *("sinh", "cosh", "tanh", "asinh", "acosh", "atanh"),
    *("relu", "sigmoid", "silu", "gelu", "elu", "leaky_relu", "hardtanh"),
    *("bitwise_not", "logical_not", "isnan", "isinf"),
)
BINARY = (
    *("add", "sub", "mul", "div", "fmod", "remainder", "floor_divide"),
    *("eq", "ne", "lt", "le", "gt", "ge", "bitwise_and", "bitwise_or", "bitwise_xor"),
)
ONE_OVERLOAD = ("atan2", "maximum", "minimum", "logical_and", "logical_or", "logical_xor")
SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.0, 1e-8, -1e-30, 1e-41, 88.7, -104.0, 1e5, -3e38]
SPECIAL += [float("inf"), float("-inf"), float("nan")]


def unary_calls(calls: Calls) -> None:
    for op in UNARY:
        for dtype in ALL:
            calls.add(f"aten::{op}", calls.tensor(calls.sizes(), dtype))
        x = calls.tensor(calls.sizes(), calls.dtype(ALL))
        if op not in ("isnan", "isinf"):
            calls.add(f"aten::{op}_", x)
        given = "bool" if op in ("isnan", "isinf", "logical_not") else str(x.dtype).split(".")[1]
        calls.add(f"aten::{op}.out", x, out=torch.empty(0, dtype=dtype_of(given)))


def parameter_calls(calls: Calls) -> None:
    for _ in range(20):
        x = calls.tensor(calls.sizes(), calls.dtype([*REALS, "int64"]))
        calls.add("aten::gelu", x, approximate=calls.random.choice(["none", "tanh", "other"]))
        calls.add("aten::elu", x, 1.5, 0.5, 2.0)
        calls.add("aten::leaky_relu", x, 0.2)
        calls.add("aten::hardtanh", x, -0.5, 2)


def special_value_calls(calls: Calls) -> None:
    for dtype in [*REALS, "complex64", "complex128"]:
        real = torch.tensor(SPECIAL, dtype=torch.float64)
        x = real.to(dtype_of(dtype))
        other = real[torch.randperm(len(SPECIAL), generator=torch.Generator().manual_seed(3))]
        for op in UNARY:
            # Complex functions of infinities differ between standard libraries.
            if not x.is_complex() or op in ("neg", "abs", "logical_not", "isnan", "isinf"):
                # torch's gelu of infinity is nan.
                calls.add(f"aten::{op}", x[x != float("inf")] if op == "gelu" else x)
        if x.is_complex():
            continue
        y = other.to(x.dtype)
        for op in [*BINARY, *ONE_OVERLOAD]:
            overload = ".Tensor" if op in BINARY and op != "floor_divide" else ""
            # torch's remainder of a division by a number just above zero is nan.
            divisor = y[~(y.abs() < 1e-6)] if op in ("fmod", "remainder") else y
            calls.add(f"aten::{op}{overload}", x[:, None], divisor)
        calls.add("aten::pow.Tensor_Tensor", x[:, None], y)
        calls.add("aten::clamp.Tensor", x[:, None], y, x)
        calls.add("aten::clamp", x, float("nan"), 1.0)


def binary_calls(calls: Calls) -> None:
    for op in [*BINARY, *BINARY, *BINARY, *ONE_OVERLOAD]:
        for _ in range(12):
            a, b = calls.broadcast_pair()
            x = calls.tensor(a, calls.dtype(ALL))
            y = calls.tensor(b, calls.dtype(ALL))
            if op in ("fmod", "remainder", "floor_divide") and not y.is_floating_point():
                y = torch.where(y == 0, torch.ones_like(y), y)
            kwargs = {}
            if op in ("add", "sub") and calls.random.random() < 0.3:
                kwargs["alpha"] = calls.random.choice([2, 1.5, -1])
            if op in ONE_OVERLOAD:
                calls.add(f"aten::{op}", x, y)
            elif calls.random.random() < 0.3:
                calls.add(f"aten::{op}.Scalar", x, calls.number(x), **kwargs)
            else:
                overload = "" if op == "floor_divide" else ".Tensor"
                calls.add(f"aten::{op}{overload}", x, y, **kwargs)
    for _ in range(30):
        x = calls.tensor(calls.sizes(), calls.dtype(ALL))
        calls.add("aten::rsub.Scalar", x, calls.number(x))
        calls.add("aten::rsub.Tensor", x, calls.tensor([], calls.dtype(ALL)), alpha=2)


def in_place_calls(calls: Calls) -> None:
    for op in BINARY:
        for _ in range(6):
            sizes = calls.sizes()
            other = [1 if calls.random.random() < 0.3 else size for size in sizes]
            x = calls.tensor(sizes, calls.dtype(ALL))
            y = calls.tensor(other, calls.dtype(ALL))
            if op in ("fmod", "remainder", "floor_divide") and not y.is_floating_point():
                y = torch.where(y == 0, torch.ones_like(y), y)
            calls.add(f"aten::{op}_.Tensor", x, y)
            calls.add(f"aten::{op}_.Scalar", x, calls.number(x))
    for op in ("logical_and", "logical_xor", "atan2"):
        sizes = calls.sizes()
        x = calls.tensor(sizes, calls.dtype(ALL))
        calls.add(f"aten::{op}_", x, calls.tensor(sizes, calls.dtype(ALL)))


def out_calls(calls: Calls) -> None:
    names = {"add": "out", "sub": "out", "mul": "out", "div": "out", "floor_divide": "out"}
    for op in BINARY:
        for _ in range(4):
            a, b = calls.broadcast_pair()
            x = calls.tensor(a, calls.dtype(ALL))
            y = calls.tensor(b, calls.dtype(REALS))
            sizes = torch.broadcast_shapes(x.shape, y.shape)
            out = calls.tensor(list(sizes), calls.dtype(ALL))
            calls.add(f"aten::{op}.{names.get(op, 'Tensor_out')}", x, y, out=out)


def division_calls(calls: Calls) -> None:
    for mode in (None, "floor", "trunc", "round"):
        for _ in range(30):
            a, b = calls.broadcast_pair()
            x = calls.tensor(a, calls.dtype(ALL))
            y = calls.tensor(b, calls.dtype(REALS))
            calls.add("aten::div.Tensor_mode", x, y, rounding_mode=mode)
            calls.add(
                "aten::div.Scalar_mode", x, calls.random.choice([2, -3, 0.5]), rounding_mode=mode
            )
    for dtype in INTS:
        x = calls.tensor([7], dtype)
        for op in ("fmod.Tensor", "remainder.Tensor", "floor_divide"):
            calls.add(f"aten::{op}", x, torch.tensor([1, 2, 3, 1, 2, 0, 5]).to(x.dtype))
        calls.add("aten::remainder.Scalar_Tensor", 7, x + 10)


def power_calls(calls: Calls) -> None:
    for _ in range(60):
        a, b = calls.broadcast_pair()
        x = calls.tensor(a, calls.dtype(ALL))
        y = calls.tensor(b, calls.dtype(ALL))
        calls.add("aten::pow.Tensor_Tensor", x, y)
        calls.add(
            "aten::pow.Tensor_Scalar", x, calls.random.choice([2, 3, 0.5, -0.5, -1, -2, 1.7, 0])
        )
        calls.add("aten::pow.Scalar", calls.random.choice([2, 0.5, 3, -1.5]), y)


def choice_calls(calls: Calls) -> None:
    for _ in range(60):
        a, b = calls.broadcast_pair()
        x = calls.tensor(a, calls.dtype(ALL))
        y = calls.tensor(b, calls.dtype(ALL))
        condition = calls.tensor(calls.random.choice([a, b]), "bool")
        calls.add("aten::where.self", condition, x, y)
        calls.add("aten::where.ScalarOther", condition, x, calls.random.choice([1, 2.5, True]))
        calls.add("aten::where.ScalarSelf", condition, 3, y)
        calls.add("aten::where.Scalar", condition, 1.0, 2)
        low, high = calls.random.choice([(None, 1), (-1, None), (-0.5, 0.5), (2, -2), (None, None)])
        calls.add("aten::clamp", x, low, high)
        calls.add("aten::clamp.Tensor", x, y, None)
        calls.add("aten::clamp.Tensor", x, y, y)


def fused_calls(calls: Calls) -> None:
    for _ in range(40):
        a, b = calls.broadcast_pair()
        dtypes = [calls.dtype(REALS), calls.dtype(REALS), calls.dtype(["float32", "int64"])]
        x, y, z = (
            calls.tensor(sizes, dtype) for sizes, dtype in zip((a, b, a), dtypes, strict=True)
        )
        calls.add("aten::addcmul", x, y, z, value=calls.random.choice([1, 2, 0.5]))
        calls.add("aten::addcdiv", x, y, z, value=calls.random.choice([1, 2, 0.5]))


def large_calls(calls: Calls) -> None:
    """Lengths beyond the blocks of the engine and the grain of its threads."""
    for sizes in ([1025], [4099], [70001], [301, 257], [1000, 3], [3, 1000], [17, 5, 9, 13]):
        for dtype in ("float32", "float16", "int64", "bool"):
            x = calls.tensor(sizes, dtype)
            y = calls.tensor([1, *sizes[1:]], "float32")
            column = calls.tensor([*sizes[:-1], 1], "bfloat16")
            calls.add("aten::add.Tensor", x, y)
            calls.add("aten::mul.Tensor", x.transpose(0, -1), column.transpose(0, -1))
            calls.add("aten::add.Scalar", x, 1.5)
            calls.add("aten::exp", x)
            calls.add("aten::lt.Tensor", x, column)
            calls.add("aten::where.self", x > 0, y, column)


@pytest.mark.parametrize(
    "make_calls",
    [
        unary_calls,
        parameter_calls,
        special_value_calls,
        binary_calls,
        in_place_calls,
        out_calls,
        division_calls,
        power_calls,
        choice_calls,
        fused_calls,
        large_calls,
    ],
)
def test_pointwise_calls_give_what_torch_gives(make_calls):
    check_against_torch(make_calls)

"""Special functions, and parts and neighbours of numbers, match torch: dtypes, broadcasting,
strides, special values."""
# Covers: src/ops/special/*.

import pytest

from .torch_referee import ALL, INTS, REALS, Calls, check_against_torch, dtype_of, torch

UNARY = (
    *("lgamma", "digamma", "erfc", "erfinv", "i0", "exp2", "sinc", "deg2rad", "rad2deg", "angle"),
    *("frac", "signbit", "isposinf", "isneginf", "nan_to_num"),
    *("special_i0e", "special_i1", "special_i1e", "special_entr", "special_ndtri"),
    *("special_log_ndtr", "special_ndtr", "special_erfcx"),
    *("special_bessel_j0", "special_bessel_j1", "special_bessel_y0", "special_bessel_y1"),
    *("special_modified_bessel_i0", "special_modified_bessel_i1", "special_modified_bessel_k0"),
    *("special_modified_bessel_k1", "special_scaled_modified_bessel_k0"),
    *("special_scaled_modified_bessel_k1", "special_spherical_bessel_j0"),
)
# Those that torch has in place.
IN_PLACE = ("lgamma", "digamma", "erfc", "erfinv", "i0", "exp2", "sinc", "deg2rad", "frac")
FLOATING = ("nextafter", "hypot", "logaddexp", "logaddexp2", "igamma", "igammac")
BINARY = (*FLOATING, "fmax", "fmin", "gcd", "lcm", "special_zeta", "special_xlog1py")
POLYNOMIALS = (
    *(f"special_{kind}chebyshev_polynomial_{c}" for kind in ("", "shifted_") for c in "tuvw"),
    *("special_hermite_polynomial_h", "special_hermite_polynomial_he"),
    *("special_laguerre_polynomial_l", "special_legendre_polynomial_p"),
)
# Where torch's own result is a limit's NaN, or has lost its digits: the point is left out.
LIMITS = {
    **dict.fromkeys(("i0", "special_modified_bessel_i0"), lambda x: x.isinf()),
    **dict.fromkeys(("special_i1", "special_modified_bessel_i1"), lambda x: x.isinf()),
    **dict.fromkeys(("special_bessel_j0", "special_bessel_j1"), lambda x: x.abs() > 1e4),
    **dict.fromkeys(("special_bessel_y0", "special_bessel_y1"), lambda x: x.abs() > 1e4),
    "special_modified_bessel_k0": lambda x: x.isinf(),
    "special_modified_bessel_k1": lambda x: x.isinf(),
    "special_scaled_modified_bessel_k0": lambda x: x.isinf(),
    "special_scaled_modified_bessel_k1": lambda x: x.isinf(),
    "lgamma": lambda x: x == float("-inf"),
}
HALVES = ("float16", "bfloat16")
# torch has no halves of these, nor of special_zeta.
NO_HALVES = (
    *("special_ndtri", "special_log_ndtr", "special_erfcx", "special_bessel", "special_modified"),
    *("special_scaled", "special_spherical"),
)
# torch's float64 has ten digits of these: only other dtypes are compared. Its airy_ai has six.
IMPRECISE = ("special_bessel",)
SPECIAL = [0.0, -0.0, 1.0, 0.5, 0.25, 2.5, 3.0, 1e-8, 88.7, 1e5]
SPECIAL += [-1.0, -2.5, -104.0, float("inf"), float("-inf"), float("nan")]


def is_compared(op: str, dtype: str) -> bool:
    left_out = NO_HALVES if dtype in HALVES else IMPRECISE if dtype == "float64" else ()
    return not op.startswith(left_out)


def unary_calls(calls: Calls) -> None:
    for op in UNARY:
        for dtype in ALL:
            if is_compared(op, dtype):
                calls.add(f"aten::{op}", calls.tensor(calls.sizes(), dtype))
        x = calls.tensor(calls.sizes(), "float32")
        given = "bool" if op in ("signbit", "isposinf", "isneginf") else str(x.dtype).split(".")[1]
        calls.add(f"aten::{op}.out", x, out=torch.empty(0, dtype=dtype_of(given)))
    for op in IN_PLACE:
        for dtype in ("float32", "float64", "int64"):
            calls.add(f"aten::{op}_", calls.tensor(calls.sizes(), dtype))


def special_value_calls(calls: Calls) -> None:
    for dtype in REALS:
        x = torch.tensor(SPECIAL, dtype=torch.float64).to(dtype_of(dtype))
        for op in UNARY:
            if is_compared(op, dtype):
                calls.add(f"aten::{op}", x[~LIMITS[op](x)] if op in LIMITS else x)
        for op in ("fmax", "fmin", "hypot", "logaddexp", "logaddexp2", "nextafter"):
            calls.add(f"aten::{op}", x[:, None], x)
        calls.add("aten::copysign.Tensor", x[:, None], x)
        calls.add("aten::heaviside", x, x.flip(0))
        calls.add("aten::nan_to_num", x, nan=1.5, posinf=3.0)
        calls.add("aten::nan_to_num", x, neginf=-2.0)
        calls.add("aten::frexp.Tensor", x)
        calls.add("aten::round.decimals", x, decimals=1)
        calls.add("aten::special_xlog1py", x[:, None], x)


def binary_calls(calls: Calls) -> None:
    for op in BINARY:
        for _ in range(12):
            a, b = calls.broadcast_pair()
            dtypes = [each for each in ALL if op != "special_zeta" or each not in HALVES]
            x, y = calls.tensor(a, calls.dtype(dtypes)), calls.tensor(b, calls.dtype(dtypes))
            if op.startswith(("igamma", "special_zeta")):
                x, y = (each if each.is_complex() else each * each + 2 for each in (x, y))
            calls.add(f"aten::{op}", x, y)
    for _ in range(12):
        x = calls.tensor(calls.sizes(), calls.dtype(ALL))
        y = calls.tensor([], calls.dtype(REALS))
        calls.add("aten::copysign.Tensor", x, y)
        calls.add("aten::copysign.Scalar", x, calls.random.choice([1, -2.0, -0.0]))
        calls.add("aten::special_xlog1py.self_scalar", 2, y)
        calls.add("aten::special_xlog1py.other_scalar", x, 0.5)
        calls.add("aten::heaviside", x, x)
        calls.add("aten::heaviside", x, y)
    for dtype in ("float16", "bfloat16", "float32", "float64"):
        x = calls.tensor([40], dtype)
        calls.add("aten::nextafter", x, x.flip(0))
        calls.add("aten::frexp.Tensor", x)


def parameter_calls(calls: Calls) -> None:
    for dtype in ALL:
        x = calls.tensor(calls.sizes(), dtype)
        for n in (0, 2, 5):  # torch's trigamma has ten digits
            calls.add("aten::polygamma", n, x if x.is_complex() else x * x + 1)
        calls.add("aten::nan_to_num", x, 1.0)
        calls.add("aten::special_logit", x, 0.25)
    for dtype in REALS:
        x = calls.tensor(calls.sizes(), dtype)
        calls.add("aten::polygamma_", x.abs() + 1, 2)
        calls.add("aten::polygamma.out", 2, x.abs() + 1, out=torch.empty(0, dtype=x.dtype))
        calls.add("aten::mvlgamma", x.abs() + 4, 3)
        calls.add("aten::mvlgamma_", x.abs() + 4, 2)
    for dtype in ("float32", "float64"):
        x = calls.tensor(calls.sizes(), dtype) * 100
        for decimals in (0, 2, -1):
            calls.add("aten::round.decimals", x, decimals=decimals)
            calls.add("aten::round_.decimals", x, decimals=decimals)


def polynomial_calls(calls: Calls) -> None:
    for op in POLYNOMIALS:
        for _ in range(6):
            a, b = calls.broadcast_pair()
            # torch has no halves.
            x = calls.tensor(a, calls.dtype(["float32", "float64", "complex64", *INTS]))
            calls.add(f"aten::{op}", x, calls.tensor(b, "int64"))
            calls.add(f"aten::{op}.n_scalar", calls.tensor(a, "float64"), 4)
            calls.add(f"aten::{op}.x_scalar", 0.3, calls.tensor(a, "int32"))
        x = torch.linspace(-1.5, 1.5, 13, dtype=torch.float64)
        for n in (-1, 0, 1, 2, 3, 7, 10):
            calls.add(f"aten::{op}.n_scalar", x, n)


def whole_number_calls(calls: Calls) -> None:
    for dtype in ["bool", "float32", *INTS]:
        for _ in range(4):
            a, b = calls.broadcast_pair()
            x, y = calls.tensor(a, dtype), calls.tensor(b, dtype)
            for side in ("left", "right"):
                calls.add(f"aten::bitwise_{side}_shift.Tensor", x, y)
                calls.add(f"aten::bitwise_{side}_shift.Tensor_Scalar", x, 3)
                calls.add(f"aten::bitwise_{side}_shift.Scalar_Tensor", 77, y)
                calls.add(f"aten::bitwise_{side}_shift_.Tensor_Scalar", x, 2)
            calls.add("aten::gcd_", x, y[(0,) * y.dim()] if y.numel() else x)
    for dtype in INTS:
        limits = torch.iinfo(dtype_of(dtype))
        x = torch.tensor(
            [limits.min, limits.max, -1 if limits.min else 1, 7], dtype=dtype_of(dtype)
        )
        for count in (0, 1, 7, 8, 31, 63, 64):
            calls.add("aten::bitwise_left_shift.Tensor_Scalar", x, count)
            calls.add("aten::bitwise_right_shift.Tensor_Scalar", x, count)
        calls.add("aten::gcd", x[1:], x[1:].flip(0))


def composite_calls(calls: Calls) -> None:
    for dtype in ALL:
        x = calls.tensor(calls.sizes(), dtype)
        calls.add("aten::float_power.Tensor_Scalar", x, 2)
        calls.add("aten::float_power.Scalar", 2.5, x)
        calls.add("aten::float_power.Tensor_Tensor", x, calls.tensor([], "float32"))
        calls.add("aten::ldexp.Tensor", x, calls.tensor([], "int32"))
        calls.add("aten::positive", x)
        for name in ("expit", "psi", "gammaln", "sinc", "exp2", "expm1", "log1p", "erf", "i0"):
            calls.add(f"aten::special_{name}", x)
        calls.add("aten::special_xlogy.other_scalar", x, 2.5)
        calls.add("aten::special_xlogy.self_scalar", 2, x)
    for dtype in REALS:
        x = calls.tensor([3, 4], dtype)
        calls.add("aten::special_softmax", x, 1)
        calls.add("aten::special_log_softmax", x, 0)
        calls.add("aten::special_logsumexp", x, [1])
        calls.add("aten::special_round", x, decimals=1)
        calls.add("aten::special_polygamma", 2, x.abs() + 1)
        calls.add("aten::special_multigammaln", x.abs() + 4, 2)
        calls.add("aten::special_gammainc", x.abs(), x.abs())
        calls.add("aten::special_gammaincc", x.abs(), x.abs())
        for name in ("expit", "psi", "gammaln", "erfinv", "log1p", "i0"):
            calls.add(f"aten::special_{name}.out", x, out=torch.empty(0, dtype=x.dtype))


@pytest.mark.parametrize(
    "make_calls",
    [
        unary_calls,
        special_value_calls,
        binary_calls,
        parameter_calls,
        polynomial_calls,
        whole_number_calls,
        composite_calls,
    ],
)
def test_special_calls_give_what_torch_gives(make_calls):
    check_against_torch(make_calls)

"""Cases of special functions, and of parts and neighbours of numbers."""

from functools import partial

from .cases import operands


def special_cases(package, size):
    """Return {name: function without arguments}: one of each family of special functions."""
    values = {name: package.from_numpy(each.copy()) for name, each in operands(size).items()}
    x, y, _, ints = values.values()
    positive, other = x.abs() + 0.1, y.abs() + 0.1
    fraction = x.sigmoid()
    special = package.special
    return {
        "exp2": lambda: package.exp2(x),
        "hypot": lambda: package.hypot(x, y),
        "copysign": lambda: package.copysign(x, y),
        "fmax": lambda: package.fmax(x, y),
        "nextafter": lambda: package.nextafter(x, y),
        "logaddexp": lambda: package.logaddexp(x, y),
        "nan_to_num": lambda: package.nan_to_num(x),
        "gcd": lambda: package.gcd(ints, ints),
        "bitwise_left_shift": lambda: package.bitwise_left_shift(ints, 3),
        "frexp": lambda: package.frexp(x),
        "sinc": lambda: package.sinc(x),
        "erfc": lambda: package.erfc(x),
        "erfinv": lambda: package.erfinv(fraction),
        "ndtri": lambda: special.ndtri(fraction),
        "log_ndtr": lambda: special.log_ndtr(x),
        "lgamma": lambda: package.lgamma(x),
        "digamma": lambda: package.digamma(positive),
        "polygamma": lambda: package.polygamma(1, positive),
        "igamma": lambda: package.igamma(positive, other),
        "zeta": lambda: special.zeta(positive + 1, other),
        "i0": lambda: package.i0(x),
        "modified_bessel_k0": lambda: special.modified_bessel_k0(positive),
        "bessel_j0": lambda: special.bessel_j0(x),
        "airy_ai": lambda: special.airy_ai(x),
        "chebyshev_polynomial_t": lambda: special.chebyshev_polynomial_t(x, 5),
        "hermite_polynomial_h": lambda: special.hermite_polynomial_h(x, 5),
    }


# Of one argument, by where their numbers lie: any, above 0, between 0 and 1.
ANY = [
    "special_erfcx",
    "special_ndtr",
    "special_i0e",
    "special_i1",
    "special_i1e",
    "special_bessel_j1",
    "sinc",
    "deg2rad",
    "special_modified_bessel_i0",
    "special_modified_bessel_i1",
    "special_spherical_bessel_j0",
    "frac",
    "signbit",
    "isposinf",
    "isneginf",
    "angle",
    "positive",
]
ABOVE_ZERO = [
    "special_bessel_y0",
    "special_bessel_y1",
    "special_modified_bessel_k1",
    "special_entr",
    "special_scaled_modified_bessel_k0",
    "special_scaled_modified_bessel_k1",
]
PAIRS = [
    "igammac",
    "special_xlog1py",
    "logaddexp2",
    "float_power.Tensor_Tensor",
    "heaviside",
    "fmin",
    "ldexp.Tensor",
]
DEGREE = 5
POLYNOMIALS = [
    "chebyshev_polynomial_u",
    "chebyshev_polynomial_v",
    "chebyshev_polynomial_w",
    "hermite_polynomial_he",
    "shifted_chebyshev_polynomial_t",
    "shifted_chebyshev_polynomial_u",
    "shifted_chebyshev_polynomial_v",
    "shifted_chebyshev_polynomial_w",
    "laguerre_polynomial_l",
    "legendre_polynomial_p",
]


def find(package, name):
    base, _, form = name.partition(".")
    return getattr(getattr(package.ops.aten, base), form or "default")


SIZE = 1 << 16


def other_special_cases(package):
    """Return the cases of every other kernel of these families, of SIZE elements, as above."""
    size = SIZE
    values = {name: package.from_numpy(each.copy()) for name, each in operands(size).items()}
    x, y, _, ints = values.values()
    positive, other = x.abs() + 0.1, y.abs() + 0.1
    fraction = x.sigmoid()
    calls = [(name, (x,)) for name in ANY] + [(name, (positive,)) for name in ABOVE_ZERO]
    calls += [(name, (positive, other)) for name in PAIRS]
    calls += [(f"special_{name}.n_scalar", (fraction, DEGREE)) for name in POLYNOMIALS]
    calls += [
        ("mvlgamma", (positive + 2, 3)),
        ("lcm", (ints, ints + 1)),
        ("bitwise_right_shift.Tensor_Scalar", (ints, 3)),
        ("logcumsumexp", (x, 0)),
        ("view_as_complex", (x.reshape(size // 2, 2),)),
        ("complex", (x, y)),
        ("polar", (positive, y)),
        ("round.decimals", (x,)),
    ]
    cases = {}
    for name, arguments in calls:
        operator = find(package, name)
        given = {"decimals": 2} if name == "round.decimals" else {}
        cases[name.removeprefix("special_")] = partial(operator, *arguments, **given)
    return cases

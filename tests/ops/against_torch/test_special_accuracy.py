"""Special functions agree with values of forty digits: float64 and float32 to a few ulp."""

import math

import opwright as ow
import pytest

mpmath = pytest.importorskip("mpmath", reason="mpmath is not installed: no digits were compared")
mp = mpmath.mp.clone()
mp.dps = 40

LINE = [-170.6, -30.5, -8.25, -4.5, -2.75, -1.3, -0.6, -0.2, -1e-3, -1e-9]
LINE += [1e-9, 1e-3, 0.2, 0.49, 0.5, 0.7, 1.0, 1.4, 1.9, 2.1, 3.3, 5.1, 7.9, 8.1, 12.3, 26.0, 88.1]
POSITIVE = [x for x in LINE if x > 0]
INSIDE = [-0.999999, -0.9, -0.51, -0.3, -1e-4, -1e-12, 1e-12, 0.01, 0.2, 0.499, 0.51, 0.75, 0.99]
POLYNOMIALS = [f"chebyshev_polynomial_{kind}" for kind in "tuvw"]
POLYNOMIALS += [f"shifted_{name}" for name in POLYNOMIALS]
POLYNOMIALS += ["hermite_polynomial_h", "hermite_polynomial_he"]
POLYNOMIALS += ["laguerre_polynomial_l", "legendre_polynomial_p"]
SHARES = [1e-300, 1e-30, 1e-9, 1e-4, 0.02, 0.1, 0.3, 0.49, 0.51, 0.7, 0.9, 0.999, 1 - 1e-12]


def ndtr(x):
    return mp.erfc(-x / mp.sqrt(2)) / 2


def ndtri(p):
    start = mp.mpf(float(ow.special.ndtri(ow.tensor(float(p), dtype=ow.float64))))
    return mp.findroot(lambda z: mp.log(ndtr(z)) - mp.log(p), start)


def scaled(nu):
    return lambda x: mp.besseli(nu, x) * mp.exp(-abs(x))


def laguerre(n, x):
    return sum(mp.binomial(n, k) * (-x) ** k / mp.factorial(k) for k in range(n + 1))


# Each function with the value that it must have, its arguments, and the errors in ulp of float64
# and float32. Near the zeros of Bessel functions beyond the first two, only the absolute error is
# small, and no point is there.
CASES = {
    "gammaln": (mp.loggamma, POSITIVE, 4, 4),
    "psi": (mp.digamma, [x for x in LINE if x != 1.4], 16, 2),
    "erf": (mp.erf, LINE, 2, 2),
    "erfc": (mp.erfc, [x for x in LINE if x < 26], 4, 2),
    "erfcx": (lambda x: mp.exp(x * x) * mp.erfc(x), [x for x in LINE if x > -20], 8, 2),
    "erfinv": (mp.erfinv, INSIDE, 3, 2),
    "ndtr": (ndtr, [x for x in LINE if x > -7 and x < 26], 40, 2),
    "ndtri": (ndtri, SHARES, 4, 2),
    "log_ndtr": (lambda x: mp.log(ndtr(x)), [x for x in LINE if x < 5], 8, 2),
    "entr": (lambda x: -x * mp.log(x), [x for x in POSITIVE if x != 1], 3, 2),
    "exp2": (lambda x: mp.mpf(2) ** x, LINE, 3, 2),
    "sinc": (mp.sincpi, LINE, 8, 2),
    "i0": (lambda x: mp.besseli(0, x), LINE, 8, 2),
    "i1": (lambda x: mp.besseli(1, x), LINE, 8, 2),
    "i0e": (scaled(0), LINE, 8, 2),
    "i1e": (scaled(1), LINE, 8, 2),
    "modified_bessel_k0": (lambda x: mp.besselk(0, x), POSITIVE, 8, 2),
    "modified_bessel_k1": (lambda x: mp.besselk(1, x), POSITIVE, 8, 2),
    "scaled_modified_bessel_k0": (lambda x: mp.exp(x) * mp.besselk(0, x), POSITIVE, 8, 2),
    "scaled_modified_bessel_k1": (lambda x: mp.exp(x) * mp.besselk(1, x), POSITIVE, 8, 2),
    "bessel_j0": (lambda x: mp.besselj(0, x), [*LINE, 2.4048255, 5.52], 60, 2),
    "bessel_j1": (lambda x: mp.besselj(1, x), [*LINE, 3.8317, 7.0155], 60, 2),
    "bessel_y0": (lambda x: mp.bessely(0, x), POSITIVE, 60, 2),
    "bessel_y1": (lambda x: mp.bessely(1, x), POSITIVE, 60, 2),
    "spherical_bessel_j0": (mp.sinc, LINE, 4, 2),
    "airy_ai": (mp.airyai, [x for x in LINE if -10 < x < 26], 100, 2),
}


def worst_error(result: list[float], expected: list, digits: int) -> float:
    """Return the largest error in units of the last of so many binary digits."""
    errors = [0.0]
    for value, exact in zip(result, expected, strict=True):
        _, exponent = math.frexp(float(exact))
        unit = math.ldexp(1.0, max(exponent, -125 if digits == 24 else -1021) - digits)
        errors.append(float(abs(mp.mpf(value) - exact) / unit))
    return max(errors)


@pytest.mark.parametrize("name", CASES)
def test_a_function_has_few_wrong_digits(name):
    exact, arguments, ulps_of_double, ulps_of_float = CASES[name]
    function = getattr(ow.special, name)

    for dtype, digits, ulps in ((ow.float64, 53, ulps_of_double), (ow.float32, 24, ulps_of_float)):
        x = ow.tensor(arguments, dtype=dtype)
        pairs = [
            (value, exact(mp.mpf(point)))
            for value, point in zip(function(x).tolist(), x.tolist(), strict=True)
            if 0 < abs(point) < 1e30 and (name not in ("erfinv", "ndtri") or abs(point) < 1)
        ]
        held = [(value, e) for value, e in pairs if abs(e) < (1e300 if digits == 53 else 1e38)]
        assert len(held) > len(arguments) / 2
        assert worst_error(*zip(*held, strict=True), digits) <= ulps, (name, dtype)


@pytest.mark.parametrize("n", [1, 2, 3, 7])
def test_polygamma_has_few_wrong_digits(n):
    points = [x for x in LINE if -1.5 < x < 100]  # below, terms of both signs cancel
    result = ow.polygamma(n, ow.tensor(points, dtype=ow.float64)).tolist()

    assert worst_error(result, [mp.psi(n, x) for x in points], 53) <= 100


@pytest.mark.parametrize("s", [1.01, 2.0, 3.5, 10.0, 60.0, 2000.0])
def test_zeta_has_few_wrong_digits(s):
    points = [1e-3, 0.3, 1.0, 2.5, 9.0, 30.0, 1e4]
    exact = [mp.zeta(s, x) for x in points]
    # The reference has no digits of smaller numbers.
    held = [(x, e) for x, e in zip(points, exact, strict=True) if 1e-30 < e < 1e300]
    result = ow.special.zeta(s, ow.tensor([x for x, _ in held], dtype=ow.float64)).tolist()

    assert worst_error(result, [e for _, e in held], 53) <= 50


def test_incomplete_gamma_functions_have_few_wrong_digits():
    for a in (1e-8, 0.01, 0.3, 0.9, 1.0, 2.5, 9.0, 24.0, 26.0, 80.0, 199.0, 500.0, 1e4):
        for ratio in (1e-3, 0.1, 0.5, 0.68, 0.9, 0.999, 1.0, 1.02, 1.2, 1.36, 2.0, 10.0):
            x = a * ratio
            if x > 15000:
                continue  # the reference does not converge
            lower = mp.gammainc(a, 0, x, regularized=True)
            upper = mp.gammainc(a, x, mp.inf, regularized=True)
            pair = (ow.tensor(a, dtype=ow.float64), ow.tensor(x, dtype=ow.float64))

            for function, exact in ((ow.igamma, lower), (ow.igammac, upper)):
                if exact < 1e-290:
                    continue
                result = function(*pair).item()
                assert abs(result - exact) <= 2e-13 * exact, (function, a, x, result, exact)


def gamma_series(a: float, x: float) -> tuple:
    """Return both functions by the power series, of which mpmath gives up a large shape."""
    with mp.workdps(320):
        shape, point = mp.mpf(a), mp.mpf(x)
        term = total = mp.mpf(1)
        k = 1
        while term > total * mp.mpf(10) ** -310:
            term *= point / (shape + k)
            total += term
            k += 1
        lower = total * mp.exp(shape * mp.log(point) - point - mp.loggamma(shape + 1))
        return lower, 1 - lower


@pytest.mark.parametrize("a", [9.9e4, 1.01e5, 3e5])
def test_incomplete_gamma_functions_of_a_large_shape_have_few_wrong_digits(a):
    for ratio in (0.949, 0.951, 0.999, 1.0, 1.01, 1.049, 1.051):
        x = a * ratio
        lower, upper = gamma_series(a, x)
        pair = (ow.tensor(a, dtype=ow.float64), ow.tensor(x, dtype=ow.float64))

        for function, exact in ((ow.igamma, lower), (ow.igammac, upper)):
            if exact < 1e-290:
                continue
            # Of an exponent of a few hundred, rounding errors become errors of the result.
            result = function(*pair).item()
            assert abs(result - exact) <= 2e-12 * exact, (function, a, x, result, exact)


def test_logaddexp2_has_few_wrong_digits():
    points = [-90.0, -5.5, -1.0, -1e-6, 0.0, 1e-9, 0.3, 1.0, 7.25, 24.5, 60.0]
    pairs = [(x, y) for x in points for y in points if abs(x - y) < 140]

    for dtype, digits in ((ow.float64, 53), (ow.float32, 24)):
        x, y = (ow.tensor(each, dtype=dtype) for each in zip(*pairs, strict=True))
        result = ow.logaddexp2(x, y).tolist()
        exact = [
            mp.log(mp.mpf(2) ** a + mp.mpf(2) ** b, 2)
            for a, b in zip(x.tolist(), y.tolist(), strict=True)
        ]

        held = [(r, e) for r, e in zip(result, exact, strict=True) if abs(e) > 1e-3]
        assert worst_error(*zip(*held, strict=True), digits) <= 2, dtype


@pytest.mark.parametrize("name", POLYNOMIALS)
def test_a_degree_gives_the_same_as_a_tensor_of_degrees(name):
    function = getattr(ow.special, name)
    points = [-2.5, -1.0, -0.7, 0.0, 0.1, 0.9, 1.0, 1.8, math.inf, -math.inf, math.nan] * 7

    for dtype, error in ((ow.float64, 1e-11), (ow.float32, 1e-6)):
        x = ow.tensor(points, dtype=dtype)
        for n in (-1, 0, 1, 2, 5, 6, 7, 40, 1200):
            ow.testing.assert_close(
                function(x, n), function(x, ow.tensor(n)), rtol=error, atol=error, equal_nan=True
            )


@pytest.mark.parametrize(
    ("name", "exact"),
    [
        ("chebyshev_polynomial_t", mp.chebyt),
        ("chebyshev_polynomial_u", mp.chebyu),
        ("hermite_polynomial_h", mp.hermite),
        ("laguerre_polynomial_l", laguerre),
        ("legendre_polynomial_p", mp.legendre),
    ],
)
def test_polynomials_agree_with_their_definition(name, exact):
    points = [-2.5, -1.0, -0.7, 0.1, 0.9, 1.0, 1.8]
    for n in (0, 1, 2, 3, 6, 7, 11):
        result = getattr(ow.special, name)(ow.tensor(points, dtype=ow.float64), n).tolist()

        for value, point in zip(result, points, strict=True):
            expected = exact(n, mp.mpf(point))
            assert abs(value - expected) <= 1e-13 * max(1, abs(expected)), (n, point)

"""Exponentials, reflections, LDL factors and least squares against torch and NumPy."""

import math
import re

import numpy as np
import opwright as ow
import pytest
import torch

from .linalg_referee import (
    as_torch,
    assert_close,
    assert_same,
    assert_same_gradient,
    assert_same_under_vmap,
    given,
    positive_definite,
    to_ours,
)

DTYPES = [torch.float32, torch.float64, torch.complex64, torch.complex128]
WIDE = [torch.float64, torch.complex128]
DRIVERS = ["gels", "gelsy", "gelsd", "gelss"]
linalg = torch.linalg
aten = ow.ops.aten


def symmetric(*sizes: int, dtype: torch.dtype, hermitian: bool) -> torch.Tensor:
    matrix = given(*sizes, dtype=dtype)
    return matrix + (matrix.mH if hermitian else matrix.mT)


# ---- exponentials


@pytest.mark.parametrize("sizes", [(3, 3), (2, 4, 4), (2, 1, 1), (0, 0), (0, 3, 3)])
@pytest.mark.parametrize("dtype", DTYPES)
def test_exponentials_agree(sizes, dtype):
    assert_same("linalg_matrix_exp", linalg.matrix_exp, given(*sizes, dtype=dtype))
    assert_same("matrix_exp", torch.matrix_exp, given(*sizes, dtype=dtype) / 100)


@pytest.mark.parametrize("scale", [1e-9, 1e-3, 0.5, 3.0, 40.0])
@pytest.mark.parametrize("dtype", DTYPES)
def test_exponentials_of_every_norm_equal_those_by_eigenvectors(dtype, scale):
    matrix = symmetric(6, 6, dtype=dtype, hermitian=True).mul(scale)
    matrix = matrix / linalg.matrix_norm(matrix, 2) * scale
    values, vectors = linalg.eigh(matrix.to(torch.complex128))
    expected = (vectors * values.exp()) @ vectors.mH

    actual = as_torch(aten.linalg_matrix_exp(to_ours(matrix))).to(torch.complex128)

    limit = 1e-12 if dtype in WIDE else 2e-5
    assert linalg.matrix_norm(actual - expected) <= limit * linalg.matrix_norm(expected)


def test_exponentials_of_infinite_matrices_are_nan_and_of_halves_are_rounded():
    matrices = ow.tensor([[[math.inf, 0.0], [0.0, 0.0]], [[0.0, 0.0], [0.0, math.nan]]])

    assert as_torch(aten.linalg_matrix_exp(matrices)).isnan().all()
    half = ow.tensor([[0.0, 1.0], [0.0, 0.0]], dtype=ow.float16)
    assert aten.linalg_matrix_exp(half).tolist() == [[1.0, 1.0], [0.0, 1.0]]


@pytest.mark.parametrize("dtype", WIDE)
def test_gradients_of_exponentials_agree(dtype):
    assert_same_gradient("linalg_matrix_exp", linalg.matrix_exp, given(2, 3, 3, dtype=dtype))


def test_mapped_exponentials_agree():
    assert_same_under_vmap("linalg_matrix_exp", linalg.matrix_exp, given(3, 4, 4))


def test_the_directional_derivative_of_an_exponential_agrees():
    matrix, tangent = given(3, 3), given(3, 3, dtype=torch.float64).cos()

    expected = torch.func.jvp(linalg.matrix_exp, (matrix,), (tangent,))
    actual = ow.func.jvp(aten.linalg_matrix_exp, (to_ours(matrix),), (to_ours(tangent),))

    assert_close(actual[0], expected[0])
    assert_close(actual[1], expected[1])


# ---- reflections


@pytest.mark.parametrize("sizes", [(5, 3), (3, 3), (2, 4, 2), (4, 0)])
@pytest.mark.parametrize("dtype", DTYPES)
def test_products_of_reflections_agree(sizes, dtype):
    vectors, scales = torch.geqrf(given(*sizes, dtype=dtype))
    left = given(*sizes[:-2], sizes[-2], 2, dtype=dtype)

    assert_same("linalg_householder_product", linalg.householder_product, vectors, scales)
    assert_same("orgqr", torch.orgqr, vectors, scales)
    if sizes[-1] == 0:
        return  # torch refuses it
    for transpose in (False, True):
        assert_same("ormqr", torch.ormqr, vectors, scales, left, True, transpose)
        assert_same("ormqr", torch.ormqr, vectors, scales, left.mT.contiguous(), False, transpose)


@pytest.mark.parametrize("dtype", WIDE)
def test_gradients_of_products_of_reflections_agree(dtype):
    vectors, scales = torch.geqrf(given(2, 4, 3, dtype=dtype))

    assert_same_gradient(
        "linalg_householder_product", linalg.householder_product, vectors, scales, twice=False
    )
    assert_same_gradient(
        "ormqr", torch.ormqr, vectors, scales, given(2, 4, 2, dtype=dtype), twice=False
    )


def test_mapped_products_of_reflections_agree():
    vectors, scales = torch.geqrf(given(3, 4, 2))

    assert_same_under_vmap(
        "linalg_householder_product", linalg.householder_product, vectors, scales
    )


# ---- LDL


@pytest.mark.parametrize("hermitian", [False, True])
@pytest.mark.parametrize("sizes", [(3, 3), (2, 4, 4), (0, 3, 3), (0, 0)])
@pytest.mark.parametrize("dtype", DTYPES)
def test_ldl_factors_and_their_solutions_agree(sizes, dtype, hermitian):
    matrix = symmetric(*sizes, dtype=dtype, hermitian=hermitian)
    sides = given(*sizes[:-1], 2, dtype=dtype)
    factors = linalg.ldl_factor(matrix, hermitian=hermitian)

    assert_same("linalg_ldl_factor", linalg.ldl_factor, matrix, hermitian=hermitian)
    assert_same("linalg_ldl_factor_ex", linalg.ldl_factor_ex, matrix, hermitian=hermitian)
    assert_same("linalg_ldl_solve", linalg.ldl_solve, *factors, sides, hermitian=hermitian)


@pytest.mark.parametrize("hermitian", [False, True])
@pytest.mark.parametrize("dtype", WIDE)
def test_the_gradient_of_the_side_of_an_ldl_solution_agrees(dtype, hermitian):
    matrix = symmetric(3, 3, dtype=dtype, hermitian=hermitian)
    factors = linalg.ldl_factor(matrix, hermitian=hermitian)
    own_factors = [to_ours(each) for each in factors]
    sides = given(2, 3, 2, dtype=dtype)
    weights = given(2, 3, 2, dtype=dtype).sin()
    theirs, ours = sides.clone().requires_grad_(), to_ours(sides).requires_grad_()

    (linalg.solve(matrix, theirs) * weights).sum().abs().backward()
    solution = aten.linalg_ldl_solve(*own_factors, ours, hermitian=hermitian)
    (solution * to_ours(weights)).sum().abs().backward()

    assert_close(ours.grad, theirs.grad)


def test_mapped_ldl_solutions_agree():
    matrix = symmetric(3, 4, 4, dtype=torch.float64, hermitian=True)
    factors = linalg.ldl_factor(matrix)

    assert_same_under_vmap("linalg_ldl_factor_ex", linalg.ldl_factor_ex, matrix)
    assert_same_under_vmap("linalg_ldl_solve", linalg.ldl_solve, *factors, given(3, 4, 2))


# ---- least squares


@pytest.mark.parametrize("driver", DRIVERS)
@pytest.mark.parametrize("sizes", [(5, 3), (3, 5), (2, 4, 4), (2, 2, 5, 3), (0, 3), (5, 0)])
@pytest.mark.parametrize("dtype", DTYPES)
def test_least_squares_agree(sizes, dtype, driver):
    matrix = given(*sizes, dtype=dtype)
    sides = given(*sizes[:-1], 2, dtype=dtype)

    if sizes[-1] == 0 and driver == "gels":
        return  # LAPACK sets the sides to zeros, so that torch's residuals are zeros
    assert_same("linalg_lstsq", linalg.lstsq, matrix, sides, driver=driver)
    assert_same("linalg_lstsq", linalg.lstsq, matrix[None], sides[..., 0][None], driver=driver)


@pytest.mark.parametrize("driver", DRIVERS[1:])
def test_ranks_and_least_norms_of_deficient_matrices_agree(driver):
    matrix = given(6, 2) @ given(2, 4)
    sides = given(6, 3)

    assert_same("linalg_lstsq", linalg.lstsq, matrix, sides, driver=driver)
    assert_same("linalg_lstsq", linalg.lstsq, matrix, sides, 0.9, driver=driver)
    solution, _, rank, _ = aten.linalg_lstsq(to_ours(matrix), to_ours(sides), driver=driver)
    expected = np.linalg.lstsq(matrix.numpy(), sides.numpy(), rcond=None)[0]
    assert rank.item() == 2
    np.testing.assert_allclose(solution.numpy(), expected, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("sizes", [(2, 5, 3), (2, 3, 5), (3, 3)])
@pytest.mark.parametrize("dtype", WIDE)
def test_gradients_of_least_squares_agree(sizes, dtype):
    matrix = given(*sizes, dtype=dtype)
    sides = given(*sizes[:-1], 2, dtype=dtype)

    ours = [to_ours(matrix).requires_grad_(), to_ours(sides).requires_grad_()]
    theirs = [matrix.clone().requires_grad_(), sides.clone().requires_grad_()]
    weights = given(sizes[-1], 2, dtype=dtype)
    (aten.linalg_lstsq(*ours)[0] * to_ours(weights)).sum().abs().backward()
    (linalg.pinv(theirs[0]) @ theirs[1] * weights).sum().abs().backward()

    assert_close(ours[0].grad, theirs[0].grad)
    assert_close(ours[1].grad, theirs[1].grad)


@pytest.mark.parametrize("dtype", WIDE)
def test_gradients_of_residuals_and_singular_values_agree(dtype):
    matrix, sides = given(5, 3, dtype=dtype), given(5, 2, dtype=dtype)
    ours = [to_ours(matrix).requires_grad_(), to_ours(sides).requires_grad_()]
    theirs = [matrix.clone().requires_grad_(), sides.clone().requires_grad_()]

    _, residuals, _, values = aten.linalg_lstsq(*ours, driver="gelsd")
    (residuals.sum() + (values * values).sum() * values[0]).backward()
    rest = theirs[1] - theirs[0] @ (linalg.pinv(theirs[0]) @ theirs[1])
    values = linalg.svdvals(theirs[0])
    (rest.abs().square().sum() + (values * values).sum() * values[0]).backward()

    assert_close(ours[0].grad, theirs[0].grad)
    assert_close(ours[1].grad, theirs[1].grad)


def test_the_second_gradient_of_least_squares_passes_gradcheck():
    matrix = to_ours(given(4, 2)).requires_grad_()
    sides = to_ours(given(4)).requires_grad_()

    assert ow.gradgradcheck(lambda a, b: aten.linalg_lstsq(a, b)[0], (matrix, sides))


def test_mapped_least_squares_agree():
    matrix, sides = given(3, 5, 2), given(3, 5)

    mapped = ow.vmap(lambda a, b: aten.linalg_lstsq(a, b)[0])(to_ours(matrix), to_ours(sides))

    each = [linalg.lstsq(*pair)[0] for pair in zip(matrix, sides, strict=True)]
    assert_close(mapped, torch.stack(each))


def test_fake_least_squares_have_the_sizes_of_real_ones():
    with ow.FakeTensorMode():
        results = aten.linalg_lstsq(ow.ones(2, 5, 3), ow.ones(2, 5, 4), driver="gels")
        with pytest.raises(RuntimeError, match="gelsd and gelss have residuals only if all"):
            aten.linalg_lstsq(ow.ones(5, 3), ow.ones(5, 4), driver="gelsd")

    assert [tuple(each.shape) for each in results] == [(2, 3, 4), (2, 4), (0,), (0,)]


# ---- errors


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: aten.linalg_matrix_exp(ow.ones(2, 3)), "square matrices, got 2 by 3 matrices"),
        (lambda: aten.linalg_matrix_exp(ow.ones(2, 2).long()), "floating and complex dtypes"),
        (
            lambda: aten.linalg_householder_product(ow.ones(2, 3), ow.ones(1)),
            "input must have at least as many rows as columns, got 2 by 3 matrices",
        ),
        (
            lambda: aten.linalg_householder_product(ow.ones(3, 2), ow.ones(3)),
            "tau must have at most one element for each column of input, got 3 elements",
        ),
        (
            lambda: aten.ormqr(ow.ones(3, 2), ow.ones(2), ow.ones(2, 2)),
            "ormqr: self and input3 do not fit: self has 3 rows, and input3 has 2 rows",
        ),
        (
            lambda: aten.linalg_ldl_factor(ow.zeros(2, 2)),
            "D[1,1] is zero and using it on ldl_solve would result in a division by zero",
        ),
        (
            lambda: aten.linalg_ldl_solve(ow.ones(2, 2), ow.ones(2).int() * 9, ow.ones(2, 1)),
            "pivots must be between 1 and 2 or between -2 and -1, got 9",
        ),
        (
            lambda: aten.linalg_ldl_solve(ow.ones(2, 2), ow.ones(2), ow.ones(2, 1)),
            "pivots must be a tensor of int32 from linalg_ldl_factor, got float32",
        ),
        (
            lambda: aten.linalg_lstsq(ow.ones(3, 2), ow.ones(2, 1)),
            "self and b do not fit: self has 3 rows, and b has 2",
        ),
        (
            lambda: aten.linalg_lstsq(ow.ones(3, 2), ow.ones(3), driver="qr"),
            "driver must be 'gels', 'gelsy', 'gelsd' or 'gelss', got 'qr'",
        ),
        (
            lambda: aten.linalg_lstsq(
                ow.eye(3, 2).tril(0) * ow.tensor([1.0, 0.0]), ow.ones(3), driver="gels"
            ),
            "does not have full rank (error code: 2); use the driver 'gelsy'",
        ),
    ],
)
def test_errors_say_what_is_wrong(call, text):
    with pytest.raises((RuntimeError, TypeError), match=re.escape(text)):
        call()


def test_the_missing_gradient_of_ldl_factors_says_what_to_use():
    factors = ow.ones(1, 1).requires_grad_()
    solution = aten.linalg_ldl_solve(factors, ow.ones(1).int(), ow.ones(1, 1))

    with pytest.raises(NotImplementedError, match="detach LD, or solve with linalg_solve"):
        solution.sum().backward()


def test_positive_definite_systems_have_equal_solutions_by_all_factors():
    matrix, sides = positive_definite(4, 4), given(4, 2)
    ours, own_sides = to_ours(matrix), to_ours(sides)

    by_ldl = ow.linalg.ldl_solve(*ow.linalg.ldl_factor(ours), own_sides)
    by_least_squares = ow.linalg.lstsq(ours, own_sides)[0]

    assert_close(by_ldl, linalg.solve(matrix, sides))
    assert_close(by_least_squares, linalg.solve(matrix, sides))

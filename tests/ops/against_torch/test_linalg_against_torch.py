"""Linear algebra against torch: results, gradients, vmap and errors."""

# Covers: src/ops/linalg/*.

import os
import subprocess
import sys

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
SQUARES = [(3, 3), (2, 4, 4), (2, 2, 5, 5), (0, 0), (0, 3, 3)]
RECTANGLES = [(3, 5), (5, 3), (2, 4, 3), (2, 3, 4), (0, 3), (3, 0)]
linalg = torch.linalg
aten = ow.ops.aten


@pytest.mark.parametrize("sizes", SQUARES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_factors_solutions_and_determinants_agree(sizes, dtype):
    matrix = positive_definite(*sizes, dtype=dtype)
    sides = given(*sizes[:-1], 2, dtype=dtype)
    factors = linalg.lu_factor(matrix)

    assert_same("linalg_det", linalg.det, matrix)
    assert_same("linalg_slogdet", linalg.slogdet, matrix)
    assert_same("linalg_inv", linalg.inv, matrix)
    assert_same("linalg_solve", linalg.solve, matrix, sides)
    assert_same("linalg_solve", linalg.solve, matrix, sides[..., 0])
    assert_same("linalg_solve", linalg.solve, matrix, sides.mT, left=False)
    assert_same("linalg_lu", linalg.lu, matrix)
    assert_same("linalg_lu_solve", linalg.lu_solve, *factors, sides, adjoint=True)
    assert_same("linalg_lu_solve", linalg.lu_solve, *factors, sides.mT, left=False, adjoint=True)
    assert_same("linalg_matrix_power", linalg.matrix_power, matrix, 3)


@pytest.mark.parametrize("upper", [False, True])
@pytest.mark.parametrize("sizes", SQUARES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_cholesky_factors_and_triangular_systems_agree(sizes, dtype, upper):
    matrix = positive_definite(*sizes, dtype=dtype)
    sides = given(*sizes[:-1], 2, dtype=dtype)
    factor = linalg.cholesky(matrix, upper=upper)

    assert_same("linalg_cholesky", linalg.cholesky, matrix, upper=upper)
    assert_same("cholesky_solve", torch.cholesky_solve, sides, factor, upper)
    assert_same("cholesky_inverse", torch.cholesky_inverse, factor, upper)
    assert_same("linalg_solve_triangular", linalg.solve_triangular, factor, sides, upper=upper)
    assert_same(
        "linalg_solve_triangular",
        linalg.solve_triangular,
        factor,
        sides.mT,
        upper=upper,
        left=False,
    )


@pytest.mark.parametrize("sizes", SQUARES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_eigenvectors_rebuild_the_matrix(sizes, dtype):
    matrix = positive_definite(*sizes, dtype=dtype)
    values, vectors = aten.linalg_eigh(to_ours(matrix))
    general_values, general_vectors = aten.linalg_eig(to_ours(matrix))

    assert_same("linalg_eigvalsh", linalg.eigvalsh, matrix)
    assert_close(aten.matmul(vectors * values.unsqueeze(-2), vectors.adjoint()), matrix)
    product = aten.matmul(to_ours(matrix).to(general_vectors.dtype), general_vectors)
    assert_close(product, as_torch(general_vectors * general_values.unsqueeze(-2)))


@pytest.mark.parametrize("sizes", RECTANGLES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_rectangular_matrices_are_decomposed(sizes, dtype):
    matrix = given(*sizes, dtype=dtype)
    k = min(sizes[-2:])
    left, values, right = aten.linalg_svd(to_ours(matrix), True)
    rebuilt = aten.matmul(left.narrow(-1, 0, k) * values.unsqueeze(-2), right.narrow(-2, 0, k))

    assert_same("linalg_svdvals", linalg.svdvals, matrix)
    assert_close(rebuilt, matrix)
    for mode in ("reduced", "complete", "r"):
        assert_same("linalg_qr", linalg.qr, matrix, mode)


@pytest.mark.parametrize("order", [1, -1, 2, -2, float("inf"), float("-inf"), "fro", "nuc"])
def test_norms_and_condition_numbers_agree(order):
    matrix = positive_definite(2, 3, 3)

    assert_same("linalg_matrix_norm", linalg.matrix_norm, matrix, order, (-2, -1), True)
    assert_same("linalg_norm", linalg.norm, matrix[0], order)
    assert_same("linalg_cond", linalg.cond, matrix, order)


def test_what_is_made_of_decompositions_agrees():
    matrix = given(4, 2, dtype=torch.complex128)

    assert_same("linalg_pinv", linalg.pinv, matrix)
    assert_same("linalg_matrix_rank", linalg.matrix_rank, matrix @ matrix.mH)
    assert_same("linalg_cross", linalg.cross, given(2, 3), given(4, 3)[:2])
    assert_same("linalg_vander", linalg.vander, given(3))
    assert_same("linalg_vander", linalg.vander, given(), N=3)
    assert_same("linalg_tensorinv", linalg.tensorinv, given(4, 6, 8, 3), 2)
    assert_same("linalg_tensorsolve", linalg.tensorsolve, given(2, 3, 6), given(2, 3))


GRADIENTS = {
    "linalg_det": linalg.det,
    "linalg_slogdet": linalg.slogdet,
    "linalg_inv": linalg.inv,
    "linalg_lu_factor": linalg.lu_factor,
    "linalg_qr": linalg.qr,
    "linalg_svdvals": linalg.svdvals,
    "linalg_pinv": linalg.pinv,
    "cholesky_inverse": torch.cholesky_inverse,
}


@pytest.mark.parametrize("name", GRADIENTS)
@pytest.mark.parametrize("dtype", [torch.float64, torch.complex128])
def test_gradients_and_second_gradients_agree(name, dtype):
    assert_same_gradient(name, GRADIENTS[name], positive_definite(2, 3, 3, dtype=dtype))


HERMITIAN = {"linalg_cholesky": linalg.cholesky, "linalg_eigvalsh": linalg.eigvalsh}


@pytest.mark.parametrize("name", HERMITIAN)
@pytest.mark.parametrize("dtype", [torch.float64, torch.complex128])
def test_gradients_of_hermitian_matrices_have_the_same_hermitian_part(name, dtype):
    matrix = positive_definite(2, 3, 3, dtype=dtype)
    weights = given(2, 3, 3)[..., : 3 if name == "linalg_cholesky" else 1].squeeze(-1)
    theirs = matrix.clone().requires_grad_()
    ours = to_ours(matrix).requires_grad_()

    expected = (HERMITIAN[name](theirs) * weights).abs().sum()
    (expected,) = torch.autograd.grad(expected, theirs)
    (actual,) = ow.autograd.grad((getattr(aten, name)(ours) * to_ours(weights)).abs().sum(), [ours])

    assert_close(actual + actual.adjoint(), expected + expected.mH)


@pytest.mark.parametrize("name", ["linalg_lu_factor", "linalg_qr"])
@pytest.mark.parametrize("sizes", [(2, 5, 3), (2, 3, 5)])
def test_gradients_of_rectangular_matrices_agree(name, sizes):
    assert_same_gradient(name, GRADIENTS[name], given(*sizes))


@pytest.mark.parametrize("dtype", [torch.float64, torch.complex128])
def test_gradients_of_solutions_agree(dtype):
    matrix = positive_definite(2, 3, 3, dtype=dtype)
    sides = given(3, 2, dtype=dtype)

    assert_same_gradient("linalg_solve", linalg.solve, matrix, sides)
    assert_same_gradient("cholesky_solve", torch.cholesky_solve, sides, matrix)


@pytest.mark.parametrize("name", ["linalg_det", "linalg_inv", "linalg_qr", "linalg_svdvals"])
def test_mapped_calls_agree(name):
    assert_same_under_vmap(name, GRADIENTS[name], positive_definite(3, 4, 4))


def test_a_mapped_solution_agrees():
    assert_same_under_vmap("linalg_solve", linalg.solve, positive_definite(3, 4, 4), given(3, 4))


def test_the_gradient_of_a_singular_determinant_is_its_adjugate():
    matrix = ow.ones(2, 2, dtype=ow.float64).requires_grad_()

    (grad,) = ow.autograd.grad(aten.linalg_det(matrix), [matrix])

    assert_close(grad, torch.tensor([[1.0, -1.0], [-1.0, 1.0]], dtype=torch.float64))


def adjugate_by_minors(matrix: torch.Tensor) -> torch.Tensor:
    """Return what the gradient of det is: the determinants of the minors with their signs."""
    n = matrix.shape[-1]
    result = torch.empty_like(matrix)
    for i in range(n):
        for j in range(n):
            rows = [k for k in range(n) if k != i]
            columns = [k for k in range(n) if k != j]
            result[i, j] = (-1) ** (i + j) * linalg.det(matrix[rows][:, columns])
    return result.conj()


SINGULAR = {
    "a matrix of rank one": [[100.0, 200.0], [200.0, 400.0]],
    "tiny numbers": [[1e-30, 0.0], [0.0, 1e-30]],
    "a number": [[0.0]],
    "zeros": [[0.0, 0.0], [0.0, 0.0]],
    "a zero row": [[2.0, 1.0, 0.5], [0.0, 0.0, 0.0], [1.0, 3.0, 2.0]],
    "a zero column first": [[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 0.0]],
    "rank one of three": [[1.0, 2.0, 3.0], [2.0, 4.0, 6.0], [3.0, 6.0, 9.0]],
    "a regular matrix": [[2.0, 1.0], [1.0, 3.0]],
}


@pytest.mark.parametrize("name", SINGULAR)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.complex128])
def test_the_gradient_of_a_determinant_holds_the_minors(name, dtype):
    matrix = torch.tensor(SINGULAR[name], dtype=dtype)
    ours = to_ours(matrix).requires_grad_()
    expected = adjugate_by_minors(
        matrix.to(torch.complex128 if dtype.is_complex else torch.float64)
    )

    det = aten.linalg_det(ours)
    (grad,) = ow.autograd.grad(aten.real(det), [ours])

    limit = 1e-5 if dtype == torch.float32 else 1e-12
    size = matrix.abs().max().item() ** (matrix.shape[0] - 1)
    torch.testing.assert_close(
        as_torch(grad).to(expected.dtype), expected, rtol=limit, atol=limit * size + 1e-37
    )


def test_gradients_of_a_batch_of_determinants_are_those_of_each():
    matrices = torch.tensor([SINGULAR["a matrix of rank one"], SINGULAR["a regular matrix"]])
    ours = to_ours(matrices).requires_grad_()

    (grad,) = ow.autograd.grad(aten.linalg_det(ours).sum(), [ours])
    mapped = ow.vmap(ow.func.grad(aten.linalg_det))(ours.detach())

    expected = torch.tensor([[[400.0, -200.0], [-200.0, 100.0]], [[3.0, -1.0], [-1.0, 2.0]]])
    torch.testing.assert_close(as_torch(grad), expected)
    torch.testing.assert_close(as_torch(mapped), expected)


@pytest.mark.parametrize("dtype", [ow.float32, ow.float64, ow.complex64])
def test_the_second_gradient_of_a_singular_determinant_keeps_seven_digits(dtype):
    matrix = ow.tensor(SINGULAR["a matrix of rank one"]).to(dtype).requires_grad_()
    weights = ow.tensor([[1.0, 2.0], [3.0, 4.0]])

    det = aten.real(aten.linalg_det(matrix))
    (grad,) = ow.autograd.grad(det, [matrix], create_graph=True)
    (second,) = ow.autograd.grad((aten.real(grad) * weights).sum(), [matrix])

    expected = torch.tensor([[4.0, -3.0], [-2.0, 1.0]], dtype=torch.float64)
    found = as_torch(aten.real(second)).double()
    torch.testing.assert_close(found, expected, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("device", ["cpu", "meta"])
def test_pivots_of_other_sizes_are_refused(device):
    def pivots(*sizes):
        return ow.ones(*sizes, dtype=ow.int32, device=device)

    factors = ow.ones(2, 4, 3, device=device)
    text = (
        r"lu_unpack: LU_pivots must have the sizes \[2, 3\] for LU_data \(float32\[2, 4, 3\].*\), "
        r"got {}"
    )

    for sizes in ((2, 5), (3,), (1, 3), (2, 2)):
        with pytest.raises(RuntimeError, match=text.format(r"\[" + str(list(sizes))[1:-1])):
            aten.lu_unpack(factors, pivots(*sizes))
    assert aten.lu_unpack(factors, pivots(2, 3))[0].shape == (2, 4, 4)
    assert aten.lu_unpack(factors, pivots(1), True, False)[1].shape == (2, 4, 3)


@pytest.mark.parametrize("wrong", [0, -1, 4, 2**31 - 1])
def test_pivots_outside_of_the_matrix_are_refused(wrong):
    pivots = ow.tensor([1, wrong, 3], dtype=ow.int32)
    factors, sides = ow.eye(3), ow.ones(3, 2)

    with pytest.raises(
        RuntimeError, match=f"lu_unpack: LU_pivots must be between 1 and 3, got {wrong}"
    ):
        aten.lu_unpack(factors, pivots)
    with pytest.raises(
        RuntimeError, match=f"linalg_lu_solve: pivots must be between 1 and 3, got {wrong}"
    ):
        aten.linalg_lu_solve(factors, pivots, sides)


def test_pivots_of_blocks_come_in_pairs():
    factors, sides = ow.eye(3), ow.ones(3, 2)

    def solve(*pivots):
        return aten.linalg_ldl_solve(factors, ow.tensor(pivots, dtype=ow.int32), sides)

    with pytest.raises(
        RuntimeError,
        match="linalg_ldl_solve: pivots must be between 1 and 3 or between -3 and -1, got 4",
    ):
        solve(1, 2, 4)
    with pytest.raises(
        RuntimeError,
        match="linalg_ldl_solve: negative pivots must come in pairs, got -3 alone at index 2",
    ):
        solve(1, 2, -3)


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
@pytest.mark.parametrize("dtype", [ow.float32, ow.float64, ow.complex64])
def test_eigenvalues_of_matrices_that_are_not_finite_are_refused(bad, dtype):
    matrix = ow.eye(3).to(dtype)
    matrix[1, 2] = bad
    text = "failed to converge because the input matrix contained non-finite values"

    with pytest.raises(RuntimeError, match=f"^linalg_eig: the algorithm {text}"):
        aten.linalg_eig(matrix)
    with pytest.raises(RuntimeError, match=f"^linalg_eigvals: the algorithm {text}"):
        aten.linalg_eigvals(matrix)
    with pytest.raises(RuntimeError, match=rf"^linalg_eig: \(Batch element 1\): the algo.*{text}"):
        aten.linalg_eig(ow.stack([ow.eye(3).to(dtype), matrix]))


def test_a_matrix_of_nan_has_a_solution_of_nan():
    matrix = ow.full([3, 3], float("nan"))

    assert aten.linalg_solve(matrix, ow.ones(3)).isnan().all().item()
    assert aten.linalg_det(matrix).isnan().item()


def test_errors_say_what_is_wrong():
    with pytest.raises(RuntimeError, match="the diagonal element 1 is zero"):
        aten.linalg_inv(ow.zeros(2, 2))
    with pytest.raises(RuntimeError, match=r"\(Batch element 0\): the solver failed"):
        aten.linalg_solve(ow.zeros(3, 2, 2), ow.ones(2))
    with pytest.raises(RuntimeError, match="the leading minor of order 1 is not positive-definite"):
        aten.linalg_cholesky(-ow.eye(2))
    with pytest.raises(RuntimeError, match="square matrices, got 2 by 3 matrices"):
        aten.linalg_inv(ow.ones(2, 3))


def test_without_lapack_the_error_names_the_package_to_install():
    program = "import opwright as ow; ow.ops.aten.linalg_inv(ow.eye(2))"
    environment = {**os.environ, "OPWRIGHT_LAPACK": "/nowhere/liblapack.so"}

    run = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True
    )

    assert (
        "OPWRIGHT_LAPACK names /nowhere/liblapack.so, which is not a LAPACK library" in run.stderr
    )
    assert "apt install libopenblas0" in run.stderr


def test_a_routine_that_lapack_lacks_is_named_with_the_operator(tmp_path):
    source, library = tmp_path / "empty.c", tmp_path / "libempty.so"
    source.write_text("void dgetrf_(void) {}")
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", library, source], check=True)
    program = "import opwright as ow; ow.ops.aten.linalg_eigvals(ow.eye(2))"
    environment = {**os.environ, "OPWRIGHT_LAPACK": str(library)}

    run = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True
    )

    assert "the LAPACK library has no routine sgeev; install a LAPACK" in run.stderr
    assert "linalg_eigvals" in run.stderr.split("RuntimeError")[-1]


def test_lapack_uses_as_many_threads_as_set_num_threads_allows():
    program = """if True:
        import time
        import opwright as ow
        ow.set_num_threads(1)
        x = ow.randn(400, 400)
        ow.ops.aten.linalg_svdvals(x)
        time.sleep(0.5)  # threads that the library started spin for a while
        others, own = time.process_time(), time.thread_time()
        ow.ops.aten.linalg_svdvals(x)
        ow.ops.aten.linalg_solve_triangular(x, x, upper=True)
        others, own = time.process_time() - others, time.thread_time() - own
        print((others - own) / own)
    """

    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )

    assert float(run.stdout) < 0.1  # the share of other threads


def test_the_pseudoinverse_of_an_empty_matrix_carries_a_gradient():
    matrix = ow.zeros(0, 3, requires_grad=True)
    inverse = aten.linalg_pinv(matrix)

    inverse.sum().backward()

    assert tuple(inverse.shape) == (3, 0)
    assert tuple(matrix.grad.shape) == (0, 3)
    with pytest.raises(TypeError, match=r"linalg_pinv: .*int32"):
        aten.linalg_pinv(ow.zeros(0, 3, dtype=ow.int32))


def test_the_gradient_of_eigenvectors_is_symmetric():
    matrix = positive_definite(4, 4)
    theirs = matrix.clone().requires_grad_()
    ours = to_ours(matrix.clone()).requires_grad_()
    vectors, our_vectors = linalg.eigh(theirs)[1], aten.linalg_eigh(ours)[1]
    weights = given(4, 4)
    signs = (vectors.detach() * as_torch(our_vectors.detach())).sum(0).sign()

    vectors.backward(weights)
    our_vectors.backward(to_ours(weights * signs))

    assert_close(ours.grad, theirs.grad)

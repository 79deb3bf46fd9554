# ruff: noqa: N803  the names of torch's arguments
"""Linear algebra, as in torch.linalg. It uses LAPACK, which is found when it is first needed.

>>> import opwright as ow
>>> ow.linalg.norm(ow.tensor([3.0, 4.0]))
tensor(5.)
"""

from collections.abc import Sequence

from . import _C
from ._C import Tensor

__all__ = [
    "LinAlgError",
    "cholesky",
    "cholesky_ex",
    "cond",
    "cross",
    "det",
    "diagonal",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "householder_product",
    "inv",
    "inv_ex",
    "ldl_factor",
    "ldl_factor_ex",
    "ldl_solve",
    "lstsq",
    "lu",
    "lu_factor",
    "lu_factor_ex",
    "lu_solve",
    "matmul",
    "matrix_exp",
    "matrix_norm",
    "matrix_power",
    "matrix_rank",
    "multi_dot",
    "norm",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "solve_ex",
    "solve_triangular",
    "svd",
    "svdvals",
    "tensorinv",
    "tensorsolve",
    "vander",
    "vecdot",
    "vector_norm",
]

LinAlgError = _C.LinAlgError

_linalg_det = _C.make_function("linalg_det")
_linalg_slogdet = _C.make_function("linalg_slogdet")
_linalg_inv = _C.make_function("linalg_inv")
_linalg_inv_ex = _C.make_function("linalg_inv_ex")
_linalg_solve = _C.make_function("linalg_solve")
_linalg_solve_ex = _C.make_function("linalg_solve_ex")
_linalg_solve_triangular = _C.make_function("linalg_solve_triangular")
_linalg_cholesky = _C.make_function("linalg_cholesky")
_linalg_cholesky_ex = _C.make_function("linalg_cholesky_ex")
_linalg_qr = _C.make_function("linalg_qr")
_linalg_lu = _C.make_function("linalg_lu")
_linalg_lu_factor = _C.make_function("linalg_lu_factor")
_linalg_lu_factor_ex = _C.make_function("linalg_lu_factor_ex")
_linalg_lu_solve = _C.make_function("linalg_lu_solve")
_linalg_householder_product = _C.make_function("linalg_householder_product")
_linalg_ldl_factor = _C.make_function("linalg_ldl_factor")
_linalg_ldl_factor_ex = _C.make_function("linalg_ldl_factor_ex")
_linalg_ldl_solve = _C.make_function("linalg_ldl_solve")
_linalg_lstsq = _C.make_function("linalg_lstsq")
_linalg_matrix_exp = _C.make_function("linalg_matrix_exp")
_linalg_eigh = _C.make_function("linalg_eigh")
_linalg_eigvalsh = _C.make_function("linalg_eigvalsh")
_linalg_eig = _C.make_function("linalg_eig")
_linalg_eigvals = _C.make_function("linalg_eigvals")
_linalg_svd = _C.make_function("linalg_svd")
_linalg_svdvals = _C.make_function("linalg_svdvals")
_linalg_matrix_power = _C.make_function("linalg_matrix_power")
_linalg_matmul = _C.make_function("linalg_matmul")
_linalg_multi_dot = _C.make_function("linalg_multi_dot")
_linalg_cross = _C.make_function("linalg_cross")
_linalg_vecdot = _C.make_function("linalg_vecdot")
_linalg_diagonal = _C.make_function("linalg_diagonal")
_linalg_vander = _C.make_function("linalg_vander")
_linalg_tensorinv = _C.make_function("linalg_tensorinv")
_linalg_tensorsolve = _C.make_function("linalg_tensorsolve")
_linalg_norm = _C.make_function("linalg_norm")
_linalg_vector_norm = _C.make_function("linalg_vector_norm")
_linalg_matrix_norm = _C.make_function("linalg_matrix_norm")
_linalg_cond = _C.make_function("linalg_cond")
_linalg_matrix_rank = _C.make_function("linalg_matrix_rank")
_linalg_pinv = _C.make_function("linalg_pinv")


def det(A: Tensor) -> Tensor:
    """Return the determinants of square matrices.

    >>> ow.linalg.det(ow.tensor([[2.0, 1.0], [1.0, 3.0]]))
    tensor(5.)
    """
    return _linalg_det(A)


def slogdet(A: Tensor) -> tuple[Tensor, Tensor]:
    """Return the signs and the logarithms of the magnitudes of determinants.

    >>> ow.linalg.slogdet(ow.tensor([[2.0, 1.0], [1.0, 3.0]]))
    linalg_slogdet(sign=tensor(1.), logabsdet=tensor(1.6094))
    """
    return _linalg_slogdet(A)


def inv(A: Tensor) -> Tensor:
    """Invert matrices; a singular one raises LinAlgError.

    >>> ow.linalg.inv(ow.tensor([[2.0, 0.0], [0.0, 4.0]]))
    tensor([[0.5000, -0.0000],
            [0.0000, 0.2500]])
    """
    return _linalg_inv(A)


def inv_ex(A: Tensor, *, check_errors: bool = False) -> tuple[Tensor, Tensor]:
    """Invert matrices; also return, instead of raising, which are singular.

    >>> ow.linalg.inv_ex(ow.zeros(1, 1))[1]
    tensor(1, dtype=int32)
    """
    return _linalg_inv_ex(A, check_errors=check_errors)


def solve(A: Tensor, B: Tensor, *, left: bool = True) -> Tensor:
    """Solve A X = B, or X A = B if not `left`.

    >>> ow.linalg.solve(ow.tensor([[2.0, 0.0], [0.0, 4.0]]), ow.tensor([2.0, 8.0]))
    tensor([1., 2.])
    """
    return _linalg_solve(A, B, left=left)


def solve_ex(
    A: Tensor, B: Tensor, *, left: bool = True, check_errors: bool = False
) -> tuple[Tensor, Tensor]:
    """Solve A X = B; also return, instead of raising, which A are singular.

    >>> ow.linalg.solve_ex(ow.zeros(1, 1), ow.ones(1))[1]
    tensor(1, dtype=int32)
    """
    return _linalg_solve_ex(A, B, left=left, check_errors=check_errors)


def solve_triangular(
    A: Tensor,
    B: Tensor,
    *,
    upper: bool,
    left: bool = True,
    unitriangular: bool = False,
) -> Tensor:
    """Solve A X = B for triangular A.

    >>> ow.linalg.solve_triangular(ow.tensor([[2.0]]), ow.tensor([[4.0]]), upper=True)
    tensor([[2.]])
    """
    return _linalg_solve_triangular(A, B, upper=upper, left=left, unitriangular=unitriangular)


def cholesky(A: Tensor, *, upper: bool = False) -> Tensor:
    """Return the lower L with A = L L^H; LinAlgError unless A is positive-definite.

    >>> ow.linalg.cholesky(ow.tensor([[4.0, 0.0], [0.0, 9.0]]))
    tensor([[2., 0.],
            [0., 3.]])
    """
    return _linalg_cholesky(A, upper=upper)


def cholesky_ex(
    A: Tensor, *, upper: bool = False, check_errors: bool = False
) -> tuple[Tensor, Tensor]:
    """Factor as `cholesky` does; also return, instead of raising, which matrices fail.

    >>> ow.linalg.cholesky_ex(-ow.ones(1, 1))[1]
    tensor(1, dtype=int32)
    """
    return _linalg_cholesky_ex(A, upper=upper, check_errors=check_errors)


def qr(A: Tensor, mode: str = "reduced") -> tuple[Tensor, Tensor]:
    """Return Q with orthonormal columns and the upper R with A = Q R.

    >>> [each.shape for each in ow.linalg.qr(ow.ones(3, 2))]
    [(3, 2), (2, 2)]
    """
    return _linalg_qr(A, mode)


def lu(A: Tensor, *, pivot: bool = True) -> tuple[Tensor, Tensor, Tensor]:
    """Return P, L and U with A = P L U.

    >>> ow.linalg.lu(ow.tensor([[2.0, 1.0], [1.0, 3.0]]))[1]
    tensor([[1.0000, 0.0000],
            [0.5000, 1.0000]])
    """
    return _linalg_lu(A, pivot=pivot)


def lu_factor(A: Tensor, *, pivot: bool = True) -> tuple[Tensor, Tensor]:
    """Return the compact LU factors and the row exchanges.

    >>> ow.linalg.lu_factor(ow.tensor([[2.0, 1.0], [1.0, 3.0]]))[1]
    tensor([1, 2], dtype=int32)
    """
    return _linalg_lu_factor(A, pivot=pivot)


def lu_factor_ex(
    A: Tensor, *, pivot: bool = True, check_errors: bool = False
) -> tuple[Tensor, Tensor, Tensor]:
    """Factor as `lu_factor` does; also return which U are singular.

    >>> ow.linalg.lu_factor_ex(ow.zeros(1, 1))[2]
    tensor(1, dtype=int32)
    """
    return _linalg_lu_factor_ex(A, pivot=pivot, check_errors=check_errors)


def lu_solve(
    LU: Tensor,
    pivots: Tensor,
    B: Tensor,
    *,
    left: bool = True,
    adjoint: bool = False,
) -> Tensor:
    """Solve A X = B by the factors of `lu_factor`.

    >>> ow.linalg.lu_solve(*ow.linalg.lu_factor(ow.tensor([[2.0]])), ow.tensor([[6.0]]))
    tensor([[3.]])
    """
    return _linalg_lu_solve(LU, pivots, B, left=left, adjoint=adjoint)


def ldl_factor(A: Tensor, *, hermitian: bool = False) -> tuple[Tensor, Tensor]:
    """Return the compact factors L D L^T of symmetric matrices, or L D L^H, and the exchanges.

    Only the lower triangles are read. `ldl_solve` uses the result, which has no gradient.

    >>> ow.linalg.ldl_factor(ow.tensor([[2.0, 0.0], [1.0, 3.0]]))[0]
    tensor([[2.0000, 0.0000],
            [0.5000, 2.5000]])
    """
    return _linalg_ldl_factor(A, hermitian=hermitian)


def ldl_factor_ex(
    A: Tensor, *, hermitian: bool = False, check_errors: bool = False
) -> tuple[Tensor, Tensor, Tensor]:
    """Factor as `ldl_factor` does; also return which D are singular.

    >>> ow.linalg.ldl_factor_ex(ow.zeros(1, 1))[2]
    tensor(1, dtype=int32)
    """
    return _linalg_ldl_factor_ex(A, hermitian=hermitian, check_errors=check_errors)


def ldl_solve(LD: Tensor, pivots: Tensor, B: Tensor, *, hermitian: bool = False) -> Tensor:
    """Solve A X = B by the factors of `ldl_factor`.

    >>> ow.linalg.ldl_solve(*ow.linalg.ldl_factor(ow.tensor([[2.0]])), ow.tensor([[6.0]]))
    tensor([[3.]])
    """
    return _linalg_ldl_solve(LD, pivots, B, hermitian=hermitian)


def householder_product(A: Tensor, tau: Tensor) -> Tensor:
    """Return the first columns of the product of reflections, as `geqrf` returns them.

    >>> ow.linalg.householder_product(*ow.geqrf(ow.tensor([[3.0], [4.0]])))
    tensor([[-0.6000],
            [-0.8000]])
    """
    return _linalg_householder_product(A, tau)


def lstsq(
    A: Tensor, B: Tensor, rcond: float | None = None, *, driver: str | None = None
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Return the X of the least |A X - B|, the residuals, the ranks and the singular values.

    `driver` is the algorithm: 'gelsy' (the default), 'gels' for matrices of full rank, 'gelsd' or
    'gelss'. What it does not compute is empty: 'gelsy' has no residuals and no singular values.
    Singular values below `rcond` times the largest count as zeros.

    >>> ow.linalg.lstsq(ow.tensor([[2.0]]), ow.tensor([4.0]))[0]
    tensor([2.])
    """
    return _linalg_lstsq(A, B, rcond, driver=driver)


def eigh(A: Tensor, UPLO: str = "L") -> tuple[Tensor, Tensor]:
    """Return the eigenvalues, in ascending order, and eigenvectors of Hermitian matrices.

    >>> ow.linalg.eigh(ow.tensor([[3.0, 0.0], [0.0, 1.0]]))[0]
    tensor([1., 3.])
    """
    return _linalg_eigh(A, UPLO)


def eigvalsh(A: Tensor, UPLO: str = "L") -> Tensor:
    """Return the eigenvalues of Hermitian matrices.

    >>> ow.linalg.eigvalsh(ow.tensor([[3.0, 0.0], [0.0, 1.0]]))
    tensor([1., 3.])
    """
    return _linalg_eigvalsh(A, UPLO)


def eig(A: Tensor) -> tuple[Tensor, Tensor]:
    """Return the eigenvalues and eigenvectors of square matrices, as complex numbers.

    >>> ow.linalg.eig(ow.tensor([[3.0, 0.0], [0.0, 1.0]]))[0]
    tensor([3.+0.j, 1.+0.j], dtype=complex64)
    """
    return _linalg_eig(A)


def eigvals(A: Tensor) -> Tensor:
    """Return the eigenvalues of square matrices, as complex numbers.

    >>> ow.linalg.eigvals(ow.tensor([[3.0, 0.0], [0.0, 1.0]]))
    tensor([3.+0.j, 1.+0.j], dtype=complex64)
    """
    return _linalg_eigvals(A)


def svd(
    A: Tensor, full_matrices: bool = True, *, driver: str | None = None
) -> tuple[Tensor, Tensor, Tensor]:
    """Return U, the singular values and V^H with A = U diag(S) V^H.

    >>> [each.shape for each in ow.linalg.svd(ow.ones(3, 2))]
    [(3, 3), (2,), (2, 2)]
    """
    return _linalg_svd(A, full_matrices, driver=driver)


def svdvals(A: Tensor, *, driver: str | None = None) -> Tensor:
    """Return the singular values.

    >>> ow.linalg.svdvals(ow.tensor([[3.0, 0.0], [0.0, 1.0]]))
    tensor([3., 1.])
    """
    return _linalg_svdvals(A, driver=driver)


def matrix_exp(A: Tensor) -> Tensor:
    """Return the exponentials of square matrices, the sums of A^k / k!.

    >>> ow.linalg.matrix_exp(ow.tensor([[0.0, 1.0], [0.0, 0.0]]))
    tensor([[1., 1.],
            [0., 1.]])
    """
    return _linalg_matrix_exp(A)


def matrix_power(A: Tensor, n: int) -> Tensor:
    """Return the product of n equal matrices, or of their inverses for a negative n.

    >>> ow.linalg.matrix_power(ow.tensor([[2.0, 1.0], [1.0, 3.0]]), 2)
    tensor([[ 5.,  5.],
            [ 5., 10.]])
    """
    return _linalg_matrix_power(A, n)


def matmul(input: Tensor, other: Tensor) -> Tensor:
    """Multiply matrices; the same as opwright.matmul.

    >>> ow.linalg.matmul(ow.ones(1, 2), ow.ones(2, 1))
    tensor([[2.]])
    """
    return _linalg_matmul(input, other)


def multi_dot(tensors: Sequence[Tensor]) -> Tensor:
    """Multiply matrices in the order that needs the fewest multiplications.

    >>> ow.linalg.multi_dot([ow.ones(2), ow.ones(2, 3), ow.ones(3)])
    tensor(6.)
    """
    return _linalg_multi_dot(list(tensors))


def cross(input: Tensor, other: Tensor, *, dim: int = -1) -> Tensor:
    """Return the cross products of vectors of three elements.

    >>> ow.linalg.cross(ow.tensor([1.0, 0.0, 0.0]), ow.tensor([0.0, 1.0, 0.0]))
    tensor([0., 0., 1.])
    """
    return _linalg_cross(input, other, dim=dim)


def vecdot(x: Tensor, y: Tensor, *, dim: int = -1) -> Tensor:
    """Return the dot products of vectors, the first ones conjugated.

    >>> ow.linalg.vecdot(ow.ones(2, 3), ow.ones(2, 3))
    tensor([3., 3.])
    """
    return _linalg_vecdot(x, y, dim=dim)


def diagonal(A: Tensor, *, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """Return views of the diagonals of matrices.

    >>> ow.linalg.diagonal(ow.tensor([[2.0, 1.0], [1.0, 3.0]]))
    tensor([2., 3.])
    """
    return _linalg_diagonal(A, offset=offset, dim1=dim1, dim2=dim2)


def vander(x: Tensor, *, N: int | None = None) -> Tensor:
    """Return the powers 0 to N - 1 of each element.

    >>> ow.linalg.vander(ow.tensor([2.0, 3.0]), N=3)
    tensor([[1., 2., 4.],
            [1., 3., 9.]])
    """
    return _linalg_vander(x, N=N)


def tensorinv(A: Tensor, ind: int = 2) -> Tensor:
    """Invert a tensor as a matrix of its first `ind` and its other dimensions.

    >>> ow.linalg.tensorinv(ow.tensor([[4.0]]), ind=1)
    tensor([[0.2500]])
    """
    return _linalg_tensorinv(A, ind)


def tensorsolve(A: Tensor, B: Tensor, dims: Sequence[int] | None = None) -> Tensor:
    """Solve for X with tensordot(A, X) = B.

    >>> ow.linalg.tensorsolve(ow.tensor([[4.0]]), ow.tensor([8.0]))
    tensor([2.])
    """
    return _linalg_tensorsolve(A, B, dims)


def norm(
    A: Tensor,
    ord: float | str | None = None,
    dim: int | Sequence[int] | None = None,
    keepdim: bool = False,
    *,
    dtype: _C.dtype | None = None,
) -> Tensor:
    """Return the norm of vectors or matrices.

    >>> ow.linalg.norm(ow.tensor([3.0, 4.0]))
    tensor(5.)
    """
    return _linalg_norm(A, ord, dim, keepdim, dtype=dtype)


def vector_norm(
    x: Tensor,
    ord: float = 2,
    dim: int | Sequence[int] | None = None,
    keepdim: bool = False,
    *,
    dtype: _C.dtype | None = None,
) -> Tensor:
    """Return the norm of vectors.

    >>> ow.linalg.vector_norm(ow.tensor([3.0, 4.0]), 1)
    tensor(7.)
    """
    return _linalg_vector_norm(x, ord, dim, keepdim, dtype=dtype)


def matrix_norm(
    A: Tensor,
    ord: float | str = "fro",
    dim: Sequence[int] = (-2, -1),
    keepdim: bool = False,
    *,
    dtype: _C.dtype | None = None,
) -> Tensor:
    """Return the norm of matrices.

    >>> ow.linalg.matrix_norm(ow.tensor([[3.0, 0.0], [0.0, 4.0]]), "nuc")
    tensor(7.)
    """
    return _linalg_matrix_norm(A, ord, dim, keepdim, dtype=dtype)


def cond(A: Tensor, p: float | str | None = None) -> Tensor:
    """Return the condition numbers of matrices for inversion.

    >>> ow.linalg.cond(ow.tensor([[4.0, 0.0], [0.0, 2.0]]))
    tensor(2.)
    """
    return _linalg_cond(A, p)


def matrix_rank(
    A: Tensor,
    tol: float | Tensor | None = None,
    *,
    atol: float | Tensor | None = None,
    rtol: float | Tensor | None = None,
    hermitian: bool = False,
) -> Tensor:
    """Return the number of singular values above a tolerance.

    >>> ow.linalg.matrix_rank(ow.ones(3, 3))
    tensor(1)
    """
    if tol is not None:
        return _linalg_matrix_rank(A, tol, hermitian)
    return _linalg_matrix_rank(A, atol=atol, rtol=rtol, hermitian=hermitian)


def pinv(
    A: Tensor,
    rcond: float | Tensor | None = None,
    *,
    atol: float | Tensor | None = None,
    rtol: float | Tensor | None = None,
    hermitian: bool = False,
) -> Tensor:
    """Return the pseudoinverses of matrices.

    >>> ow.linalg.pinv(ow.tensor([[2.0], [0.0]]))
    tensor([[0.5000, 0.0000]])
    """
    if rcond is not None:
        return _linalg_pinv(A, rcond, hermitian)
    return _linalg_pinv(A, atol=atol, rtol=rtol, hermitian=hermitian)

"""Fourier transforms and linear algebra of Opwright and torch on the same inputs."""

import numpy

PRIME = 1021  # a length that no small factor divides


def numbers(package, *sizes, dtype=numpy.float32):
    generator = numpy.random.default_rng(6)
    return package.from_numpy(generator.standard_normal(sizes).astype(dtype))


def spectra(package, *sizes):
    generator = numpy.random.default_rng(7)
    real, imaginary = generator.standard_normal((2, *sizes)).astype(numpy.float32)
    return package.from_numpy((real + 1j * imaginary).astype(numpy.complex64))


def fourier_cases(package):
    """Return {name: function without arguments}; `package` is opwright or torch."""
    ops = package.ops.aten
    rows, image = spectra(package, 256, 1024), spectra(package, 256, 256)
    uneven, prime = spectra(package, 256, 1000), spectra(package, 64, PRIME)
    real, half = numbers(package, 256, 1024), spectra(package, 256, 513)
    volume = spectra(package, 32, 32, 32)
    sound, window = numbers(package, 4, 16000), package.ones(400)
    short_time = ops.stft.default
    return {
        "fft of 256 x 1024": lambda: ops.fft_fft.default(rows),
        "fft of 256 x 1000": lambda: ops.fft_fft.default(uneven),
        f"fft of 64 x {PRIME}": lambda: ops.fft_fft.default(prime),
        "fft of columns, 256 x 1024": lambda: ops.fft_fft.default(rows, None, 0),
        "ifft of 256 x 1024": lambda: ops.fft_ifft.default(rows),
        "rfft of 256 x 1024": lambda: ops.fft_rfft.default(real),
        "irfft of 256 x 513": lambda: ops.fft_irfft.default(half),
        "hfft of 256 x 513": lambda: ops.fft_hfft.default(half),
        "fft2 of 256 x 256": lambda: ops.fft_fft2.default(image),
        "fftn of 32 x 32 x 32": lambda: ops.fft_fftn.default(volume),
        "rfft2 of 256 x 1024": lambda: ops.fft_rfft2.default(real),
        "stft of 4 x 16000": lambda: short_time(sound, 400, 160, 400, window, False, True, True),
    }


def positive(package, matrices):
    """Return symmetric positive definite matrices."""
    side = matrices.shape[-1]
    return package.matmul(matrices, matrices.mT) / side + package.eye(side)


def linalg_cases(package):
    """Return the cases of one large matrix and of many small ones, as above."""
    cases = {}
    for name, matrices in (
        ("256x256", numbers(package, 256, 256)),
        ("500 of 8x8", numbers(package, 500, 8, 8)),
    ):
        cases |= {f"{kind}, {name}": call for kind, call in matrix_cases(package, matrices).items()}
    return cases


def matrix_cases(package, x):
    ops = package.ops.aten
    definite = positive(package, x)
    right = x + 1
    lower, _ = ops.linalg_cholesky_ex.default(definite)
    factors, pivots, _ = ops.linalg_lu_factor_ex.default(x)
    triangular, solve_factored = ops.linalg_solve_triangular.default, ops.linalg_lu_solve.default
    return {
        "cholesky": lambda: ops.linalg_cholesky.default(definite),
        "cholesky_solve": lambda: ops.cholesky_solve.default(right, lower),
        "cholesky_inverse": lambda: ops.cholesky_inverse.default(lower),
        "lu_factor": lambda: ops.linalg_lu_factor.default(x),
        "lu_solve": lambda: solve_factored(factors, pivots, right),
        "lu": lambda: ops.linalg_lu.default(x),
        "solve": lambda: ops.linalg_solve.default(x, right),
        "solve_triangular": lambda: triangular(lower, right, upper=False),
        "inv": lambda: ops.linalg_inv.default(x),
        "det": lambda: ops.linalg_det.default(x),
        "slogdet": lambda: ops.linalg_slogdet.default(x),
        "qr": lambda: ops.linalg_qr.default(x),
        "eigh": lambda: ops.linalg_eigh.default(definite),
        "eigvalsh": lambda: ops.linalg_eigvalsh.default(definite),
        "eig": lambda: ops.linalg_eig.default(x),
        "svd": lambda: ops.linalg_svd.default(x, False),
        "svdvals": lambda: ops.linalg_svdvals.default(x),
        "pinv": lambda: ops.linalg_pinv.default(x, 1e-15),
        "matrix_power 5": lambda: ops.linalg_matrix_power.default(x, 5),
        "matrix norm 2": lambda: ops.linalg_matrix_norm.default(x, 2),
        "vecdot": lambda: ops.linalg_vecdot.default(x, right),
    }

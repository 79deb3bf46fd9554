"""Discrete Fourier transforms, as in torch.fft.

>>> import opwright as ow
>>> ow.fft.rfft(ow.ones(4))
tensor([4.+0.j, 0.+0.j, 0.+0.j], dtype=complex64)
"""

from collections.abc import Sequence

from . import _C
from ._C import Tensor

__all__ = [
    "fft",
    "fft2",
    "fftfreq",
    "fftn",
    "fftshift",
    "hfft",
    "hfft2",
    "hfftn",
    "ifft",
    "ifft2",
    "ifftn",
    "ifftshift",
    "ihfft",
    "ihfft2",
    "ihfftn",
    "irfft",
    "irfft2",
    "irfftn",
    "rfft",
    "rfft2",
    "rfftfreq",
    "rfftn",
]

_fft_fft = _C.make_function("fft_fft")
_fft_fft2 = _C.make_function("fft_fft2")
_fft_fftn = _C.make_function("fft_fftn")
_fft_ifft = _C.make_function("fft_ifft")
_fft_ifft2 = _C.make_function("fft_ifft2")
_fft_ifftn = _C.make_function("fft_ifftn")
_fft_rfft = _C.make_function("fft_rfft")
_fft_rfft2 = _C.make_function("fft_rfft2")
_fft_rfftn = _C.make_function("fft_rfftn")
_fft_irfft = _C.make_function("fft_irfft")
_fft_irfft2 = _C.make_function("fft_irfft2")
_fft_irfftn = _C.make_function("fft_irfftn")
_fft_hfft = _C.make_function("fft_hfft")
_fft_hfft2 = _C.make_function("fft_hfft2")
_fft_hfftn = _C.make_function("fft_hfftn")
_fft_ihfft = _C.make_function("fft_ihfft")
_fft_ihfft2 = _C.make_function("fft_ihfft2")
_fft_ihfftn = _C.make_function("fft_ihfftn")
_fft_fftfreq = _C.make_function("fft_fftfreq")
_fft_rfftfreq = _C.make_function("fft_rfftfreq")
_fft_fftshift = _C.make_function("fft_fftshift")
_fft_ifftshift = _C.make_function("fft_ifftshift")


def fft(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None) -> Tensor:
    """Transform along one dimension.

    >>> ow.fft.fft(ow.tensor([1.0, 2.0, 3.0, 4.0]))
    tensor([10.+0.j, -2.+2.j, -2.+0.j, -2.-2.j], dtype=complex64)
    """
    return _fft_fft(input, n, dim, norm)


def fft2(
    input: Tensor,
    s: Sequence[int] | None = None,
    dim: Sequence[int] = (-2, -1),
    norm: str | None = None,
) -> Tensor:
    """Do what `fft` does along two dimensions, the last ones by default.

    >>> ow.fft.fft2(ow.ones(4, 3)).shape
    (4, 3)
    """
    return _fft_fft2(input, s, dim, norm)


def fftn(
    input: Tensor,
    s: Sequence[int] | None = None,
    dim: Sequence[int] | None = None,
    norm: str | None = None,
) -> Tensor:
    """Do what `fft` does along several dimensions, all by default.

    >>> ow.fft.fftn(ow.ones(4, 3)).shape
    (4, 3)
    """
    return _fft_fftn(input, s, dim, norm)


def ifft(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None) -> Tensor:
    """Invert `fft`.

    >>> ow.fft.ifft(ow.fft.fft(ow.tensor([1.0, 2.0]))).real
    tensor([1., 2.])
    """
    return _fft_ifft(input, n, dim, norm)


def ifft2(
    input: Tensor,
    s: Sequence[int] | None = None,
    dim: Sequence[int] = (-2, -1),
    norm: str | None = None,
) -> Tensor:
    """Do what `ifft` does along two dimensions, the last ones by default.

    >>> ow.fft.ifft2(ow.ones(4, 3)).shape
    (4, 3)
    """
    return _fft_ifft2(input, s, dim, norm)


def ifftn(
    input: Tensor,
    s: Sequence[int] | None = None,
    dim: Sequence[int] | None = None,
    norm: str | None = None,
) -> Tensor:
    """Do what `ifft` does along several dimensions, all by default.

    >>> ow.fft.ifftn(ow.ones(4, 3)).shape
    (4, 3)
    """
    return _fft_ifftn(input, s, dim, norm)


def rfft(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None) -> Tensor:
    """Transform a real tensor; return the first half of its symmetric spectrum.

    >>> ow.fft.rfft(ow.tensor([1.0, 2.0, 3.0, 4.0]))
    tensor([10.+0.j, -2.+2.j, -2.+0.j], dtype=complex64)
    """
    return _fft_rfft(input, n, dim, norm)


def rfft2(
    input: Tensor,
    s: Sequence[int] | None = None,
    dim: Sequence[int] = (-2, -1),
    norm: str | None = None,
) -> Tensor:
    """Do what `rfft` does along two dimensions, the last ones by default.

    >>> ow.fft.rfft2(ow.ones(4, 3)).shape
    (4, 2)
    """
    return _fft_rfft2(input, s, dim, norm)


def rfftn(
    input: Tensor,
    s: Sequence[int] | None = None,
    dim: Sequence[int] | None = None,
    norm: str | None = None,
) -> Tensor:
    """Do what `rfft` does along several dimensions, all by default.

    >>> ow.fft.rfftn(ow.ones(4, 3)).shape
    (4, 2)
    """
    return _fft_rfftn(input, s, dim, norm)


def irfft(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None) -> Tensor:
    """Invert `rfft`; `n` is the number of real elements, even if it is not given.

    >>> ow.fft.irfft(ow.fft.rfft(ow.tensor([1.0, 2.0, 3.0, 4.0])))
    tensor([1., 2., 3., 4.])
    """
    return _fft_irfft(input, n, dim, norm)


def irfft2(
    input: Tensor,
    s: Sequence[int] | None = None,
    dim: Sequence[int] = (-2, -1),
    norm: str | None = None,
) -> Tensor:
    """Do what `irfft` does along two dimensions, the last ones by default.

    >>> ow.fft.irfft2(ow.ones(4, 3)).shape
    (4, 4)
    """
    return _fft_irfft2(input, s, dim, norm)


def irfftn(
    input: Tensor,
    s: Sequence[int] | None = None,
    dim: Sequence[int] | None = None,
    norm: str | None = None,
) -> Tensor:
    """Do what `irfft` does along several dimensions, all by default.

    >>> ow.fft.irfftn(ow.ones(4, 3)).shape
    (4, 4)
    """
    return _fft_irfftn(input, s, dim, norm)


def hfft(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None) -> Tensor:
    """Transform the first half of a signal with Hermitian symmetry to its real spectrum.

    >>> ow.fft.hfft(ow.tensor([1.0, 2.0, 3.0]))
    tensor([ 8., -2.,  0., -2.])
    """
    return _fft_hfft(input, n, dim, norm)


def hfft2(
    input: Tensor,
    s: Sequence[int] | None = None,
    dim: Sequence[int] = (-2, -1),
    norm: str | None = None,
) -> Tensor:
    """Do what `hfft` does along two dimensions, the last ones by default.

    >>> ow.fft.hfft2(ow.ones(4, 3)).shape
    (4, 4)
    """
    return _fft_hfft2(input, s, dim, norm)


def hfftn(
    input: Tensor,
    s: Sequence[int] | None = None,
    dim: Sequence[int] | None = None,
    norm: str | None = None,
) -> Tensor:
    """Do what `hfft` does along several dimensions, all by default.

    >>> ow.fft.hfftn(ow.ones(4, 3)).shape
    (4, 4)
    """
    return _fft_hfftn(input, s, dim, norm)


def ihfft(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None) -> Tensor:
    """Invert `hfft`.

    >>> ow.fft.ihfft(ow.tensor([4.0, 0.0, 0.0, 0.0]))
    tensor([1.-0.j, 1.-0.j, 1.-0.j], dtype=complex64)
    """
    return _fft_ihfft(input, n, dim, norm)


def ihfft2(
    input: Tensor,
    s: Sequence[int] | None = None,
    dim: Sequence[int] = (-2, -1),
    norm: str | None = None,
) -> Tensor:
    """Do what `ihfft` does along two dimensions, the last ones by default.

    >>> ow.fft.ihfft2(ow.ones(4, 3)).shape
    (4, 2)
    """
    return _fft_ihfft2(input, s, dim, norm)


def ihfftn(
    input: Tensor,
    s: Sequence[int] | None = None,
    dim: Sequence[int] | None = None,
    norm: str | None = None,
) -> Tensor:
    """Do what `ihfft` does along several dimensions, all by default.

    >>> ow.fft.ihfftn(ow.ones(4, 3)).shape
    (4, 2)
    """
    return _fft_ihfftn(input, s, dim, norm)


def fftfreq(
    n: int,
    d: float = 1.0,
    *,
    dtype: _C.dtype | None = None,
    device: object = None,
) -> Tensor:
    """Return the frequencies of the elements of `fft`, for samples `d` apart.

    >>> ow.fft.fftfreq(4)
    tensor([ 0.0000,  0.2500, -0.5000, -0.2500])
    """
    return _fft_fftfreq(n, d, dtype=dtype, device=device)


def rfftfreq(
    n: int,
    d: float = 1.0,
    *,
    dtype: _C.dtype | None = None,
    device: object = None,
) -> Tensor:
    """Return the frequencies of the elements of `rfft`.

    >>> ow.fft.rfftfreq(4)
    tensor([0.0000, 0.2500, 0.5000])
    """
    return _fft_rfftfreq(n, d, dtype=dtype, device=device)


def fftshift(input: Tensor, dim: int | Sequence[int] | None = None) -> Tensor:
    """Move the frequency 0 to the middle.

    >>> ow.fft.fftshift(ow.fft.fftfreq(4))
    tensor([-0.5000, -0.2500,  0.0000,  0.2500])
    """
    return _fft_fftshift(input, dim)


def ifftshift(input: Tensor, dim: int | Sequence[int] | None = None) -> Tensor:
    """Invert `fftshift`.

    >>> ow.fft.ifftshift(ow.fft.fftshift(ow.fft.fftfreq(4)))
    tensor([ 0.0000,  0.2500, -0.5000, -0.2500])
    """
    return _fft_ifftshift(input, dim)

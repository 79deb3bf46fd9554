"""Fourier transforms against torch: results, gradients, shapes and errors."""

# Covers: src/ops/fft/*.

import opwright as ow
import pytest
import torch

from .linalg_referee import assert_same, assert_same_gradient, assert_same_under_vmap, given

LENGTHS = (1, 2, 3, 4, 5, 7, 12, 30, 31, 37, 64, 97, 243, 961, 1000, 1009)
MANY = ("fftn", "ifftn", "rfftn", "irfftn", "hfftn", "ihfftn")
TAKES_REAL = ("rfft", "ihfft", "rfftn", "ihfftn")


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.complex64, torch.complex128])
@pytest.mark.parametrize("layout", [(1, 1), (9, 1), (2, 19)])
def test_a_line_of_every_kind_of_length_is_transformed(length, dtype, layout):
    outer, inner = layout
    x = given(outer, length, inner, dtype=dtype)

    assert_same("fft_fft", torch.fft.fft, x, None, 1)
    assert_same("fft_ifft", torch.fft.ifft, x, None, 1)
    assert_same("fft_irfft", torch.fft.irfft, x, length, 1)
    if not dtype.is_complex:
        assert_same("fft_rfft", torch.fft.rfft, x, None, 1)


@pytest.mark.parametrize("name", MANY)
@pytest.mark.parametrize("norm", [None, "forward", "ortho"])
@pytest.mark.parametrize("sizes", [None, (3, 8)])
def test_several_dimensions_are_cut_padded_and_scaled(name, norm, sizes):
    dtype = torch.float64 if name in TAKES_REAL else torch.complex128

    assert_same(
        f"fft_{name}", getattr(torch.fft, name), given(4, 5, 6, dtype=dtype), sizes, None, norm
    )


@pytest.mark.parametrize("name", ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft", *MANY])
def test_gradients_and_vmap_agree(name):
    dtype = torch.float64 if name in TAKES_REAL else torch.complex128
    x = given(3, 5, 6, dtype=dtype)

    assert_same_gradient(f"fft_{name}", getattr(torch.fft, name), x)
    assert_same_under_vmap(f"fft_{name}", getattr(torch.fft, name), x)


@pytest.mark.parametrize(
    "options", [{}, {"hop_length": 3}, {"normalized": True}, {"onesided": False}]
)
def test_a_signal_returns_from_its_windowed_spectra(options):
    signal = given(2, 50, dtype=torch.float64)
    window = torch.hann_window(8, dtype=torch.float64)
    spectra = torch.stft(signal, 8, window=window, return_complex=True, **options)

    found = ow.ops.aten.stft(
        ow.from_dlpack(signal),
        8,
        window=ow.from_dlpack(window),
        return_complex=True,
        center=True,
        **options,
    )
    back = ow.ops.aten.istft(ow.from_dlpack(spectra), 8, window=ow.from_dlpack(window), **options)

    torch.testing.assert_close(torch.from_dlpack(found), spectra)
    torch.testing.assert_close(
        torch.from_dlpack(back), torch.istft(spectra, 8, window=window, **options)
    )


@pytest.mark.parametrize("count", [1, 2, 5, 6])
def test_frequencies_belong_to_the_elements(count):
    aten = ow.ops.aten

    assert aten.fft_fftfreq(count, 0.5).tolist() == torch.fft.fftfreq(count, 0.5).tolist()
    assert aten.fft_rfftfreq(count).tolist() == torch.fft.rfftfreq(count).tolist()
    assert_same("fft_fftshift", torch.fft.fftshift, given(count, 3))
    assert_same("fft_ifftshift", torch.fft.ifftshift, given(count, 3))


def test_a_fake_transform_has_the_sizes_of_a_real_one():
    x = ow.empty(4, 10, device="meta")

    assert ow.ops.aten.fft_rfft(x).shape == (4, 6)
    assert ow.ops.aten.fft_irfft(ow.ops.aten.fft_rfft(x)).shape == (4, 10)


def test_errors_say_what_is_wrong():
    aten = ow.ops.aten
    with pytest.raises(
        RuntimeError, match="fft_fft: n must be at least 1 for the dimension -1, got"
    ):
        aten.fft_fft(ow.ones(2), 0)
    with pytest.raises(RuntimeError, match="fft_ifftn: s must be at least 1 for the dimension 1, "):
        aten.fft_ifftn(ow.ones(2, 3), [0])
    with pytest.raises(
        RuntimeError,
        match=r"fft_irfft: the dimension 0 of self \(float32\[1, 2\]\) is too small for a "
        "transform; name another one in dim, or give n",
    ):
        aten.fft_irfft(ow.ones(1, 2), dim=0)
    with pytest.raises(RuntimeError, match="self must be a real tensor, got complex64"):
        aten.fft_rfft(ow.ones(2, dtype=ow.complex64))
    with pytest.raises(
        RuntimeError, match="norm must be 'forward', 'backward' or 'ortho', got 'x'"
    ):
        aten.fft_fft(ow.ones(2), None, -1, "x")


@pytest.mark.parametrize("device", ["cpu", "meta"])
def test_a_dimension_without_elements_is_not_transformed(device):
    real = ow.empty(2, 0, device=device)
    line = ow.empty(2, 0, dtype=ow.complex64, device=device)
    aten = ow.ops.aten
    text = r": dimension 1 of self must have elements to be transformed, got {}\[2, 0\]"

    with pytest.raises(RuntimeError, match="_fft_r2c" + text.format("float32")):
        aten._fft_r2c(real, [1], 0, True)
    with pytest.raises(RuntimeError, match="_fft_c2c" + text.format("complex64")):
        aten._fft_c2c(line, [1], 0, True)
    with pytest.raises(RuntimeError, match="_fft_c2r" + text.format("complex64")):
        aten._fft_c2r(line, [1, 0], 0, 2)
    assert aten._fft_r2c(ow.empty(0, 4, device=device), [1], 0, True).shape == (0, 3)

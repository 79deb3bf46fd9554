"""Conversions from and to floats of 8 bits equal PyTorch's, bit by bit."""

import numpy as np
import opwright as ow
import pytest
import torch

FORMATS = ("float8_e4m3fn", "float8_e5m2")
OTHERS = ("float16", "bfloat16", "float64", "int32", "bool", "complex64")


def all_bytes(lib, dtype):
    return lib.arange(256, dtype=lib.uint8).view(getattr(lib, dtype))


def bits_of(tensor):
    lib = torch if isinstance(tensor, torch.Tensor) else ow
    return tensor.view(lib.uint8).numpy()


@pytest.mark.parametrize("to", OTHERS)
@pytest.mark.parametrize("dtype", FORMATS)
def test_every_finite_byte_reads_as_pytorchs(dtype, to):
    is_finite = np.isfinite(all_bytes(torch, dtype).float().numpy())
    ours = all_bytes(ow, dtype).to(getattr(ow, to)).to(ow.complex64).numpy()
    theirs = all_bytes(torch, dtype).to(getattr(torch, to)).to(torch.complex64).numpy()

    np.testing.assert_array_equal(ours[is_finite], theirs[is_finite])


@pytest.mark.parametrize("dtype", FORMATS)
def test_nan_and_infinity_stay(dtype):
    ours = all_bytes(ow, dtype).to(ow.float32).numpy()
    theirs = all_bytes(torch, dtype).to(torch.float32).numpy()

    np.testing.assert_array_equal(ours, theirs)
    np.testing.assert_array_equal(
        np.signbit(ours[~np.isnan(ours)]), np.signbit(theirs[~np.isnan(theirs)])
    )


@pytest.mark.parametrize("dtype", FORMATS)
def test_numbers_are_rounded_to_nearest_with_ties_to_even(dtype):
    generator = np.random.default_rng(0)
    values = np.concatenate(
        [
            generator.standard_normal(20000) * 2.0 ** generator.integers(-24, 20, 20000),
            all_bytes(torch, dtype).to(torch.float64).numpy(),
            # The middles between neighbours.
            (lambda f: (f[1:] + f[:-1]) / 2)(all_bytes(torch, dtype).to(torch.float64).numpy()),
            [
                0.0,
                -0.0,
                np.inf,
                -np.inf,
                np.nan,
                448.0,
                464.0,
                464.1,
                480.0,
                57344.0,
                61440.0,
                1e30,
            ],
        ]
    ).astype(np.float32)

    ours = bits_of(ow.from_numpy(values).to(getattr(ow, dtype)))
    theirs = bits_of(torch.from_numpy(values).to(getattr(torch, dtype)))

    is_nan = np.isnan(values)
    np.testing.assert_array_equal(ours[~is_nan], theirs[~is_nan])
    assert np.isnan(
        ow.from_numpy(values).to(getattr(ow, dtype)).to(ow.float32).numpy()[is_nan]
    ).all()


@pytest.mark.parametrize("of", ["float64", "float16", "bfloat16", "int64", "bool"])
@pytest.mark.parametrize("dtype", FORMATS)
def test_numbers_of_other_dtypes_are_converted(dtype, of):
    values = np.arange(-40, 40).astype(np.float64)

    ours = ow.from_numpy(values).to(getattr(ow, of)).to(getattr(ow, dtype))
    theirs = torch.from_numpy(values).to(getattr(torch, of)).to(getattr(torch, dtype))

    np.testing.assert_array_equal(bits_of(ours), bits_of(theirs))


def test_one_format_becomes_the_other():
    ours = all_bytes(ow, "float8_e5m2").to(ow.float8_e4m3fn).to(ow.float32).numpy()
    theirs = all_bytes(torch, "float8_e5m2").to(torch.float8_e4m3fn).to(torch.float32).numpy()

    np.testing.assert_array_equal(ours, theirs)


def test_strided_tensors_are_converted():
    ours = ow.arange(12, dtype=ow.float32).reshape(3, 4).t().to(ow.float8_e5m2)
    theirs = torch.arange(12, dtype=torch.float32).reshape(3, 4).t().to(torch.float8_e5m2)

    assert ours.stride() == theirs.stride()
    assert ours.to(ow.float32).tolist() == theirs.to(torch.float32).tolist()


def test_arithmetic_stays_refused():
    x = ow.ones(2).to(ow.float8_e5m2)

    with pytest.raises(TypeError, match="float8_e5m2"):
        x + x
    with pytest.raises(NotImplementedError):
        torch.ones(2).to(torch.float8_e5m2) + torch.ones(2).to(torch.float8_e5m2)

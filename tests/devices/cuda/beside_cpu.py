"""Compares tensors of a device with those of the CPU."""

import numpy as np
import opwright as ow

TOLERANCES = {ow.float64: 1e-10, ow.float32: 2e-5, ow.float16: 4e-3, ow.bfloat16: 3e-2}


def numbers(tensor):
    tensor = tensor.detach().to("cpu")
    return (tensor.to(ow.float32) if tensor.dtype in (ow.float16, ow.bfloat16) else tensor).numpy()


def assert_close(actual, expected, tolerance=None):
    assert actual.dtype == expected.dtype
    assert tuple(actual.shape) == tuple(expected.shape)
    allowed = TOLERANCES.get(expected.dtype, 0) if tolerance is None else tolerance
    np.testing.assert_allclose(numbers(actual), numbers(expected), rtol=allowed, atol=allowed)


def assert_same_on_cuda(function, *tensors, tolerance=None):
    """Check that `function` computes the same on the device and on the CPU."""
    expected = function(*tensors)
    actual = function(*(each.to("cuda") for each in tensors))
    pairs = (
        zip(expected, actual, strict=True) if isinstance(expected, tuple) else [(expected, actual)]
    )
    for right, given in pairs:
        assert given.device.type == "cuda"
        assert_close(given, right, tolerance)

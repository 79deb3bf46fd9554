"""The devices of tests/operators: "sample" and "plain"."""

import opwright as ow
import pytest

from .device_plugins import plugin


@pytest.fixture(scope="session")
def sample():
    """Return the functions of the device "sample"."""
    assert ow.load_device(plugin("sample_device")) == ["sample"]
    return ow.device_module("sample")


@pytest.fixture(scope="session")
def plain():
    """Return the functions of the device "plain", which has neither streams nor a compiler."""
    assert ow.load_device(plugin("plain_device")) == ["plain"]
    return ow.device_module("plain")


@pytest.fixture(scope="session")
def source_operators(sample):
    """Return the operators whose kernels are texts."""
    ow.load_library(plugin("source_kernels"))
    return ow.ops.source


@pytest.fixture
def opencl():
    """Return the functions of OpenCL devices; found here, so that nothing is loaded before."""
    if not ow.is_available("opencl"):
        pytest.skip("there is no OpenCL device")
    return ow.opencl

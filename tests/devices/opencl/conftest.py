"""The OpenCL device for tests: found once, or all of them are left out with the reason."""

import pytest

from .device_driver import BUILD, Driver


@pytest.fixture(scope="session")
def driver():
    if not (BUILD / "libopwright_opencl.so").exists():
        pytest.skip("libopwright_opencl.so is not built: install opencl-headers")
    found = Driver()
    if found.table.count() == 0:
        with pytest.raises(RuntimeError) as error:
            found.allocate(64)
        pytest.skip(f"no OpenCL device: {error.value}")
    return found


@pytest.fixture(scope="session")
def device(driver):
    """The device of the package: left out as `driver` is."""
    return driver

"""The engine's graphs on a plug-in device."""

import opwright as ow
import pytest

pytestmark = pytest.mark.devices


def test_a_graph_runs_on_the_device_of_its_tensors():
    if not ow.is_available("opencl"):  # checked here, so that nothing is loaded before
        pytest.skip("no OpenCL device is here (PoCL makes one of the CPU)")
    f = ow.compile(lambda x, y: (x + y).relu() * 2, backend="ge", dynamic=True)

    for size in (3, 5):
        x, y = ow.randn(size), ow.randn(size)
        result = f(x.to("opencl"), y.to("opencl"))
        assert result.device.type == "opencl"
        assert ow.allclose(result.cpu(), (x + y).relu() * 2)
    assert f.num_compiles == 1

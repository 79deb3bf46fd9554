"""A binary with kernels for the CPU and for CUDA, in the core on a machine without a GPU."""

import os
import subprocess
from pathlib import Path

import opwright as ow
import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("OPWRIGHT_BUILD", ROOT / "build" / "release"))
LIBRARY = BUILD / "operators" / "libscale_cuda.so"

pytestmark = [
    pytest.mark.devices,
    pytest.mark.skipif(
        not LIBRARY.exists(),
        reason=f"CUDA WAS NOT TESTED: {LIBRARY} was not built, since nvcc is missing",
    ),
]


@pytest.fixture(scope="module")
def scale():
    """Return the operator of the binary."""
    ow.load_library(LIBRARY)
    return ow.ops.on_device.scale


def test_the_binary_brings_a_kernel_for_each_device(scale):
    slots = {slot for slot, _ in scale.default.implementations()}
    assert {"CPU", "CUDA", "Fake", "Autograd", "SetupContext"} <= slots


def test_the_binary_needs_no_library_of_cuda(scale):
    needed = subprocess.run(["ldd", LIBRARY], capture_output=True, text=True, check=True).stdout
    assert "cuda" not in needed.replace(str(LIBRARY), "")


def test_the_kernel_of_the_cpu_runs(scale):
    x = ow.tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = scale(x, 2.5)
    y.sum().backward()
    assert y.tolist() == [2.5, 5.0, 7.5]
    assert x.grad.tolist() == [2.5, 2.5, 2.5]
    with pytest.raises(TypeError, match="scale: x must be float32 or float64, got int64"):
        scale(ow.tensor([1]), 2.0)


def test_tensors_on_cuda_can_be_traced_without_a_device(scale):
    with ow.FakeTensorMode():
        y = scale(ow.empty((2, 3), device="cuda"), 2.0)
    assert y.shape == (2, 3)
    assert y.device.type == "cuda"


def test_the_stream_of_the_cpu_is_null():
    assert ow.ops.opwright.current_stream(ow.device("cpu")) == 0

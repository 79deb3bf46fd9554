"""The CUDA plug-in in the core: found by its name, and what is said where there is no device."""

import os
import subprocess
import sys
from pathlib import Path

import opwright as ow
import pytest

ROOT = Path(__file__).resolve().parents[3]
BUILD = Path(os.environ.get("OPWRIGHT_BUILD", ROOT / "build" / "release"))
PLUGIN = BUILD / "libopwright_cuda.so"

pytestmark = pytest.mark.skipif(
    not PLUGIN.exists(),
    reason=f"CUDA WAS NOT TESTED: {PLUGIN} was not built, since nvcc is missing",
)


@pytest.fixture(scope="module")
def plugin():
    """Load the plug-in."""
    assert ow.load_device(PLUGIN) == ["cuda"]


@pytest.fixture
def without_device(plugin):
    """Leave out tests of a machine without a device where there is one."""
    if ow.cuda.is_available():
        pytest.skip("there is a device")


@pytest.fixture
def with_device(plugin):
    """Leave out tests of a device where there is none, and say so."""
    if not ow.cuda.is_available():
        pytest.skip("CUDA WAS NOT TESTED: there is no device")


def test_loading_the_plugin_starts_no_driver():
    code = (
        f"import opwright as ow; ow.load_device({str(PLUGIN)!r});"
        "print('libcuda.so' in open('/proc/self/maps').read())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_no_device_is_counted_where_there_is_none(without_device):
    assert ow.cuda.device_count() == 0
    assert "cuda" not in ow.devices()


def test_a_tensor_on_a_missing_device_is_refused_with_the_reason(without_device):
    with pytest.raises(RuntimeError, match=r"nothing runs on cuda here: .*driver"):
        ow.zeros(2, device="cuda")


def test_fake_tensors_on_cuda_need_no_device(plugin):
    with ow.FakeTensorMode():
        x = ow.empty((2, 3), device="cuda")
        y = x.sum()
    assert y.device.type == "cuda"


def test_tensors_go_there_and_come_back(with_device):
    x = ow.arange(12, dtype=ow.float32).reshape(3, 4)
    y = x.to("cuda")
    assert str(y.device) == "cuda:0"
    assert y.cpu().tolist() == x.tolist()


def test_a_custom_operator_launches_on_the_current_stream(with_device):
    ow.load_library(BUILD / "operators" / "libadd_cuda.so")
    x = ow.arange(5, dtype=ow.float32).to("cuda")
    stream = ow.cuda.Stream()
    with ow.cuda.stream(stream):
        y = ow.ops.one_launch.add(x, x)
    stream.synchronize()
    assert y.cpu().tolist() == [0.0, 2.0, 4.0, 6.0, 8.0]


def test_memory_is_counted_and_given_back(with_device):
    ow.cuda.empty_cache()
    before = ow.cuda.memory_allocated()
    x = ow.empty(1 << 20, dtype=ow.float32, device="cuda")
    assert ow.cuda.memory_allocated() == before + (4 << 20)
    del x
    assert ow.cuda.memory_allocated() == before


def test_no_room_is_told_with_sizes(with_device):
    with pytest.raises(
        MemoryError,
        match=r"cannot allocate .* on cuda:0: cuda:0 has .* are free; .*opwright.cuda.empty_cache",
    ):
        ow.empty(1 << 50, device="cuda", dtype=ow.uint8)

"""The CUDA plug-in in the core: found by its name, and its errors if there is no device."""
# Covers: devices/cuda/*.

import os
import subprocess
import sys
from pathlib import Path

import opwright as ow
import pytest

ROOT = Path(__file__).resolve().parents[3]
BUILD = Path(os.environ.get("OPWRIGHT_BUILD", ROOT / "build" / "release"))
# Another one with fake devices replaces it in a run of these tests: see below.
PLUGIN = Path(os.environ.get("OPWRIGHT_CUDA_PLUGIN", BUILD / "libopwright_cuda.so"))
ON_CPU = BUILD / "devices" / "cuda" / "on_cpu"

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
    if ow.cuda.get_device_name() == "made up":
        pytest.skip("the device is made up")
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


def pinned_bytes() -> int:
    return ow._C.device_statistic(ow.device("cuda:0"), "pinned_allocated")


def test_pinned_memory_is_copied_and_given_back(with_device):
    x = ow.arange(1000, dtype=ow.float32).pin_memory()
    y = x.to("cuda", non_blocking=True)
    assert y.cpu().tolist() == x.tolist()
    assert pinned_bytes() == 4096
    del x
    assert pinned_bytes() == 0


def test_events_order_streams(with_device):
    stream = ow.cuda.Stream()
    with ow.cuda.stream(stream):
        x = ow.arange(100, dtype=ow.float32).to("cuda")
        event = stream.record_event()
    ow.cuda.current_stream().wait_event(event)
    assert x.cpu().tolist() == list(range(100))


def test_a_forked_process_is_refused(with_device):
    x = ow.ones(3).to("cuda")
    child = os.fork()
    if child == 0:
        try:
            x.cpu()
        except RuntimeError as error:
            os._exit(0 if "cuda was used before this process was forked" in str(error) else 1)
        os._exit(2)
    assert os.waitpid(child, 0)[1] == 0


@pytest.mark.skipif("OPWRIGHT_CUDA_PLUGIN" in os.environ, reason="this is that run")
def test_all_of_this_holds_on_two_made_up_devices():
    environment = {
        **os.environ,
        "OPWRIGHT_CUDA_PLUGIN": str(ON_CPU / "libopwright_cuda.so"),
        "OPWRIGHT_CUDA_LIBRARIES": str(ON_CPU),
    }
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", __file__]
    done = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    assert "8 passed" in done.stdout, done.stdout

"""What the CUDA plug-in reports about a driver that is too old or sees no device.

The drivers are fakes: a libcuda.so.1 that answers the first queries of the plug-in's runtime.
"""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
BUILD = Path(os.environ.get("OPWRIGHT_BUILD", ROOT / "build" / "release"))
PLUGIN_TEST = BUILD / "devices" / "cuda" / "cuda_plugin_test"

pytestmark = [
    pytest.mark.skipif(
        not PLUGIN_TEST.exists(),
        reason=f"CUDA WAS NOT TESTED: {PLUGIN_TEST} was not built, since nvcc is missing",
    ),
    pytest.mark.skipif(not shutil.which("cc"), reason="no C compiler makes up a driver"),
]

DRIVER = """
int cuDriverGetVersion(int* version) { *version = %d; return 0; }
int cuInit(unsigned flags) { return %d; }
"""
NO_DEVICE = 100


def reason_for_skipping(folder: Path, version: int, result_of_start: int) -> str:
    """Return why a test of the plug-in that needs a device is left out under such a driver."""
    source = folder / "driver.c"
    source.write_text(DRIVER % (version, result_of_start))
    library = folder / "libcuda.so.1"
    command = ["cc", "-shared", "-fPIC", "-Wl,-soname,libcuda.so.1", "-o", library, source]
    subprocess.run(command, check=True)
    done = subprocess.run(
        [PLUGIN_TEST, "--gtest_filter=CudaDevice.TellsItsProperties"],
        env={**os.environ, "LD_LIBRARY_PATH": str(folder)},
        capture_output=True,
        text=True,
        check=True,
    )
    return next(line for line in done.stdout.splitlines() if "CUDA WAS NOT TESTED" in line)


def test_a_driver_that_is_too_old_is_told_with_both_versions(tmp_path):
    assert reason_for_skipping(tmp_path, 12020, 0) == (
        "CUDA WAS NOT TESTED: the driver supports CUDA 12.2, the plug-in needs 13.0: "
        "update the driver"
    )


def test_a_driver_without_a_device_is_told(tmp_path):
    assert reason_for_skipping(tmp_path, 13000, NO_DEVICE) == (
        "CUDA WAS NOT TESTED: the driver sees no device; CUDA_VISIBLE_DEVICES may hide them"
    )


def test_the_plugin_holds_cuda_s_runtime_and_needs_no_library_of_it():
    plugin = BUILD / "libopwright_cuda.so"
    needed = subprocess.run(["ldd", plugin], capture_output=True, text=True, check=True).stdout
    assert "libcud" not in needed
    assert "libcublas" not in needed
    shown = subprocess.run(["nm", "-D", "--defined-only", plugin], capture_output=True, text=True)
    assert [line.split()[-1] for line in shown.stdout.splitlines()] == ["opw_binary"]

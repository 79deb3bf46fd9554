"""Our own devices in an installation, and so in wheels: nothing of ours is linked to them."""

import os
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("OPWRIGHT_BUILD", ROOT / "build" / "release")).resolve()
# As tests/python/package/test_wheel.py has it.
RUNTIME = {"ld-linux-x86-64.so.2", "libc.so.6", "libgcc_s.so.1", "libm.so.6", "libstdc++.so.6"}


@pytest.mark.parametrize("device", ["opencl", "cuda"])
def test_an_installed_device_needs_the_c_and_cxx_runtime_alone(device, tmp_path):
    name = f"libopwright_{device}.so"
    if not (BUILD / name).exists():
        pytest.skip(f"{name} is not built")
    subprocess.run(["cmake", "--install", BUILD, "--prefix", tmp_path], check=True)

    shown = subprocess.run(
        ["readelf", "-dW", tmp_path / "lib" / name], capture_output=True, text=True, check=True
    ).stdout

    assert set(re.findall(r"\(NEEDED\).*\[(.*)\]", shown)) <= RUNTIME
    assert re.findall(r"\((?:RUNPATH|RPATH)\).*\[(.*)\]", shown) == []

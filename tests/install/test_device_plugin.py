"""Builds the plug-in device of the guide to devices against an installed Opwright only."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("OPWRIGHT_BUILD", ROOT / "build" / "release")).resolve()
GUIDE = ROOT / "docs" / "guides" / "devices.md"

pytestmark = pytest.mark.skipif(
    not (BUILD / "libopwright.so").exists(), reason="the core library is not built"
)


def run(*command: str | Path, cwd: Path | None = None) -> str:
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True)
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def plugin(tmp_path_factory) -> Path:
    """Install the core, and build the guide's plug-in with CMake against that."""
    folder = tmp_path_factory.mktemp("plugin")
    prefix = folder / "prefix"
    run("cmake", "--install", BUILD, "--prefix", prefix)
    source = re.search(
        r"^cat > toy_device\.cpp <<'END'\n(.*?)^END$", GUIDE.read_text(), re.M | re.S
    )
    (folder / "toy_device.cpp").write_text(source[1])
    (folder / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.25)\nproject(toy LANGUAGES CXX)\n"
        "find_package(opwright REQUIRED)\n"
        "opwright_add_operators(toy_device SOURCES toy_device.cpp)\n"
    )
    run("cmake", "-S", folder, "-B", folder / "build", f"-DCMAKE_PREFIX_PATH={prefix}")
    run("cmake", "--build", folder / "build")
    return folder / "build" / "libtoy_device.so"


def test_it_needs_nothing_of_the_core(plugin):
    needed = re.findall(r"NEEDED.*\[(.+?)\]", run("readelf", "-d", plugin))

    assert [name for name in needed if "opwright" in name] == []


def test_the_core_runs_on_it(plugin):
    program = f"""
import opwright as ow
print(ow.load_device({str(plugin)!r}), ow.device_count("toy"))
x = ow.tensor([1.0, 2.0], device="toy")
print(ow.ops.toy.twice(x))
"""

    assert run(sys.executable, "-c", program) == ("['toy'] 1\ntensor([2., 4.], device='toy:0')\n")


def test_the_command_tells_what_it_adds(plugin):
    program = f"from opwright import _C; print(_C.describe_library({str(plugin)!r}))"

    assert "  adds the device toy\n" in run(sys.executable, "-c", program)

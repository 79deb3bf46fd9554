"""examples/vendor_device: from the vendor's list to both modes, on an installed Opwright."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import opwright as ow
import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("OPWRIGHT_BUILD", ROOT / "build" / "release")).resolve()
EXAMPLE = ROOT / "examples" / "vendor_device"


def run(*command: str | Path, **environment: str | Path) -> str:
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        env={**os.environ, **{name: str(value) for name, value in environment.items()}},
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def prefix(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("prefix")
    run("cmake", "--install", BUILD, "--prefix", folder)
    return folder


@pytest.fixture(scope="module")
def example(tmp_path_factory) -> Path:
    """Return a separate copy of the example: it needs nothing of the tree."""
    return Path(shutil.copytree(EXAMPLE, tmp_path_factory.mktemp("example") / "vendor_device"))


@pytest.mark.parametrize("device", ["cpu", pytest.param("opencl", marks=pytest.mark.devices)])
def test_both_modes_give_the_same_on(device, prefix, example, tmp_path):
    if not ow.is_available(device):
        pytest.skip(f"there is no device {device} here")

    printed = run(
        *("bash", example / "run.sh"),
        DEVICE=device,
        PYTHON=sys.executable,
        BUILD=tmp_path / "build",
        CMAKE_PREFIX_PATH=prefix,
    )

    assert f"eager mode on {device}" in printed
    assert f"graph mode on {device}" in printed
    assert "eager: 16384 elements, same as golden" in printed
    assert "graph: 16384 elements, same as golden" in printed


def test_the_list_is_read_by_python_and_twice_is_harmless():
    path = EXAMPLE / "op_plugin_patch" / "op_plugin_functions.yaml"
    with (
        ow.declare.load(path, namespace="trial_vendor"),
        ow.declare.load(path, namespace="trial_vendor"),
    ):
        schema = str(ow.ops.trial_vendor.npu_add_custom.default.schema)

    assert schema == "trial_vendor::npu_add_custom(Tensor x, Tensor y) -> Tensor"


def test_skeletons_are_made_of_the_list(tmp_path):
    path = EXAMPLE / "op_plugin_patch" / "op_plugin_functions.yaml"

    run(
        *(sys.executable, "-m", "opwright", "generate", path, "--namespace", "npu"),
        *("--kernels", "opencl", "--out", tmp_path),
    )

    texts = "".join(each.read_text() for each in tmp_path.iterdir())
    assert "OPWRIGHT_LIBRARY_IMPL(npu, OpenCL, m)" in texts

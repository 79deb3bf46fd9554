"""libopwright_onnxruntime.so in a program without Python."""

import os
import shutil
import subprocess
from pathlib import Path

import numpy as np
import onnxruntime
import pytest

from .node_models import unary_model

ROOT = Path(__file__).resolve().parents[3]
BUILD = Path(os.environ.get("OPWRIGHT_BUILD", ROOT / "build" / "release")).resolve()
pytestmark = pytest.mark.skipif(shutil.which("c++") is None, reason="no C++ compiler")
LIBRARY = BUILD / "libopwright_onnxruntime.so"
EXPECTED = " ".join(f"{value:.4f}" for value in np.tanh(np.arange(8.0))) + " \n"


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    path = tmp_path_factory.mktemp("program") / "without_python"
    subprocess.run(
        [
            "c++",
            "-std=c++20",
            "-O1",
            f"-I{ROOT}",
            f"-I{ROOT / 'include'}",
            str(ROOT / "tests/bridges/onnxruntime/without_python.cpp"),
            str(LIBRARY),
            str(BUILD / "libopwright.so"),
            "-ldl",
            f"-Wl,-rpath,{BUILD}",
            "-o",
            str(path),
        ],
        check=True,
    )
    return path


@pytest.fixture
def ort_library():
    found = sorted(Path(onnxruntime.__file__).parent.glob("capi/libonnxruntime.so*"))
    if not found:
        pytest.skip("this onnxruntime brings no libonnxruntime.so")
    return found[0]


@pytest.fixture
def model(tmp_path):
    path = tmp_path / "model.onnx"
    path.write_bytes(unary_model("audio::soft_clip").SerializeToString())
    return path


def run(program, *args, **environment):
    return subprocess.run(
        [str(each) for each in (program, *args)],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    ).stdout


def test_a_program_registers_a_binary(program, ort_library, model, binary):
    assert run(program, "run", ort_library, model, binary("soft_clip")) == EXPECTED


def test_a_program_registers_several_binaries_at_once(program, ort_library, model, binary):
    paths = f"{binary('onnx_nodes')}:{binary('soft_clip')}"

    assert run(program, "run", ort_library, model, paths) == EXPECTED


def test_onnx_runtime_takes_the_library_by_its_name(program, ort_library, model, binary):
    given = {"OPWRIGHT_ONNXRUNTIME_LIBRARIES": str(binary("soft_clip"))}

    assert run(program, "named", ort_library, model, LIBRARY, **given) == EXPECTED


def test_a_binary_that_is_not_there_is_a_status(program, ort_library, model):
    printed = run(program, "run", ort_library, model, "nowhere.so")

    assert printed == "OSError: there is no file nowhere.so\n"


def test_an_onnx_runtime_that_is_too_old_is_refused(program):
    assert run(program, "old") == (
        "ImportError: ONNX Runtime 1.16.3 is too old for Opwright's operators, which need 1.17 or "
        "newer\n  pip install --upgrade onnxruntime\n"
    )


@pytest.mark.skipif(shutil.which("readelf") is None, reason="no readelf")
def test_the_library_links_neither_python_nor_onnx_runtime():
    text = subprocess.check_output(["readelf", "--dynamic", str(LIBRARY)], text=True)

    needed = [line.split("[")[1] for line in text.splitlines() if "(NEEDED)" in line]
    assert any(name.startswith("libopwright.so") for name in needed)
    assert not [name for name in needed if "python" in name or "onnxruntime" in name]

"""examples/run_program: programs in C and in C++ that run what export saved, without Python."""

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("OPWRIGHT_BUILD", ROOT / "build" / "release")).resolve()
EXAMPLE = ROOT / "examples" / "run_program"
SOFT_CLIP = BUILD / "operators" / "libsoft_clip.so"


def run(*command: str | Path) -> str:
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def example(tmp_path_factory) -> Path:
    """Return the build folder of the example, built against an installed Opwright."""
    prefix = tmp_path_factory.mktemp("prefix")
    folder = tmp_path_factory.mktemp("example")
    run("cmake", "--install", BUILD, "--prefix", prefix)
    run("cmake", "-S", EXAMPLE, "-B", folder, f"-DCMAKE_PREFIX_PATH={prefix}")
    run("cmake", "--build", folder)
    return folder


@pytest.fixture(scope="module")
def programs(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("programs")
    run(BUILD / "sample_programs", folder, SOFT_CLIP)
    return folder


def test_the_c_program_runs_a_program(example, programs):
    assert run(example / "run_program", programs / "linear.opw") == (
        "relu: [2, 2], first element 4\n"
    )


def test_the_c_program_loads_operators(example, programs):
    text = run(example / "run_program", programs / "clip.opw", SOFT_CLIP)

    assert text.startswith("soft_clip: [2], first element 0.924")


def test_the_c_program_tells_what_went_wrong(example, programs):
    done = subprocess.run(
        [example / "run_program", programs / "clip.opw"], capture_output=True, text=True
    )

    assert done.returncode == 1
    assert "NotImplementedError: " in done.stderr
    assert "libsoft_clip.so" in done.stderr


def test_the_cpp_program_runs_a_program(example, programs):
    assert run(example / "run_program_cpp", programs / "linear.opw") == (
        "relu:\ntensor([[4., 0.],\n        [4., 0.],\n        [4., 0.],\n        [4., 0.]])\n"
    )

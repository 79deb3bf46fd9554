"""xla_ffi.h against the header of the installed jaxlib; libopwright_jax.so links no host."""

import os
import shutil
import subprocess
from pathlib import Path

import jax
import pytest

ROOT = Path(__file__).resolve().parents[3]
BUILD = Path(os.environ.get("OPWRIGHT_BUILD", ROOT / "build" / "release")).resolve()


@pytest.mark.skipif(shutil.which("c++") is None, reason="no C++ compiler")
def test_the_restated_structs_are_those_of_the_installed_jaxlib():
    run = subprocess.run(
        [
            "c++",
            "-std=c++20",
            "-fsyntax-only",
            f"-I{ROOT}",
            f"-isystem{jax.ffi.include_dir()}",
            str(ROOT / "tests/bridges/jax/layout_freeze.cpp"),
        ],
        capture_output=True,
        text=True,
        check=False,
    )

    assert run.returncode == 0, run.stderr


@pytest.mark.skipif(shutil.which("readelf") is None, reason="no readelf")
def test_the_library_links_neither_python_nor_jax():
    text = subprocess.check_output(
        ["readelf", "--dynamic", str(BUILD / "libopwright_jax.so")], text=True
    )

    needed = [line.split("[")[1] for line in text.splitlines() if "(NEEDED)" in line]
    assert any(name.startswith("libopwright.so") for name in needed)
    assert not [name for name in needed if "python" in name or "jax" in name or "xla" in name]

"""The sample sources are PyTorch's own language: torch's headers take them too."""

import os
import random
import subprocess
import sysconfig
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: the sources were not compared")

ROOT = Path(__file__).resolve().parents[2]
SOURCES = sorted((ROOT / "tests/operators").glob("compat_*.cpp"))
if os.environ.get("OPWRIGHT_ALL") != "1":  # torch's headers take many seconds a source
    SOURCES = random.Random(0).sample(SOURCES, 3)
INCLUDE = Path(torch.__file__).parent / "include"


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.stem)
def test_a_sample_source_is_valid_for_torch(source):
    roots = [INCLUDE, INCLUDE / "torch/csrc/api/include", sysconfig.get_paths()["include"]]
    command = ["g++", "-std=c++20", "-fsyntax-only", "-w", f"-DTORCH_EXTENSION_NAME={source.stem}"]

    result = subprocess.run(
        [*command, *(f"-I{root}" for root in roots), source], capture_output=True, text=True
    )

    assert result.returncode == 0, result.stderr

"""The guide to OpenCL prints what it shows."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.usefixtures("device")
def test_the_guide_to_opencl_prints_what_it_shows(tmp_path):
    blocks = ROOT / "tests" / "python" / "docs" / "guide_blocks.py"
    guide = ROOT / "docs" / "guides" / "opencl.md"

    done = subprocess.run(
        [sys.executable, blocks, guide, tmp_path], capture_output=True, text=True, check=False
    )

    assert done.returncode == 0, done.stdout + done.stderr

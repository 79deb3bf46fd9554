"""examples/train_digits on the device, with its operator in CUDA."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
PROGRAM = ROOT / "examples" / "train_digits" / "train_digits.py"


def test_digits_are_learned_on_the_device():
    pytest.importorskip("sklearn", reason="CUDA WAS NOT TESTED: scikit-learn has the digits")
    if not shutil.which("nvcc"):
        pytest.skip("nvcc compiles the operator of the example")
    done = subprocess.run(
        [sys.executable, PROGRAM, "--device", "cuda"],
        env=os.environ,
        capture_output=True,
        text=True,
        timeout=600,
    )

    assert done.returncode == 0, done.stderr
    accuracy = float(re.search(r"test accuracy ([\d.]+) %", done.stdout)[1])
    assert accuracy > 97

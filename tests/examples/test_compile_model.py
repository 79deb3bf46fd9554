"""The example that compiles a model."""

import subprocess
import sys
from pathlib import Path

EXAMPLE = Path(__file__).resolve().parents[2] / "examples/compile_model/compile_model.py"


def test_the_compiled_model_gives_the_same_and_is_trained():
    done = subprocess.run([sys.executable, EXAMPLE], capture_output=True, text=True, check=True)

    assert "same result: True" in done.stdout
    assert "compiles: 2" in done.stdout
    assert "nests: 2\n" in done.stdout
    assert "loss falls: True" in done.stdout

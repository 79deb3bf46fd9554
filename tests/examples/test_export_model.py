"""The example that exports a model and runs it without Python."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import opwright as ow
import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("OPWRIGHT_BUILD", ROOT / "build" / "release"))
EXAMPLE = ROOT / "examples/export_model"


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    """Give the file, and what export_model.py printed."""
    path = tmp_path_factory.mktemp("export_model") / "classifier.opw"
    command = [sys.executable, EXAMPLE / "export_model.py", path]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return path, done.stdout


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_the_loaded_program_gives_what_the_model_gives(exported):
    _, printed = exported

    assert "sizes: {'batch': [1, 64]}" in printed
    assert "written: ['calls']" in printed
    assert "same scores: True" in printed
    assert "calls: 2" in printed
    assert "but is run with batch = 65 (dimension 0 of the argument 'x')" in printed


def test_the_program_in_cpp_gives_the_same(exported):
    path, _ = exported
    with ow.no_grad():
        scores = ow.load_program(path)(ow.ones(2, 4))["scores"]

    printed = run(BUILD / "run_model", path)

    assert printed.count(str(scores)) == 2
    assert "tensor([1])" in printed
    assert "tensor([2])" in printed


def test_the_command_runs_it_on_numpy_files(exported, tmp_path):
    path, _ = exported
    given, scores = tmp_path / "x.npy", tmp_path / "scores.npy"
    np.save(given, np.ones((2, 4), np.float32))
    with ow.no_grad():
        expected = ow.load_program(path)(ow.ones(2, 4))["scores"].numpy()

    run(BUILD / "bin/opwright", "run", path, "--input", f"x={given}", "--output", scores)

    np.testing.assert_array_equal(np.load(scores), expected)

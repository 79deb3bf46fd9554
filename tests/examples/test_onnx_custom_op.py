"""The example that runs a custom operator in ONNX Runtime."""

import subprocess
import sys
from pathlib import Path

import onnx

EXAMPLE = Path(__file__).resolve().parents[2] / "examples/onnx_custom_op/onnx_custom_op.py"


def test_the_model_runs_in_onnx_runtime_from_the_same_binary(tmp_path):
    path = tmp_path / "dual_residual.onnx"

    command = [sys.executable, EXAMPLE, path]
    done = subprocess.run(command, capture_output=True, text=True, check=True)

    assert "rknn_cst::cstDualResidual<alpha=0.5>(linear, y)" in done.stdout
    assert "batch 2, same: True" in done.stdout
    assert "batch 7, same: True" in done.stdout
    assert "whole: Layer = vendor::Layer(x)" in done.stdout
    onnx.checker.check_model(path, full_check=True)

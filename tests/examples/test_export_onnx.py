"""The example that writes an ONNX model from C++."""

import os
import subprocess
from pathlib import Path

import numpy as np
import opwright as ow
import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("OPWRIGHT_BUILD", ROOT / "build" / "release"))
BINARY = BUILD / "operators/libsoft_clip.so"


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """Return the model, and what the program printed."""
    path = tmp_path_factory.mktemp("export_onnx") / "limiter.onnx"
    command = [BUILD / "export_onnx", BINARY, path]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return path, done.stdout


def test_the_model_holds_the_vendors_node_and_passes_the_checker(written):
    onnx = pytest.importorskip("onnx", reason="onnx is not installed: the model was not read")
    path, printed = written

    model = onnx.load(path)

    onnx.checker.check_model(model)
    assert {each.domain: each.version for each in model.opset_import} == {"": 17, "vendor": 1}
    (node,) = [node for node in model.graph.node if node.domain == "vendor"]
    assert (node.op_type, node.attribute[0].name, node.attribute[0].f) == (
        "SoftClip",
        "threshold",
        2.0,
    )
    assert "vendor::SoftClip" in printed


@pytest.mark.parametrize("size", [4, 9])
def test_onnx_runtime_runs_it_with_the_operators_binary(written, size):
    onnxruntime = pytest.importorskip(
        "onnxruntime", reason="onnxruntime is not installed: the model was not run"
    )
    path, _ = written
    options = onnxruntime.SessionOptions()
    ow.onnxruntime.register(options, BINARY, model=path)
    x = np.linspace(-2, 2, size, dtype=np.float32)

    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    (y,) = session.run(["y"], {"x": x})

    np.testing.assert_allclose(y, np.maximum(2 * np.tanh(x * 4 / 2), 0), rtol=1e-6)

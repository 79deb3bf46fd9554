"""Exports calls of torch's operator database as ONNX models and runs them in ONNX Runtime: a seeded
share of them, with OPWRIGHT_ALL=1 all. The models must be valid and match eager results."""
# Covers: src/convert/onnx/rules/*.

import pytest

from .replay_run import check_replay

pytest.importorskip("torch", reason="torch is not installed: no call was exported")
pytest.importorskip("onnxruntime", reason="onnxruntime is not installed: no model was run")

SHARE = ["--share", "0.03", "--samples", "4", "--seed", "13"]


def test_models_of_calls_give_what_eager_gives_at_every_size():
    check_replay("--onnx", share=SHARE)

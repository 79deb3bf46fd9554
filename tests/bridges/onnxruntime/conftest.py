"""Tests of the bridge to ONNX Runtime; left out, with a word, where it or onnx is not installed."""

import importlib.util
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

_MISSING = [name for name in ("onnx", "onnxruntime") if importlib.util.find_spec(name) is None]
collect_ignore_glob = ["test_*.py"] if _MISSING else []
if _MISSING:
    print(f"tests/bridges/onnxruntime: left out, needs {' and '.join(_MISSING)}", file=sys.stderr)

ROOT = Path(__file__).resolve().parents[3]
BUILD = Path(os.environ.get("OPWRIGHT_BUILD", ROOT / "build" / "release")).resolve()


@pytest.fixture
def binary() -> Callable[[str], Path]:
    """Give the file of a sample binary by its name."""
    return lambda name: BUILD / "operators" / f"lib{name}.so"


@pytest.fixture
def session(binary: Callable[[str], Path]) -> Callable[..., Any]:
    """Make a session of a model, with the operators of sample binaries."""
    import onnxruntime
    import opwright.onnxruntime

    def make_session(model: Any, *names: Any, **kwargs: Any) -> Any:
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3  # its warnings would drown the report
        operators = [binary(each) if isinstance(each, str) else each for each in names]
        opwright.onnxruntime.register(options, *operators, **kwargs)
        return onnxruntime.InferenceSession(
            model.SerializeToString(), options, providers=["CPUExecutionProvider"]
        )

    return make_session

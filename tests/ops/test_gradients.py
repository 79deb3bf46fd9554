"""Differentiates calls of torch's operator database: a seeded share of them, with OPWRIGHT_ALL=1
all. First and second derivatives must be torch's, those of in-place forms too."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="torch is not installed: no gradient was compared")

REPLAY = Path(__file__).parent / "replay"
DTYPES = ["--dtypes", "float64", "float32", "complex128"]
SHARE = ["--share", "0.12", "--samples", "4", "--seed", "8"]
ALL = ["--all"]
AT_LEAST = ["--at-least", "98"]  # the percentage of calls that must pass; none may end the process


def test_gradients_of_calls_of_torchs_operator_database_are_torchs():
    chosen = ALL if os.environ.get("OPWRIGHT_ALL") == "1" else SHARE

    run = subprocess.run(
        [sys.executable, REPLAY, "--gradients", *DTYPES, *chosen, *AT_LEAST],
        capture_output=True,
        text=True,
        check=False,
    )

    print(run.stdout[-20000:])
    assert run.returncode == 0, run.stdout[-20000:] + run.stderr[-4000:]

"""Replays calls of torch's operator database: a seeded share of them, with OPWRIGHT_ALL=1 all."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="torch is not installed: no call was replayed")

ROOT = Path(__file__).parents[2]
SHARE = ["--share", "0.1", "--samples", "8", "--seed", "6"]
ALL = ["--all"]
AT_LEAST = ["--at-least", "98"]  # the percentage of calls that must pass; none may end the process


def test_calls_of_torchs_operator_database_give_torchs_results():
    chosen = ALL if os.environ.get("OPWRIGHT_ALL") == "1" else SHARE

    run = subprocess.run(
        [sys.executable, ROOT / "tests" / "ops" / "replay", *chosen, *AT_LEAST],
        capture_output=True,
        text=True,
        check=False,
    )

    print(run.stdout[-20000:])
    assert run.returncode == 0, run.stdout[-20000:] + run.stderr[-4000:]

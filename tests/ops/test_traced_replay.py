"""Traces calls of torch's operator database with symbolic sizes: a seeded share of them, with
OPWRIGHT_ALL=1 all. The graphs must give what the operators give, at other sizes too."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="torch is not installed: no call was traced")

ROOT = Path(__file__).parents[2]
SHARE = ["--share", "0.05", "--samples", "4", "--seed", "7"]
ALL = ["--all"]


def test_graphs_of_calls_give_what_eager_gives_at_every_admitted_size():
    chosen = ALL if os.environ.get("OPWRIGHT_ALL") == "1" else SHARE

    run = subprocess.run(
        [sys.executable, ROOT / "tests" / "ops" / "replay", "--traced", *chosen],
        capture_output=True,
        text=True,
        check=False,
    )

    print(run.stdout[-20000:])
    assert run.returncode == 0, run.stdout[-20000:] + run.stderr[-4000:]

"""Maps calls of torch's operator database: a seeded share of them, with OPWRIGHT_ALL=1 all. vmap
must give what the operator gives sample by sample; none of the core set may run once for each."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="torch is not installed: no call was mapped")

ROOT = Path(__file__).parents[2]
SHARE = ["--share", "0.04", "--samples", "4", "--seed", "8"]
ALL = ["--all"]


def test_vmap_over_each_tensor_and_dimension_equals_the_loop_over_samples():
    chosen = ALL if os.environ.get("OPWRIGHT_ALL") == "1" else SHARE

    run = subprocess.run(
        [sys.executable, ROOT / "tests" / "ops" / "replay", "--vmapped", *chosen],
        capture_output=True,
        text=True,
        check=False,
    )

    print(run.stdout[-20000:])
    assert run.returncode == 0, run.stdout[-20000:] + run.stderr[-4000:]

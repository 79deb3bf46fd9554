"""Random variants of calls of torch's operator database: strides, offsets, dtypes, sizes, numbers,
overlaps. tools/test runs it under ASan too; OPWRIGHT_ALL=1 runs many more."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="torch is not installed: no call was varied")

ROOT = Path(__file__).parents[2]
FEW = ["--share", "0.02", "--samples", "3", "--mutations", "3"]
MANY = ["--all", "--samples", "6", "--mutations", "6"]
# The percentage of variants that must agree; one that crashes the process always fails.
AT_LEAST = ["--at-least", "97"]


@pytest.mark.parametrize("seed", [11, 12])
def test_variants_of_calls_agree_with_torch_and_none_ends_the_process(seed):
    chosen = MANY if os.environ.get("OPWRIGHT_ALL") == "1" else FEW

    run = subprocess.run(
        [
            *(sys.executable, ROOT / "tests" / "ops" / "replay"),
            *chosen,
            *("--seed", str(seed)),
            *AT_LEAST,
        ],
        capture_output=True,
        text=True,
        check=False,
    )

    assert run.returncode == 0, run.stdout[-20000:] + run.stderr[-8000:]

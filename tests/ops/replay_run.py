"""Runs the replay of torch's operator database for the tests: a share of it, or all."""

import os
import subprocess
import sys
from pathlib import Path

REPLAY = Path(__file__).parent / "replay"


def check_replay(*options: str, share: list[str]) -> None:
    """Replay the share, or everything with OPWRIGHT_ALL=1; its exit status is the result."""
    chosen = ["--all"] if os.environ.get("OPWRIGHT_ALL") == "1" else share

    run = subprocess.run(
        [sys.executable, REPLAY, *options, *chosen], capture_output=True, text=True, check=False
    )

    print(run.stdout[-20000:])
    assert run.returncode == 0, run.stdout[-20000:] + run.stderr[-4000:]

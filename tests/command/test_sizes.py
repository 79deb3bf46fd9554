"""The runtime is small: the stripped library, and a process that runs a small program."""

import os
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("OPWRIGHT_BUILD", ROOT / "build" / "release")).resolve()
MEGABYTE = 1000 * 1000
MOST_LIBRARY_BYTES = 16 * MEGABYTE
MOST_PROCESS_MEGABYTES = 40

# Sanitizers make both much larger.
pytestmark = pytest.mark.skipif(BUILD.name in ("asan", "tsan"), reason="a sanitized build is large")


def test_the_library_is_small(tmp_path):
    stripped = tmp_path / "libopwright.so"
    subprocess.run(["strip", BUILD / "libopwright.so", "-o", stripped], check=True)

    assert stripped.stat().st_size <= MOST_LIBRARY_BYTES


def test_a_process_that_runs_a_small_program_is_small(opwright, programs):
    text = opwright("run", programs / "linear.opw", "--random", "--repeat", "100").stdout

    (megabytes,) = re.findall(r"^memory +([\d.]+) MB", text, re.MULTILINE)
    assert float(megabytes) <= MOST_PROCESS_MEGABYTES

"""The reference lists the names that the package has."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]


def test_the_reference_is_up_to_date():
    command = [sys.executable, ROOT / "tools/update_reference", "--check"]

    done = subprocess.run(command, capture_output=True, text=True)

    assert done.returncode == 0, done.stderr

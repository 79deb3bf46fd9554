"""Sizes: a library without debug sections, and the peak memory of a process."""

import subprocess
import tempfile
from pathlib import Path

MEBIBYTE = 1024**2


def library_megabytes(library):
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / library.name
        subprocess.run(["strip", "-o", copy, library], check=True)
        return copy.stat().st_size / MEBIBYTE


def peak_megabytes(statement, python):
    """Return the peak memory of a fresh interpreter that runs the statement."""
    probe = f"""
{statement}
print(next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")))
"""
    done = subprocess.run([python, "-c", probe], check=True, capture_output=True, text=True)
    return int(done.stdout.split()[-1]) / 1024

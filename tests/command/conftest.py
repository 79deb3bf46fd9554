"""Fixtures for the tests of the command: the built program `opwright`, and sample programs."""

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("OPWRIGHT_BUILD", ROOT / "build" / "release")).resolve()
SOFT_CLIP = BUILD / "operators" / "libsoft_clip.so"


@pytest.fixture(scope="session")
def opwright():
    """Return a function that runs the command with words and returns the finished process."""
    # Python must not be needed.
    environment = {"PATH": "/usr/bin:/bin", "OPWRIGHT_NUM_THREADS": "2"}

    def run(*words: str | Path, cwd: Path | None = None) -> subprocess.CompletedProcess:
        command = [BUILD / "bin" / "opwright", *words]
        return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True)

    return run


@pytest.fixture(scope="session")
def programs(tmp_path_factory) -> Path:
    """Return a folder with the programs of tests/program_api/sample_programs.h."""
    folder = tmp_path_factory.mktemp("programs")
    subprocess.run([BUILD / "sample_programs", folder, SOFT_CLIP], check=True)
    return folder


@pytest.fixture(scope="session")
def soft_clip() -> Path:
    return SOFT_CLIP

"""Compiles a source written for PyTorch using only Opwright's include roots."""

import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / os.environ.get("OPWRIGHT_BUILD", "build/release")
INCLUDES = [
    f"-I{ROOT / 'include/opwright/compat'}",
    f"-I{ROOT / 'include'}",
    f"-I{BUILD / 'generated'}",
]


def run_compiler(source: Path, *flags: str) -> subprocess.CompletedProcess:
    command = ["g++", "-std=c++20", *flags, *INCLUDES, str(source)]
    return subprocess.run(command, capture_output=True, text=True)


def build_extension(source: Path, folder: Path) -> Path:
    """Return the shared library of `source`; its stem is the name of the extension."""
    library = folder / f"lib{source.stem}.so"
    name = f"-DTORCH_EXTENSION_NAME={source.stem}"
    result = run_compiler(source, "-O2", "-shared", "-fPIC", name, "-o", str(library))
    assert result.returncode == 0, result.stderr
    return library

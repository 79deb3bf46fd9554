"""Each public header compiles alone, as an operator's author includes it."""

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("OPWRIGHT_BUILD", ROOT / "build" / "release"))
HEADERS = sorted(path.relative_to(ROOT / "include") for path in (ROOT / "include").rglob("*.h"))


def compile_alone(header: Path, folder: Path, suffix: str, command: list[str]) -> str:
    source = folder / f"alone{suffix}"
    source.write_text(f'#include "{header}"\n')
    roots = [f"-I{ROOT / 'include'}", f"-I{BUILD / 'generated'}"]
    flags = ["-Wall", "-Wextra", "-Werror", "-fsyntax-only"]
    return subprocess.run([*command, *flags, *roots, source], capture_output=True, text=True).stderr


@pytest.mark.parametrize("header", HEADERS, ids=str)
def test_a_public_header_compiles_alone(header, tmp_path):
    assert compile_alone(header, tmp_path, ".cpp", ["g++", "-std=c++20"]) == ""


def test_the_c_api_compiles_as_c(tmp_path):
    command = ["gcc", "-std=c11", "-pedantic"]

    assert compile_alone(Path("opwright/c_api.h"), tmp_path, ".c", command) == ""

"""The sample sources also compile with torch's headers."""

import re
import subprocess
import sysconfig
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: the sources were not compared")

ROOT = Path(__file__).resolve().parents[2]
SOURCES = sorted((ROOT / "tests/operators/compat").glob("compat_*.cpp"))
INCLUDE = Path(torch.__file__).parent / "include"


def join_sources() -> str:
    """Join all sources into one: parsing torch's headers takes many seconds.

    The headers come before the namespaces that separate the sources.
    """
    texts = "".join(source.read_text() for source in SOURCES)
    parts = sorted(set(re.findall(r"^#include <.*>$", texts, re.MULTILINE)))
    for source in SOURCES:
        parts += ["#undef TORCH_EXTENSION_NAME", f"#define TORCH_EXTENSION_NAME {source.stem}"]
        parts += [f"namespace source_{source.stem} {{", f'#include "{source}"', "}"]
    return "\n".join([*parts, ""])


def test_the_sample_sources_are_valid_for_torch(tmp_path):
    path = tmp_path / "all.cpp"
    path.write_text(join_sources())
    roots = [INCLUDE, INCLUDE / "torch/csrc/api/include", sysconfig.get_paths()["include"]]
    command = ["g++", "-std=c++20", "-fsyntax-only", "-w", *(f"-I{root}" for root in roots)]

    result = subprocess.run([*command, path], capture_output=True, text=True)

    assert len(SOURCES) == 13
    assert result.returncode == 0, result.stderr

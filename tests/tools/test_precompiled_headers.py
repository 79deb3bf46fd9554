"""Precompiled headers: cmake/run_without_old_output, and the files that a build leaves."""

import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("OPWRIGHT_BUILD", ROOT / "build" / "release")).resolve()
SCRIPT = ROOT / "cmake" / "run_without_old_output"


def run_with(folder, output):
    """Run a command that writes no output; return whether an old output is still there."""
    (folder / output).write_text("old")
    subprocess.run(["sh", SCRIPT, "true", "-c", "x.cpp", "-o", output], cwd=folder, check=True)
    return (folder / output).exists()


def test_an_old_precompiled_header_is_removed_before_the_compiler_runs(tmp_path):
    assert not run_with(tmp_path, "cmake_pch.hxx.gch")
    assert not run_with(tmp_path, "cmake_pch.hxx.pch")


def test_other_outputs_and_headers_are_kept(tmp_path):
    (tmp_path / "cmake_pch.hxx.gch").write_text("kept")

    assert run_with(tmp_path, "unit.cpp.o")
    assert (tmp_path / "cmake_pch.hxx.gch").exists()


def test_the_status_of_the_compiler_is_that_of_the_script():
    assert subprocess.run(["sh", SCRIPT, "sh", "-c", "exit 3"]).returncode == 3


def test_a_build_keeps_the_precompiled_headers_that_its_units_read():
    folders = [each.parents[1] for each in BUILD.glob("CMakeFiles/*_headers.dir/headers/*.o")]

    missing = [
        folder.name
        for folder in folders
        if (folder / "cmake_pch.hxx").exists()
        and not any((folder / f"cmake_pch.hxx.{kind}").exists() for kind in ("gch", "pch"))
    ]
    assert folders
    assert missing == []

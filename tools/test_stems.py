"""Checks that a reader finds the tests of every C++ source.

A test has the stem of its source (parser.cpp, parser_test.cpp, test_parser.py), or the test of a
family names what it covers in a comment; `*` stands for any stem:

    // Covers: src/ops/loss/*, src/base/slab.
"""

import re
from fnmatch import fnmatchcase
from pathlib import Path

SOURCE_FOLDERS = ("src", "bridges", "command", "devices", "python/bindings")
SOURCE_SUFFIXES = {".h", ".cpp", ".cu", ".cuh"}
COVERS = re.compile(r"^(?://|#) Covers: (.*?)\.$", re.MULTILINE | re.DOTALL)
CONTINUED = re.compile(r"\n(?://|#)\s*")


def stem_of_test(path: Path) -> str | None:
    """Return the stem of the sources that the file tests by its name; None if it is no test."""
    if path.suffix == ".py":
        return path.stem.removeprefix("test_") if path.stem.startswith("test_") else None
    for suffix in ("_test", "_main", "_fuzz"):
        if path.suffix == ".cpp" and path.stem.endswith(suffix):
            return path.stem.removesuffix(suffix)
    return None


def covered_by(text: str) -> list[str]:
    """Return the entries of the comments `Covers:` in a test."""
    return [
        entry.strip()
        for match in COVERS.finditer(text)
        for entry in CONTINUED.sub(" ", match[1]).split(",")
    ]


def check_test_stems(root: Path, files: list[Path]) -> list[str]:
    """Return sources without a test, and entries that match no source."""
    sources = {
        path.with_suffix("").as_posix()
        for path in files
        if path.suffix in SOURCE_SUFFIXES
        and any(path.is_relative_to(folder) for folder in SOURCE_FOLDERS)
    }
    tests = [path for path in files if path.parts[0] == "tests" and stem_of_test(path)]
    stems = {stem_of_test(path) for path in tests}
    left = {source for source in sources if source.rpartition("/")[2] not in stems}
    problems = []
    for path in tests:
        for entry in covered_by((root / path).read_text()):
            covered = {source for source in sources if matches(source, entry)}
            left -= covered
            if not covered:
                problems.append(f"{path}: Covers: {entry} matches no source")
    return problems + [
        f"{source}: no test has its stem, and no test says that it covers it (tools/test_stems.py)"
        for source in sorted(left)
    ]


def matches(source: str, entry: str) -> bool:
    """Compare with the `*` of `entry` within one folder."""
    return source.count("/") == entry.count("/") and fnmatchcase(source, entry)

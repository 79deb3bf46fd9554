"""Checks of file names, file sizes and machine paths."""

import re
import subprocess
from pathlib import Path

CODE_SUFFIXES = {".h", ".cpp", ".cu", ".cuh", ".py", ".cmake"}
WARN_LINES = 600
ONE_CONCEPT = {"include/opwright/c_api.h"}  # long, but one concept: the ABI is one C header
MOST_LINES = 1000

NAMELESS = {"utils", "util", "helpers", "helper", "common", "misc", "extra", "details", "detail"}
SNAKE_CASE = re.compile(r"_{0,2}[a-z0-9]+(_[a-z0-9]+)*_{0,2}")
NAMED_BY_OTHERS = {"CMakeLists"}
# Headers and modules that have PyTorch's paths.
PATHS_OF_OTHERS = (Path("include/opwright/compat"), Path("python/opwright/compat"))

# Spelled in parts, so that this file passes its own check.
MACHINE_PATH = re.compile(r"(?<![\w.~*$}])/(?:wor[k]|roo[t]|hom[e]|op[t]|mn[t]|User[s])/[\w.]")
REGISTRY_HOST = re.compile(
    r"pypi\.[o]rg|python[h]osted\.org|download\.py[t]orch\.org|deb\.[d]ebian\.org"
    r"|--(?:extra-)?index[-]url|--find[-]links"
)


def files_of(root: Path) -> list[Path]:
    """Return the tracked files and those that git does not ignore, relative to `root`."""
    listing = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=root,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    paths = {Path(name) for name in listing.split("\0") if name}
    return sorted(path for path in paths if (root / path).is_file())


def check_names(files: list[Path]) -> list[str]:
    problems = []
    for path in files:
        if any(path.is_relative_to(folder) for folder in PATHS_OF_OTHERS):
            continue
        folders_and_stem = [*path.parts[:-1], path.stem if path.suffix else path.name]
        for part in folders_and_stem:
            if part in NAMELESS:
                problems.append(f"{path}: '{part}' does not name a concept")
        stem = path.name.split(".")[0]
        if path.suffix not in CODE_SUFFIXES or stem in NAMED_BY_OTHERS:
            continue
        if not SNAKE_CASE.fullmatch(stem):
            problems.append(f"{path}: file names are snake_case")
    return problems


def check_sizes(root: Path, files: list[Path]) -> tuple[list[str], list[str]]:
    """Return problems and warnings."""
    problems, warnings = [], []
    for path in files:
        if path.suffix not in CODE_SUFFIXES:
            continue
        lines = len((root / path).read_bytes().splitlines())
        if lines > MOST_LINES:
            problems.append(f"{path}: {lines} lines, at most {MOST_LINES} are allowed; split it")
        elif lines > WARN_LINES and path.as_posix() not in ONE_CONCEPT:
            warnings.append(f"{path}: {lines} lines, probably two concepts")
    return problems, warnings


def check_machine_paths(root: Path, files: list[Path]) -> list[str]:
    problems = []
    for path in files:
        try:
            text = (root / path).read_text()
        except UnicodeDecodeError:
            continue
        for number, line in enumerate(text.splitlines(), start=1):
            if MACHINE_PATH.search(line):
                problems.append(f"{path}:{number}: names a path of one machine")
            if REGISTRY_HOST.search(line):
                problems.append(f"{path}:{number}: names a package registry")
    return problems

"""Finds the tests that match a word: a layer, a path, or part of a test's name."""

import difflib
import re
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

from layers import parse_layers

CPP_TEST = re.compile(r"^\s*(?:TYPED_)?TEST(?:_F|_P)?\(\s*(\w+)\s*,\s*(\w+)\s*\)", re.MULTILINE)
PYTHON_TEST = re.compile(r"^\s*(?:async )?def (test_\w+)\(", re.MULTILINE)


class SelectionError(Exception):
    """No test matches the word."""


@dataclass
class Selection:
    """The tests to run: gtest filters by layer, and pytest arguments."""

    cpp: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    pytest: list[str] = field(default_factory=list)

    def targets(self) -> list[str]:
        """Return the targets to build."""
        targets = [f"{layer}_test" for layer in self.cpp]
        if self.pytest:
            targets.append("python_tests")
        if any(word.startswith("tests/devices") for word in self.pytest):
            targets += ["devices", "device_tests"]
        return targets


def filter_of(suite: str, name: str = "*") -> str:
    """Return a gtest filter that also matches parametrized tests, which have a prefix or suffix."""
    return f"{suite}.{name}:*/{suite}.{name}/*:{suite}/*.{name}"


def select(root: Path, word: str) -> Selection:
    """Return the tests that match `word`; raise SelectionError if there are none."""
    layers = parse_layers(root)
    path = word.split("::")[0].rstrip("/")
    if word in layers:
        return select_layer(root, word)
    if (root / path).exists():
        return select_path(root, path, word, layers)
    return select_name(root, word, layers)


def select_layer(root: Path, layer: str) -> Selection:
    selection = Selection()
    if any((root / "tests" / layer).rglob("*_test.cpp")):
        selection.cpp[layer].append("*")
    if any((root / "tests" / layer).rglob("test_*.py")):
        selection.pytest.append(f"tests/{layer}")
    return selection


def select_path(root: Path, path: str, word: str, layers: dict[str, set[str]]) -> Selection:
    top, _, rest = path.partition("/")
    layer = rest.partition("/")[0]
    if top == "src" and layer in layers:
        return select_layer(root, layer)
    if top == "tests" and path.endswith(".cpp") and layer in layers:
        suites = dict.fromkeys(suite for suite, _ in CPP_TEST.findall((root / path).read_text()))
        if not suites:
            raise SelectionError(f"{path} has no test")
        return Selection(cpp={layer: [filter_of(suite) for suite in suites]})
    if top == "tests" and rest in layers:
        return select_layer(root, rest)
    if top == "tests" and (path.endswith(".py") or (root / path).is_dir()):
        return Selection(pytest=[word])
    raise SelectionError(f"{path} is neither a test nor a source of a layer")


def select_name(root: Path, word: str, layers: dict[str, set[str]]) -> Selection:
    selection = Selection(cpp=defaultdict(list))
    names = []
    for layer in layers:
        for source in sorted((root / "tests" / layer).rglob("*_test.cpp")):
            for suite, name in CPP_TEST.findall(source.read_text()):
                names.append(f"{suite}.{name}")
                if word in names[-1]:
                    selection.cpp[layer].append(filter_of(suite, name))
    for source in sorted((root / "tests").rglob("test_*.py")):
        for name in dict.fromkeys(PYTHON_TEST.findall(source.read_text())):
            names.append(name)
            if word in name:
                selection.pytest.append(f"{source.relative_to(root)}::{name}")
    if not selection.cpp and not selection.pytest:
        close = difflib.get_close_matches(word, names, n=3, cutoff=0.4)
        hint = f"; did you mean {', '.join(close)}?" if close else ""
        raise SelectionError(f"no layer, path or test is called '{word}'{hint}")
    return selection

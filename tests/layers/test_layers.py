"""The layering rule holds in the build and in every file of the tree."""

import json
import os
import shlex
import subprocess
from itertools import pairwise
from pathlib import Path

import pytest
from layers import check_layers, parse_layers, sources_under

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("OPWRIGHT_BUILD", ROOT / "build" / "release"))


def compile_with_roots_of(layer: str, source: Path) -> subprocess.CompletedProcess:
    """Compile `source` with the flags that the build uses for a file of `layer`."""
    commands = json.loads((BUILD / "compile_commands.json").read_text())
    target = f"CMakeFiles/opwright_{layer}_"
    entry = next(entry for entry in commands if target in entry["command"])
    words = shlex.split(entry["command"])
    flags = [word for word in words[1:] if word.startswith(("-I", "-D", "-std=", "-f", "-W"))]
    system = [word for flag, word in pairwise(words) if flag == "-isystem"]
    flags += [f"-isystem{word}" for word in system]
    # A launcher such as ccache stands before the compiler.
    compiler = next(word for word in words if "++" in Path(word).name)
    return subprocess.run(
        [compiler, *flags, "-fsyntax-only", str(source)],
        cwd=entry["directory"],
        capture_output=True,
        text=True,
    )


def header_of(layer: str) -> str:
    header = next(path for path in sources_under(ROOT / "src" / layer) if path.suffix == ".h")
    return f"opwright/{header.relative_to(ROOT / 'src')}"


def write_include(folder: Path, header: str) -> Path:
    source = folder / "includes_one_header.cpp"
    source.write_text(f'#include "{header}"\n')
    return source


@pytest.mark.parametrize(
    ("layer", "above"), [("base", "dispatch"), ("base", "symbolic"), ("schema", "dispatch")]
)
def test_an_include_of_a_higher_layer_stops_the_build(tmp_path, layer, above):
    source = write_include(tmp_path, header_of(above))

    result = compile_with_roots_of(layer, source)

    assert result.returncode != 0
    assert "No such file" in result.stderr


@pytest.mark.parametrize(
    ("layer", "below"), [("base", "base"), ("schema", "base"), ("dispatch", "schema")]
)
def test_an_include_of_a_lower_layer_compiles(tmp_path, layer, below):
    source = write_include(tmp_path, header_of(below))

    result = compile_with_roots_of(layer, source)

    assert result.returncode == 0, result.stderr


def test_no_file_of_the_tree_breaks_the_layering():
    assert check_layers(ROOT) == []


def test_the_include_root_of_a_layer_shows_what_it_may_include():
    for layer, allowed in parse_layers(ROOT).items():
        shown = {path.name for path in (BUILD / "layers" / layer / "opwright").iterdir()}
        assert shown == allowed


@pytest.mark.parametrize(
    ("layer", "unseen"),
    [
        ("ir", "ops"),
        ("run", "check"),
        ("compile", "program"),
        ("convert", "program"),
        ("convert", "compile"),
    ],
)
def test_siblings_do_not_see_each_other(layer, unseen):
    layers = parse_layers(ROOT)

    assert unseen not in layers[layer]
    assert layer not in layers[unseen]


@pytest.fixture
def small_tree(tmp_path):
    """Write files into a tree with the layers base and tensor; return its root."""

    def write(**files: str) -> Path:
        (tmp_path / "CMakeLists.txt").write_text(
            "opwright_layer(base)\nopwright_layer(tensor USES base)\n"
        )
        for name, text in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return tmp_path

    return write


@pytest.mark.parametrize(
    ("name", "include", "problem"),
    [
        ("src/base/a.h", '"opwright/tensor/b.h"', "layer base may not include opwright/tensor/b.h"),
        ("src/tensor/a.h", '"../base/b.h"', 'an include has "..": ../base/b.h'),
        ("src/base/a.h", '"b.h"', 'write "opwright/<layer>/b.h", not "b.h"'),
        (
            "include/opwright/a.h",
            '"opwright/base/b.h"',
            "include may not include opwright/base/b.h",
        ),
        ("include/opwright/a.h", "<iostream>", "a public header may not include <iostream>"),
        ("include/opwright/a.h", "<functional>", "a public header may not include <functional>"),
        ("include/opwright/a.h", "<fmt/format.h>", "may not include <fmt/format.h>"),
    ],
)
def test_a_wrong_include_is_reported_with_its_line(small_tree, name, include, problem):
    root = small_tree(**{name: f"#pragma once\n#include {include}\n"})

    (report,) = check_layers(root)

    assert report.startswith(f"{name}:2: ")
    assert report.endswith(problem)


def test_a_folder_that_no_layer_names_is_reported(small_tree):
    root = small_tree(**{"src/stray/a.cpp": ""})

    assert check_layers(root) == ["src/stray: no opwright_layer(...) line names this folder"]

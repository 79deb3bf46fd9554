"""The layering rule holds in the build and in every file of the tree."""

import json
import os
import shlex
import subprocess
from itertools import pairwise
from pathlib import Path

import pytest
from layers import (
    MOST_FILES,
    check_folder_sizes,
    check_layers,
    parse_binding_folders,
    parse_folders,
    parse_layers,
    sources_under,
)

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
        ("host", "run"),
        ("program_api", "onnx_model"),
        ("onnx_model", "graph_engine"),
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


ORDERED = """\
opwright_layer(base)
opwright_layer(
  tensor
  USES base
  FOLDERS
    device
    .
    dlpack
)
"""


def test_the_order_of_folders_is_read_off_the_layers_line(small_tree):
    root = small_tree(**{"CMakeLists.txt": ORDERED})

    assert parse_layers(root)["tensor"] == {"base", "tensor"}
    assert parse_folders(root) == {"tensor": ["device", ".", "dlpack"]}


@pytest.mark.parametrize(
    ("name", "target", "folder"),
    [
        ("src/tensor/device/a.h", "opwright/tensor/b.h", "device"),
        ("src/tensor/a.cpp", "opwright/tensor/dlpack/b.h", "."),
    ],
)
def test_an_include_of_a_higher_folder_is_reported(small_tree, name, target, folder):
    root = small_tree(**{"CMakeLists.txt": ORDERED, name: f'#include "{target}"\n'})

    assert check_layers(root) == [
        f"{name}:1: src/tensor/{folder} may not include {target}, a higher folder"
    ]


def test_an_include_of_a_lower_folder_is_fine(small_tree):
    text = '#include "opwright/tensor/device/b.h"\n#include "opwright/tensor/c.h"\n'
    root = small_tree(**{"CMakeLists.txt": ORDERED, "src/tensor/dlpack/a.h": text})

    assert check_layers(root) == []


def test_a_folder_without_a_place_in_the_order_is_reported(small_tree):
    root = small_tree(**{"CMakeLists.txt": ORDERED, "src/tensor/view/a.h": ""})

    assert check_layers(root) == [
        "src/tensor/view/a.h: CMakeLists.txt does not order src/tensor/view"
    ]


def test_folders_need_an_order(small_tree):
    root = small_tree(**{"src/base/a.h": "", "src/base/memory/b.h": ""})

    assert check_layers(root) == [
        "src/base: give its opwright_layer(...) line FOLDERS, lowest first"
    ]


@pytest.mark.parametrize(
    ("name", "target"),
    [
        ("bridges/operators/a.h", "bridges/torch/b.h"),
        ("bridges/jax/a.h", "bridges/torch/b.h"),
        ("devices/cuda/a.h", "devices/cuda/kernels/b.h"),
        ("devices/opencl/a.h", "python/bindings/interpreter/raised_exception.h"),
        ("bridges/torch/python/a.h", "python/bindings/interpreter/error.h"),
    ],
)
def test_an_include_between_products_is_reported(small_tree, name, target):
    root = small_tree(**{name: f'#include "{target}"\n'})

    assert check_layers(root) == [f"{name}:1: {Path(name).parent} may not include {target}"]


def test_bridges_share_their_own_folder_and_one_header_of_the_bindings(small_tree):
    text = (
        '#include "bridges/operators/b.h"\n'
        '#include "python/bindings/interpreter/raised_exception.h"\n'
    )

    assert check_layers(small_tree(**{"bridges/torch/python/a.h": text})) == []


def test_a_new_folder_of_a_product_needs_a_place(small_tree):
    root = small_tree(**{"bridges/mlx/a.h": ""})

    assert check_layers(root) == ["bridges/mlx/a.h: tools/layers.py does not order bridges/mlx"]


def test_a_folder_of_too_many_sources_is_reported(small_tree):
    root = small_tree(**{f"src/base/file_{i}.h": "" for i in range(MOST_FILES + 1)})

    assert check_folder_sizes(root) == [
        f"src/base: {MOST_FILES + 1} files, at most {MOST_FILES}; split it by concept"
    ]


def test_the_bindings_have_an_order_of_folders():
    folders = {path.name for path in (ROOT / "python/bindings").iterdir() if path.is_dir()}

    assert {*parse_binding_folders(ROOT)} == {*folders, "."}

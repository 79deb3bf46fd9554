"""Operator binaries built like an author's, with only a compiler, and loaded by the core."""

import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("OPWRIGHT_BUILD", ROOT / "build" / "release"))
INCLUDES = [f"-I{ROOT / 'include'}", f"-I{BUILD / 'generated'}"]

OPERATOR = """
#include "opwright/opwright.h"
namespace {{
opwright::Tensor same(const opwright::Tensor& x) {{ return x * x; }}
}}
OPWRIGHT_LIBRARY({name}, m) {{ m.def("same(Tensor x) -> Tensor"); }}
OPWRIGHT_LIBRARY_IMPL({name}, CPU, m) {{ m.impl("same", &same); }}
"""


def compile_library(folder, name, source, *flags):
    """Return lib<name>.so, built with `g++ -shared -fPIC` and nothing of the core."""
    path = folder / f"{name}.cpp"
    path.write_text(source)
    library = folder / f"lib{name}.so"
    command = ["g++", "-std=c++20", "-O1", "-shared", "-fPIC", *INCLUDES, str(path)]
    subprocess.run([*command, "-o", str(library), *flags], check=True)
    return library


def load(*libraries):
    """Return the core's output for the binaries."""
    command = [BUILD / "load_binary", *map(str, libraries)]
    return subprocess.run(command, capture_output=True, text=True).stdout


def test_two_binaries_built_with_a_bare_compiler_keep_separate_lists(tmp_path):
    first = compile_library(tmp_path, "first", OPERATOR.format(name="first"))
    second = compile_library(tmp_path, "second", OPERATOR.format(name="second"))

    text = load(first, second)

    of_first, of_second = text.split("loaded\n")[:2]
    assert text.count("loaded\n") == 2
    assert "defines first::same(Tensor x) -> Tensor" in of_first
    assert "second::" not in of_first
    assert "defines second::same(Tensor x) -> Tensor" in of_second
    assert "first::" not in of_second
    assert "imports aten::mul.Tensor" in of_first
    assert "imports aten::mul.Tensor" in of_second


def test_no_symbol_of_ours_is_unique_in_the_process(tmp_path):
    library = compile_library(tmp_path, "first", OPERATOR.format(name="first"))

    symbols = subprocess.run(
        ["readelf", "-sW", str(library)], capture_output=True, text=True, check=True
    ).stdout

    unique = [line for line in symbols.splitlines() if "UNIQUE" in line and "opwright" in line]
    assert unique == []
    assert any(line.endswith(" opw_binary") for line in symbols.splitlines())


def test_a_missing_dependency_is_named(tmp_path):
    needed = compile_library(tmp_path, "needed", "int answer() { return 42; }")
    source = OPERATOR.format(name="needy") + "int answer();\nint ask() { return answer(); }\n"
    needy = compile_library(tmp_path, "needy", source, f"-L{tmp_path}", "-lneeded")
    needed.unlink()

    text = load(needy)

    assert text.startswith(
        f"OSError: {needy} cannot be loaded: libneeded.so: cannot open shared object file"
    )
    assert "`ldd` shows the libraries that it needs." in text


def test_a_definition_in_a_block_of_functions_is_refused_with_the_place_to_put_it(tmp_path):
    block = 'OPWRIGHT_LIBRARY_IMPL(misplaced, CPU, m) { m.def("f(Tensor x) -> Tensor"); }'
    source = f'#include "opwright/opwright.h"\n{block}\n'

    text = load(compile_library(tmp_path, "misplaced", source))

    assert "an operator is defined in a block of functions (f(Tensor x) -> Tensor)" in text
    assert "Define it in OPWRIGHT_LIBRARY(misplaced, m)." in text


def test_two_blocks_that_own_one_namespace_are_refused_with_both_places(tmp_path):
    library = compile_library(tmp_path, "first", OPERATOR.format(name="twice"))
    other = compile_library(
        tmp_path, "second", OPERATOR.format(name="twice").replace("same", "other")
    )

    text = load(library, other)

    assert "the namespace 'twice' is claimed twice: at " in text
    assert "libfirst.so) and at " in text
    assert "libsecond.so)" in text
    assert "Use OPWRIGHT_LIBRARY_FRAGMENT(twice, m), or Library" in text

"""program_api.h is plain C: it compiles as C99 and C++ without a warning and links as C does."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("OPWRIGHT_BUILD", ROOT / "build" / "release")).resolve()
EXAMPLE = ROOT / "examples" / "run_program" / "run_program.c"
STRICT = ("-Wall", "-Wextra", "-Werror", "-pedantic", f"-I{ROOT / 'include'}")
COMPILERS = [name for name in ("gcc", "clang-19") if shutil.which(name)]

EVERY_FUNCTION = """
#include "opwright/runtime/program_api.h"
const void* every_function[] = {
    (const void*)&opw_version, (const void*)&opw_last_error, (const void*)&opw_last_error_kind,
    (const void*)&opw_library_load, (const void*)&opw_set_num_threads, (const void*)&opw_set_seed,
    (const void*)&opw_program_load, (const void*)&opw_program_load_bytes,
    (const void*)&opw_program_release, (const void*)&opw_program_num_inputs,
    (const void*)&opw_program_num_outputs, (const void*)&opw_program_input,
    (const void*)&opw_program_output, (const void*)&opw_program_text,
    (const void*)&opw_program_run, (const void*)&opw_tensor_view,
    (const void*)&opw_tensor_release};
int main(void) { return every_function[0] == 0; }
"""


def compile_strictly(compiler: str, *words: str | Path) -> None:
    done = subprocess.run([compiler, *STRICT, *words], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("standard", ["c99", "c11", "c17"])
def test_a_c_program_compiles_without_a_warning(compiler, standard, tmp_path):
    compile_strictly(compiler, f"-std={standard}", "-c", EXAMPLE, "-o", tmp_path / "example.o")


def test_the_code_of_the_guide_compiles(tmp_path):
    guide = (ROOT / "docs/guides/runtime.md").read_text()
    (code,) = re.findall(r"^```c\n(.*?)^```", guide, re.MULTILINE | re.DOTALL)
    include, body = code.split("\n", 1)
    source = tmp_path / "guide.c"
    source.write_text(
        f"{include}\n#include <stdio.h>\nint main(void) {{\n{body}\nreturn results == NULL;\n}}\n"
    )

    compile_strictly("gcc", "-std=c99", "-c", source, "-o", tmp_path / "guide.o")


@pytest.mark.parametrize("standard", ["c++11", "c++20"])
def test_it_is_a_header_of_cpp_too(standard, tmp_path):
    source = tmp_path / "uses.cpp"
    source.write_text(
        '#include "opwright/runtime/program_api.h"\nint f() { return opw_set_seed(1); }\n'
    )

    compile_strictly("g++", f"-std={standard}", "-c", source, "-o", tmp_path / "uses.o")


def test_every_function_is_in_the_library_under_its_c_name(tmp_path):
    source = tmp_path / "every.c"
    source.write_text(EVERY_FUNCTION)
    program = tmp_path / "every"
    libraries = (f"-L{BUILD}", "-lopwright", f"-Wl,-rpath,{BUILD}")

    subprocess.run(
        ["gcc", "-std=c99", f"-I{ROOT / 'include'}", source, *libraries, "-o", program], check=True
    )

    assert subprocess.run([program]).returncode == 0


def test_the_list_above_has_every_function_of_the_header():
    header = (ROOT / "include/opwright/runtime/program_api.h").read_text()

    for line in header.splitlines():
        if line.startswith("OPW_PUBLIC"):
            name = line.split("(")[0].split()[-1].lstrip("*")
            assert f"&{name}" in EVERY_FUNCTION

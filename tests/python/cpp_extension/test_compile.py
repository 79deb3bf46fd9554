"""The compiler behind load and load_inline: its messages, its absence, what a build depends on."""

import os
import re

import pytest
from opwright.cpp_extension import (
    CompileError,
    CompilerNotFoundError,
    _compiler,
    include_paths,
    library_paths,
    load,
    load_inline,
)

from .conftest import MINIMAL, NATIVE, QUICK


def compile_error(*args, **options) -> CompileError:
    with pytest.raises(CompileError) as caught:
        load_inline(*args, extra_cflags=QUICK, **options)
    return caught.value


def test_an_error_is_told_at_the_line_of_the_string(cache):
    error = compile_error("wrong", NATIVE + "\nTensor f() { return nothing; }\n")

    text = str(error)
    assert text.startswith("load_inline('wrong') does not compile:\n")
    assert re.search(r"wrong\.cpp:5:\d+: error: .nothing. was not declared", text)
    assert "5 | Tensor f() { return nothing; }" in text
    assert re.search(r"\ncommand: \S*c\+\+ -std=c\+\+20 .* wrong\.cpp ", text)
    assert str(cache) not in text
    assert error.command[0].endswith("c++")


def test_an_error_in_the_second_string_names_it(cache):
    error = compile_error("wrong", [NATIVE, "int x;\nint y = z;"])

    assert "wrong_2.cpp:2:9: error:" in str(error)


def test_an_error_behind_a_header_that_was_added_keeps_its_line(cache):
    assert "wrong.cpp:2:" in str(compile_error("wrong", "\nat::Tensor f( {"))


def test_a_type_that_no_operator_has_is_told_at_the_function(cache):
    error = compile_error("wrong", NATIVE + "struct A {};\nvoid f(A a) {}", functions="f")

    assert "wrong.cpp:5:" in str(error)
    assert (
        "hint: an operator has no argument or result of the C++ type 'A'; it may have Tensor"
        in str(error)
    )
    assert "required from 'class" not in str(error)


def test_a_bracket_that_is_never_closed_is_told_where_it_is(cache):
    error = compile_error("wrong", NATIVE + "int f() {\n  return 1;\n", functions="f")

    assert re.search(r"wrong\.cpp:5:\d+: error: expected '}' at end of input", str(error))
    assert "wrong.cpp:4:9: note: to match this '{'" in str(error)


@pytest.mark.parametrize(
    ("header", "hint"),
    [
        ("mine.h", "hint: give the folder of mine.h in extra_include_paths"),
        ("torch/nn.h", "hint: of PyTorch's headers Opwright has those that operators use, and not"),
        ("cuda_runtime.h", "hint: cuda_runtime.h belongs to CUDA: pass with_cuda=True"),
    ],
)
def test_a_missing_header_has_a_hint(cache, header, hint):
    error = compile_error("wrong", f"#include <{header}>", no_implicit_headers=True)

    assert f"wrong.cpp:1:10: fatal error: {header}: No such file" in str(error)
    assert hint in str(error)


def test_a_name_that_nothing_defines_is_an_error_of_the_build(cache):
    error = compile_error("wrong", NATIVE + "Tensor f();\nTensor g() { return f(); }")

    assert re.search(r"undefined reference to .f\(\)", str(error))
    assert "hint: 'f()' is declared but defined nowhere" in str(error)
    assert not re.search(r"/cc\w+\.o", str(error))  # the compiler's own temporary file


def test_a_name_of_the_standard_library_that_is_hidden_from_the_text_is_found(cache):
    source = "#define JOIN(a) st##a\nint64_t f() { return *JOIN(d)::make_unique<int>(3); }"

    load_inline("hidden", source, extra_cflags=QUICK)


def test_a_long_output_is_cut_and_kept_whole_in_the_error(cache):
    source = "\n".join(f"int x{number} = y{number};" for number in range(100))

    error = compile_error("wrong", source, no_implicit_headers=True)

    assert "wrong.cpp:1:10: error" in str(error)
    assert "more lines; the error's attribute `output` has them all" in str(error)
    assert len(str(error)) < 8000
    assert "y99" in error.output


def test_without_a_compiler_the_message_has_the_command_that_installs_one(cache, monkeypatch):
    monkeypatch.setenv("PATH", "")

    with pytest.raises(CompilerNotFoundError) as caught:
        load_inline("absent", NATIVE)

    text = str(caught.value)
    assert text.startswith(
        "C++ sources need a compiler, and there is none (looked for c++, g++, clang++ in PATH).\n"
        "  Install one: "
    )
    assert "install" in text or "add" in text
    assert text.endswith("\n  or set CXX to the command of one.")


@pytest.mark.parametrize(
    ("release", "command"),
    [
        ("ID=debian\n", "apt-get install g++"),
        ('ID="rocky"\nID_LIKE="rhel centos fedora"\n', "dnf install gcc-c++"),
        ("ID=plan9\n", "conda install -c conda-forge gxx"),
    ],
)
def test_the_command_is_that_of_the_system(tmp_path, release, command):
    (tmp_path / "os-release").write_text(release)

    assert _compiler.install_command(str(tmp_path / "os-release")) == command


def test_a_compiler_that_was_chosen_and_is_not_there_is_named(cache, monkeypatch):
    monkeypatch.setenv("CXX", "g++-99 -m64")

    with pytest.raises(
        CompilerNotFoundError, match="CXX is 'g\\+\\+-99 -m64', but there is no program"
    ):
        load_inline("absent", NATIVE)


def test_a_function_that_is_not_there_is_refused_before_compiling(cache, slow_compiler):
    calls = slow_compiler(0)

    with pytest.raises(
        ValueError, match=r"load_inline\('early'\): cpp_sources has no function 'g'"
    ):
        load_inline("early", NATIVE, functions=["twice", "g"])

    assert calls() == 0


def test_what_the_library_depends_on_makes_another_one(cache, slow_compiler, tmp_path, monkeypatch):
    calls = slow_compiler(0)

    def build(text=MINIMAL, **options):
        load_inline("keyed", text, **options)
        return calls()

    assert build() == 1
    assert build() == 1
    assert build(MINIMAL + "int y;") == 2
    assert build(extra_cflags=["-DX=1"]) == 3
    assert build(extra_include_paths=[str(tmp_path)]) == 4
    monkeypatch.setenv("CPATH", str(tmp_path))
    assert build() == 5
    monkeypatch.delenv("CPATH")
    assert build() == 5
    os.utime(tmp_path / "slow_compiler", (1, 1))
    assert build() == 6


def test_a_changed_header_of_the_author_is_compiled_again(cache, slow_compiler, tmp_path):
    calls = slow_compiler(0)
    header = tmp_path / "own header.h"
    source = MINIMAL + '#include "own header.h"\nint y = X;'

    def build():
        load_inline("inclined", source, extra_include_paths=[str(tmp_path)])
        return calls()

    header.write_text("#define X 1\n")
    assert build() == build() == 1
    header.write_text("#define X 2\n")
    assert build() == build() == 2
    header.write_text("#error gone\n")
    with pytest.raises(CompileError, match=r"own header\.h:1:2: error: #error gone"):
        build()


def test_files_are_compiled_and_named_as_they_were_given(cache, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.cpp").write_text("int f();\nint g() { return f(); }\n")
    (tmp_path / "b.cpp").write_text(MINIMAL + "int f() { return 1; }\n")

    path = load("filed", ["a.cpp", "b.cpp"], is_python_module=False)
    (tmp_path / "b.cpp").write_text("\nint f() { return nothing; }\n")

    assert os.path.exists(path)
    with pytest.raises(
        CompileError, match=r"^load\('filed'\) does not compile:\nb.cpp: In function"
    ):
        load("filed", ["a.cpp", "b.cpp"])


def test_a_file_that_is_not_there_is_named(cache):
    with pytest.raises(
        FileNotFoundError, match=r"load\('filed'\): there is no source file none.cpp"
    ):
        load("filed", "none.cpp")


def test_a_program_is_refused(cache):
    with pytest.raises(NotImplementedError, match="is_standalone makes a program"):
        load("filed", [], is_standalone=True)


def test_a_build_directory_holds_what_is_built(cache, tmp_path):
    folder = tmp_path / "here"

    path = load_inline("placed", MINIMAL, build_directory=folder, is_python_module=False)

    assert path.startswith(str(folder))
    assert not cache.exists()


def test_a_slow_build_says_so_after_a_second(cache, slow_compiler, capfd):
    slow_compiler(1.2)

    load_inline("slow", MINIMAL)

    assert re.fullmatch(r"opwright: building 'slow' \.\.\. took 1\.\d s\n", capfd.readouterr().err)


def test_a_quick_build_says_nothing(cache, capfd):
    load_inline("fast", MINIMAL)

    assert capfd.readouterr() == ("", "")


def test_verbose_shows_the_command_and_the_time(cache, capfd):
    load_inline("shown", MINIMAL, verbose=True)

    lines = capfd.readouterr().err.splitlines()
    assert re.match(r"opwright: \S*c\+\+ -std=c\+\+20 ", lines[0])
    assert re.fullmatch(r"opwright: built 'shown' in \d\.\d\d s", lines[-1])


def test_a_damaged_library_is_built_again(cache, slow_compiler):
    calls = slow_compiler(0)
    path = load_inline("damaged", MINIMAL, is_python_module=False)
    os.unlink(path)  # the process has the file mapped: it must not be written over
    with open(path, "wb") as file:
        file.write(b"\x7fELF nonsense")
    load_inline("damaged", MINIMAL + "int y;")

    load_inline("damaged", MINIMAL)

    assert calls() == 3


def test_the_include_folders_have_both_spellings():
    for header in ("opwright/opwright.h", "opwright/functions.h", "torch/extension.h"):
        assert any(os.path.exists(os.path.join(path, header)) for path in include_paths()), header
    with pytest.raises(ValueError, match="device_type must be 'cpu' or 'cuda', got 'xpu'"):
        include_paths("xpu")
    assert all(os.path.isdir(path) for path in library_paths())

"""An installed Opwright serves authors of operators: CMake, bare compilers, and the quickstart."""

import ctypes
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.abi.binary_listing import list_blocks, open_binary

ROOT = Path(__file__).resolve().parents[2]
SOFT_SHRINK = ROOT / "tests/operators/compat/compat_soft_shrink.cpp"
BUILD = Path(os.environ.get("OPWRIGHT_BUILD", ROOT / "build" / "release")).resolve()
EXAMPLE = ROOT / "examples" / "first_operator"
GAIN = Path(__file__).with_name("gain.cpp")

C_AND_CXX_RUNTIME = {"libc.so.6", "libm.so.6", "libstdc++.so.6", "libgcc_s.so.1"}
LOADER = "ld-linux-x86-64.so.2"
MOST_STRIPPED_BYTES = 60 * 1024

pytestmark = pytest.mark.skipif(
    not (BUILD / "libopwright.so").exists(), reason="the core library is not built"
)


def run(*command: str | Path, cwd: Path | None = None) -> str:
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True)
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout


def compile_bare(prefix: Path, source: Path, binary: Path) -> Path:
    """Compile one source as the quickstart says, without CMake."""
    flags = run(prefix / "bin/opwright-config", "--cxxflags").split()
    run("g++", "-std=c++20", "-O2", "-shared", "-fPIC", *flags, source, "-o", binary)
    return binary


def build_with_cmake(prefix: Path, folder: Path, lists: str) -> Path:
    """Build a CMake project of the text `lists`; return its build folder."""
    (folder / "CMakeLists.txt").write_text(
        f"cmake_minimum_required(VERSION 3.25)\nproject(authored LANGUAGES CXX)\n{lists}"
    )
    build = folder / "build"
    run("cmake", "-S", folder, "-B", build, f"-DCMAKE_PREFIX_PATH={prefix}")
    run("cmake", "--build", build)
    return build


@pytest.fixture(scope="module")
def prefix(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("prefix")
    run("cmake", "--install", BUILD, "--prefix", folder)
    return folder


@pytest.fixture(scope="module")
def soft_clip(prefix, tmp_path_factory) -> Path:
    binary = tmp_path_factory.mktemp("bare") / "libsoft_clip.so"
    return compile_bare(prefix, EXAMPLE / "soft_clip.cpp", binary)


@pytest.fixture(scope="module")
def gain(prefix, tmp_path_factory) -> Path:
    return compile_bare(prefix, GAIN, tmp_path_factory.mktemp("bare") / "libgain.so")


@pytest.fixture(scope="module")
def portable(prefix, tmp_path_factory) -> Path:
    lists = f"""
find_package(opwright REQUIRED)
opwright_add_operators(soft_clip SOURCES "{EXAMPLE / "soft_clip.cpp"}" PORTABLE)
"""
    folder = tmp_path_factory.mktemp("portable")
    return build_with_cmake(prefix, folder, lists) / "libsoft_clip.so"


@pytest.fixture(scope="module")
def quickstart(tmp_path_factory) -> Path:
    """Return a folder that looks like the tree after the quickstart's first step."""
    folder = tmp_path_factory.mktemp("quickstart")
    (folder / "build").mkdir()
    (folder / "build/release").symlink_to(BUILD)
    (folder / "examples").symlink_to(ROOT / "examples")
    return folder


# ---- what is installed ---------------------------------------------------------------------------


def test_every_public_header_is_installed(prefix):
    roots = (ROOT / "include", BUILD / "generated")
    public = {path.relative_to(root) for root in roots for path in root.rglob("*.h")}

    assert {path.relative_to(prefix / "include") for path in prefix.rglob("*.h")} == public


def test_the_command_finds_its_library_in_a_moved_prefix(prefix, tmp_path):
    moved = shutil.copytree(prefix, tmp_path / "moved", symlinks=True)

    assert run(moved / "bin/opwright", "--version").startswith("opwright ")


def test_a_project_in_c_alone_links_the_library(prefix, tmp_path):
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.25)\nproject(authored LANGUAGES C)\n"
        "find_package(opwright REQUIRED)\nadd_executable(version version.c)\n"
        "target_link_libraries(version PRIVATE opwright::opwright)\n"
    )
    (tmp_path / "version.c").write_text(
        '#include <stdio.h>\n#include "opwright/runtime/program_api.h"\n'
        "int main(void) { return puts(opw_version()) < 0; }\n"
    )
    run("cmake", "-S", tmp_path, "-B", tmp_path / "build", f"-DCMAKE_PREFIX_PATH={prefix}")
    run("cmake", "--build", tmp_path / "build")

    assert re.fullmatch(r"\d+\.\d+\.\d+\n", run(tmp_path / "build/version"))


def test_the_cmake_package_names_no_folder_of_this_machine(prefix):
    texts = [path.read_text() for path in (prefix / "lib/cmake/opwright").iterdir()]

    assert texts
    assert not any(str(folder) in text for folder in (prefix, ROOT, BUILD) for text in texts)


def test_opwright_config_follows_a_moved_prefix(prefix, tmp_path):
    moved = shutil.copytree(prefix, tmp_path / "moved", symlinks=True)
    config = moved / "bin/opwright-config"

    assert run(config, "--includedir") == f"{moved}/include\n"
    assert run(config, "--cxxflags") == f"-std=c++20 -I{moved}/include\n"
    assert run(config, "--libs") == f"-L{moved}/lib -Wl,-rpath,{moved}/lib -lopwright\n"
    assert run(config, "--compat-includes") == f"-I{moved}/include/opwright/compat\n"


def test_opwright_config_tells_both_versions(prefix):
    header = (ROOT / "include/opwright/c_api.h").read_text()
    major, minor = re.findall(r"#define OPW_ABI_(?:MAJOR|MINOR) (\d+)", header)
    (version,) = re.findall(
        r"project\(opwright VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text()
    )

    assert (
        run(prefix / "bin/opwright-config", "--version", "--abi") == f"{version} {major}.{minor}\n"
    )


def test_opwright_config_refuses_an_unknown_option(prefix):
    done = subprocess.run(
        [prefix / "bin/opwright-config", "--cflags"], capture_output=True, text=True
    )

    assert done.returncode == 2
    assert done.stderr.startswith("opwright-config: unknown option '--cflags'\nusage:")


# ---- the quickstart, run as it is written --------------------------------------------------------


def blocks_of(page: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL)


def test_the_quickstart_does_what_it_says(quickstart):
    page = ROOT / "docs/quickstart.md"
    make_the_tree, install, build, by_hand = blocks_of(page, "sh")
    (output,) = blocks_of(page, "text")
    assert "tools/build release" in make_the_tree  # done before the tests

    run("bash", "-euc", install, cwd=quickstart)
    with_cmake = run("bash", "-euc", build, cwd=quickstart)
    without_cmake = run("bash", "-euc", by_hand, cwd=quickstart)

    assert with_cmake.endswith(output)
    assert without_cmake == output


def test_the_quickstart_shows_the_files_of_the_example():
    page = ROOT / "docs/quickstart.md"
    files = "".join(
        (EXAMPLE / name).read_text() for name in ("soft_clip.cpp", "CMakeLists.txt", "main.cpp")
    )

    for block in blocks_of(page, "cpp") + blocks_of(page, "cmake"):
        assert block in files


# ---- operator binaries ---------------------------------------------------------------------------


def needed_by(binary: Path) -> set[str]:
    return set(re.findall(r"\(NEEDED\).*\[(.+)\]", run("readelf", "-d", binary)))


def exported_by(binary: Path) -> set[str]:
    rows = [line.split() for line in run("readelf", "-W", "--dyn-syms", binary).splitlines()]
    return {row[7] for row in rows if len(row) > 7 and row[6].isdigit()}


def test_a_binary_needs_only_the_c_and_cxx_runtime(soft_clip):
    assert needed_by(soft_clip) <= C_AND_CXX_RUNTIME | {LOADER}


def test_a_stripped_binary_is_small(soft_clip, tmp_path):
    stripped = tmp_path / "stripped.so"
    run("strip", soft_clip, "-o", stripped)

    assert stripped.stat().st_size <= MOST_STRIPPED_BYTES


def test_no_symbol_of_the_headers_is_unique_in_the_process(soft_clip, gain):
    for binary in (soft_clip, gain):
        table = run("bash", "-c", f"readelf -sW '{binary}' | c++filt")
        assert [
            line for line in table.splitlines() if "UNIQUE" in line and "opwright" in line
        ] == []


def test_a_binary_exports_nothing_of_the_headers_but_its_list(soft_clip):
    assert "opw_binary" in exported_by(soft_clip)
    assert [name for name in exported_by(soft_clip) if "opwright" in name] == []


def test_two_binaries_in_one_process_keep_separate_lists(soft_clip, gain):
    # RTLD_GLOBAL: the sharing that could go wrong is as likely as it can be.
    first = open_binary(soft_clip, ctypes.RTLD_GLOBAL)
    second = open_binary(gain, ctypes.RTLD_GLOBAL)

    assert ctypes.addressof(first) != ctypes.addressof(second)
    assert list_blocks(first) == [("audio", None), ("audio", "CPU")]
    assert {name_space for name_space, _ in list_blocks(second)} == {"tools"}


def test_an_operator_binary_that_calls_the_runtime_does_not_link(prefix, tmp_path):
    source = tmp_path / "loads.cpp"
    source.write_text(
        '#include "opwright/runtime/runtime.h"\nvoid f() { opwright::load_library("x"); }\n'
    )
    flags = run(prefix / "bin/opwright-config", "--cxxflags").split()

    done = subprocess.run(
        ["g++", "-shared", "-fPIC", *flags, source, "-o", tmp_path / "libloads.so"],
        capture_output=True,
        text=True,
    )

    assert done.returncode != 0
    assert "opwright::load_library" in done.stderr


# ---- portable binaries ---------------------------------------------------------------------------


def test_a_portable_binary_needs_no_cxx_runtime(portable):
    assert needed_by(portable) <= {"libc.so.6", "libm.so.6", LOADER}


def test_a_portable_binary_exports_only_its_list(portable):
    assert exported_by(portable) == {"opw_binary"}


def test_a_portable_binary_runs(portable, prefix, tmp_path):
    config = prefix / "bin/opwright-config"
    flags = run(config, "--program-cxxflags").split()
    libraries = run(config, "--libs").split()
    program = tmp_path / "first_operator"
    run("g++", "-O2", *flags, EXAMPLE / "main.cpp", *libraries, "-o", program)
    (expected,) = blocks_of(ROOT / "docs/quickstart.md", "text")

    assert run(program, portable) == expected


# ---- the CMake function --------------------------------------------------------------------------


def test_code_with_the_names_of_pytorch_builds_with_the_compat_target(prefix, tmp_path):
    lists = f"""
find_package(opwright REQUIRED)
opwright_add_operators(soft_shrink SOURCES "{SOFT_SHRINK}")
target_link_libraries(soft_shrink PRIVATE opwright::compat)
"""

    build = build_with_cmake(prefix, tmp_path, lists)

    assert needed_by(build / "libsoft_shrink.so") <= C_AND_CXX_RUNTIME | {LOADER}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("gain", "opwright_add_operators(gain): SOURCES names no file"),
        ("gain gain.cpp", "opwright_add_operators(gain): unknown arguments gain.cpp"),
    ],
)
def test_a_wrong_call_of_the_cmake_function_is_refused(prefix, tmp_path, arguments, message):
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.25)\nproject(authored LANGUAGES CXX)\n"
        f"find_package(opwright REQUIRED)\nopwright_add_operators({arguments})\n"
    )

    done = subprocess.run(
        ["cmake", "-S", tmp_path, "-B", tmp_path / "build", f"-DCMAKE_PREFIX_PATH={prefix}"],
        capture_output=True,
        text=True,
    )

    assert done.returncode != 0
    assert message in " ".join(done.stderr.split())

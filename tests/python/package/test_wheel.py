"""The wheel that `pip install .` makes: what is in it, and that it works where the tree is not.

It is built in build/wheel, once in a run, and without our devices, whose code for many chips takes
long to compile. With ccache it takes the objects of build/release, which is why it has the same
compiler and warnings are errors.
"""

import os
import re
import subprocess
import sys
import zipfile
from email.message import Message
from email.parser import Parser
from pathlib import Path

import numpy
import pytest

from tests.shared_folder import make_once

ROOT = Path(__file__).resolve().parents[3]
BUILD = Path(os.environ.get("OPWRIGHT_BUILD", ROOT / "build" / "release")).resolve()
EXAMPLE = ROOT / "examples" / "first_operator"

MOST_BYTES = 24 * 1000 * 1000
LIBRARIES = {
    "libopwright.so",
    "libopwright_torch.so",
    "libopwright_jax.so",
    "libopwright_onnxruntime.so",
}
RUNTIME = {
    "ld-linux-x86-64.so.2",
    "libc.so.6",
    "libgcc_s.so.1",
    "libm.so.6",
    "libstdc++.so.6",
}
CMAKE_PACKAGE = {
    "opwrightConfig.cmake",
    "opwrightConfigVersion.cmake",
    "opwrightTargets.cmake",
    "opwrightTargets-noconfig.cmake",
    "add_operators.cmake",
    "declare.cmake",
    "portable_exports.map",
}


def run(*command: str | Path, cwd: Path) -> str:
    """Run a command that does not see the package of the build, and return its output."""
    environment = {name: text for name, text in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout


def compiler_of_build() -> str:
    cache = (BUILD / "CMakeCache.txt").read_text()
    return re.search(r"^CMAKE_CXX_COMPILER:\w+=(.+)$", cache, re.MULTILINE)[1]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    (path,) = make_once(tmp_path_factory, "wheel", build_wheel).glob("*.whl")
    return path


def build_wheel(folder: Path) -> None:
    settings = {
        "build-dir": ROOT / "build" / "wheel",
        "cmake.define.CMAKE_CXX_COMPILER": compiler_of_build(),
        "cmake.define.OPWRIGHT_WERROR": "ON",
    }
    given = [f"--config-settings={name}={value}" for name, value in settings.items()]
    offline = ("--no-deps", "--no-index", "--no-build-isolation")
    run(sys.executable, "-m", "pip", "wheel", ROOT, *offline, *given, "-w", folder, cwd=folder)


@pytest.fixture(scope="module")
def site_packages(wheel, tmp_path_factory) -> Path:
    """Return the site-packages of a new environment that has only the wheel and numpy."""

    def make_environment(folder: Path) -> None:
        run(sys.executable, "-m", "venv", "--without-pip", folder, cwd=folder)
        pip = (sys.executable, "-m", "pip", "--python", folder / "bin" / "python")
        run(*pip, "install", "--quiet", "--no-deps", "--no-index", wheel, cwd=folder)
        (site,) = folder.glob("lib/python3*/site-packages")
        for entry in Path(numpy.__file__).parents[1].glob("numpy*"):
            (site / entry.name).symlink_to(entry)

    folder = make_once(tmp_path_factory, "environment", make_environment)
    (site,) = folder.glob("lib/python3*/site-packages")
    return site


@pytest.fixture(scope="module")
def package(site_packages) -> Path:
    return site_packages / "opwright"


@pytest.fixture(scope="module")
def python(site_packages) -> Path:
    return site_packages.parents[2] / "bin" / "python"


@pytest.fixture(scope="module")
def example(site_packages, tmp_path_factory) -> Path:
    """Return the build folder of the first example, built against the wheel as pip would do it."""

    def build(folder: Path) -> None:
        where = f"-DCMAKE_PREFIX_PATH={site_packages}"
        run("cmake", "-S", EXAMPLE, "-B", folder, where, cwd=folder)
        run("cmake", "--build", folder, cwd=folder)

    return make_once(tmp_path_factory, "wheel_example", build)


def version_of_tree() -> str:
    (version,) = re.findall(
        r"project\(opwright VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text()
    )
    return version


def files_below(folder: Path, *patterns: str) -> set[str]:
    return {
        str(path.relative_to(folder))
        for pattern in patterns
        for path in folder.rglob(pattern)
        if path.is_file()
    }


def dynamic_entries(binary: Path, kind: str) -> list[str]:
    return re.findall(rf"\({kind}\).*\[(.*)\]", run("readelf", "-dW", binary, cwd=binary.parent))


# ---- what is in it -------------------------------------------------------------------------------


def read_metadata(wheel: Path) -> Message:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        return Parser().parsestr(archive.read(name).decode())


def test_the_metadata_has_the_version_of_the_tree_and_needs_numpy_alone(wheel):
    metadata = read_metadata(wheel)
    needed = [text for text in metadata.get_all("Requires-Dist") if "extra ==" not in text]

    assert metadata["Name"] == "opwright"
    assert metadata["Version"] == version_of_tree()
    assert metadata["Requires-Python"] == ">=3.11"
    assert [re.match(r"\w+", text)[0] for text in needed] == ["numpy"]


def test_it_has_the_package_with_headers_library_and_cmake_package_and_nothing_else(wheel):
    own_files = files_below(ROOT / "python/opwright", "*.py", "*.pyi", "py.typed")
    headers = files_below(ROOT / "include", "*.h") | files_below(BUILD / "generated", "*.h")
    modules = {path.name for path in (BUILD / "python/opwright").glob("_*.so")}
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}

    assert names == {
        *(f"opwright/{name}" for name in own_files),
        *(f"opwright/include/{name}" for name in headers),
        *(f"opwright/lib/cmake/opwright/{name}" for name in CMAKE_PACKAGE),
        *(f"opwright/{module}" for module in modules),
        *(f"opwright/lib/{library}" for library in LIBRARIES),
        "opwright/bin/opwright",
        "opwright/bin/opwright-config",
        f"opwright-{version_of_tree()}.data/scripts/opwright",
        f"opwright-{version_of_tree()}.data/scripts/opwright-config",
    }


def test_it_is_small(wheel):
    with zipfile.ZipFile(wheel) as archive:
        assert sum(entry.file_size for entry in archive.infolist()) <= MOST_BYTES


def test_its_binaries_need_nothing_but_the_c_and_cxx_runtime(package):
    command = package / "bin" / "opwright"
    binaries = [command, *package.glob("_*.so"), *(package / "lib").glob("*.so")]

    assert len(binaries) == 3 + len(LIBRARIES)
    for binary in binaries:
        assert set(dynamic_entries(binary, "NEEDED")) <= RUNTIME | LIBRARIES, binary.name


def test_the_modules_find_the_libraries_beside_them(package):
    for module in package.glob("_*.so"):
        assert dynamic_entries(module, "(?:RUNPATH|RPATH)") == ["$ORIGIN/lib"]
    for bridge in LIBRARIES - {"libopwright.so"}:
        assert dynamic_entries(package / "lib" / bridge, "(?:RUNPATH|RPATH)") == ["$ORIGIN"]
    assert dynamic_entries(package / "lib/libopwright.so", "(?:RUNPATH|RPATH)") == []
    assert dynamic_entries(package / "bin/opwright", "(?:RUNPATH|RPATH)") == ["$ORIGIN/../lib"]


def test_no_file_names_the_folders_of_the_build(package):
    files = [path for path in package.rglob("*") if path.is_file() and path.suffix != ".pyc"]

    assert [path for path in files if str(ROOT).encode() in path.read_bytes()] == []


def test_its_binaries_are_stripped(package):
    for binary in (package / "bin/opwright", *package.rglob("*.so")):
        assert ".debug_info" not in run("readelf", "-SW", binary, cwd=package)
        assert ".symtab" not in run("readelf", "-SW", binary, cwd=package)


# ---- that it works -------------------------------------------------------------------------------


def test_it_is_imported_and_runs_an_operator_outside_of_the_tree(python, package, tmp_path):
    program = """
import importlib.metadata, opwright
print(opwright.__file__)
print(opwright.__version__ == importlib.metadata.version("opwright"))
print((opwright.tensor([1.0, 2.0]) * 3).tolist())
"""

    lines = run(python, "-I", "-c", program, cwd=tmp_path).splitlines()

    assert lines == [str(package / "__init__.py"), "True", "[3.0, 6.0]"]


def test_an_operator_built_against_it_is_loaded_from_python(python, example, tmp_path):
    program = f"""
import opwright
opwright.load_library("{example / "libsoft_clip.so"}")
print(opwright.ops.audio.soft_clip(opwright.tensor([0.0, 100.0]), 2.0).tolist())
"""

    assert run(python, "-I", "-c", program, cwd=tmp_path) == "[0.0, 2.0]\n"


def test_a_list_of_operators_is_built_against_it(site_packages, python, tmp_path):
    (tmp_path / "ops.yaml").write_text("- func: f(Tensor x) -> Tensor\n  decompose: twice\n")
    (tmp_path / "twice.cpp").write_text(
        '#include "trial/ops_kernels.h"\n'
        "opwright::Tensor trial::twice(const opwright::Tensor& x) { return x + x; }\n"
    )
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.25)\nproject(trial LANGUAGES CXX)\n"
        "find_package(opwright REQUIRED)\nopwright_add_operators(trial SOURCES twice.cpp)\n"
        "opwright_declare(trial ops.yaml NAMESPACE trial)\n"
    )
    where = (f"-DCMAKE_PREFIX_PATH={site_packages}", f"-DPython3_EXECUTABLE={sys.executable}")
    run("cmake", "-S", ".", "-B", "build", *where, cwd=tmp_path)
    run("cmake", "--build", "build", cwd=tmp_path)
    program = (
        "import opwright; opwright.load_library('build/libtrial.so')\n"
        "print(opwright.ops.trial.f(opwright.tensor([1.0])).tolist())"
    )

    assert run(python, "-I", "-c", program, cwd=tmp_path) == "[2.0]\n"


def test_a_program_built_against_it_runs(example):
    output = run(example / "first_operator", example / "libsoft_clip.so", cwd=example)

    assert output.startswith("the operator:\n  audio::soft_clip(Tensor x, float limit=1.0)")


def test_opwright_config_is_a_command_and_knows_the_package(python, package, tmp_path):
    config = python.parent / "opwright-config"

    assert run(config, "--version", cwd=tmp_path) == f"{version_of_tree()}\n"
    assert run(config, "--cxxflags", cwd=tmp_path) == f"-std=c++20 -I{package}/include\n"
    assert run(config, "--cmakedir", cwd=tmp_path) == f"{package}/lib/cmake/opwright\n"


def test_opwright_is_a_command_that_runs_a_program(python, tmp_path):
    numpy.save(tmp_path / "x.npy", numpy.array([1, -2], numpy.float32))
    export = (
        "import opwright as ow\n"
        "program = ow.export.export(lambda x: x.relu(), (ow.ones(2),))\n"
        "ow.export.save(program, 'relu.opw')"
    )
    run(python, "-I", "-c", export, cwd=tmp_path)

    command = python.parent / "opwright"
    run(command, "run", "relu.opw", "--input", "x.npy", "--output", "y.npy", cwd=tmp_path)

    assert run(command, "--version", cwd=tmp_path) == f"opwright {version_of_tree()}\n"
    assert numpy.load(tmp_path / "y.npy").tolist() == [1, 0]

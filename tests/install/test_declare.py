"""opwright_declare of an installed Opwright: lists of operators as part of an operator binary."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("OPWRIGHT_BUILD", ROOT / "build" / "release")).resolve()
DECLARED = Path(__file__).with_name("declared")
STRICT = "-Wall -Wextra -Wconversion -Wshadow -Werror"

pytestmark = pytest.mark.skipif(
    not any((BUILD / "python/opwright").glob("_C*.so")), reason="the package is not built"
)


def run(*command: str | Path) -> subprocess.CompletedProcess:
    return subprocess.run(command, capture_output=True, text=True)


def succeed(*command: str | Path) -> str:
    done = run(*command)
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def prefix(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("prefix")
    succeed("cmake", "--install", BUILD, "--prefix", folder)
    return folder


@pytest.fixture
def configure(prefix, tmp_path):
    """Configure a project of the text `lists` in the test's folder."""

    def run_cmake(lists: str, python: str | Path = sys.executable) -> subprocess.CompletedProcess:
        (tmp_path / "CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.25)\nproject(declared LANGUAGES CXX)\n"
            f"find_package(opwright REQUIRED)\n{lists}"
        )
        return run(
            "cmake",
            *("-S", tmp_path, "-B", tmp_path / "build", f"-DCMAKE_PREFIX_PATH={prefix}"),
            *(f"-DPython3_EXECUTABLE={python}", f"-DCMAKE_CXX_FLAGS={STRICT}"),
        )

    return run_cmake


@pytest.fixture
def build(configure, tmp_path):
    """Configure and build it."""

    def run_build(lists: str) -> subprocess.CompletedProcess:
        configured = configure(lists)
        assert configured.returncode == 0, configured.stderr
        return run("cmake", "--build", tmp_path / "build")

    return run_build


def call_in_python(binary: Path, program: str) -> str:
    return succeed(
        sys.executable,
        "-c",
        f"import opwright as ow\now.load_library('{binary}')\nx = ow.tensor([1.0, 2.0])\n{program}",
    )


def write_empty_source(folder: Path) -> None:
    (folder / "empty.cpp").write_text('#include "opwright/opwright.h"\n')


def test_the_operators_of_a_list_are_called_from_python_and_from_cpp(build, tmp_path):
    done = build(
        f'opwright_add_operators(declared SOURCES "{DECLARED / "kernels.cpp"}")\n'
        f'opwright_declare(declared "{DECLARED / "functions.yaml"}" NAMESPACE npu)\n'
    )
    assert done.returncode == 0, done.stdout + done.stderr

    printed = call_in_python(
        tmp_path / "build/libdeclared.so",
        f"""
print(ow.ops.npu.npu_add_custom(x, x, alpha=3).tolist())
print(ow.ops.npu.npu_twice(x).tolist())
print(ow.ops.npu.npu_pad(x, [1, 2]).tolist())
print(ow.ops.npu.npu_add_custom_(x, x) is x, x.tolist())
print(ow.ops.npu.npu_add_custom(x.to("meta"), x.to("meta")).shape)
print(ow.ops.npu.npu_add_custom.default.tag_names, ow.ops.npu.npu_add_custom_.default.tags)
print([slot for slot, _ in ow.ops.npu.npu_add_custom.default.implementations()])
print(ow.ops.npu.npu_add_custom.default.site.endswith("declared/functions.yaml:2"))
ow.declare.load("{DECLARED / "functions.yaml"}", namespace="npu")  # the same: harmless
""",
    )

    assert printed == (
        "[4.0, 8.0]\n[2.0, 4.0]\n[3.0, 4.0]\nTrue [2.0, 4.0]\n(2,)\n"
        "('pointwise',) [<Tag.inplace: 'inplace'>]\n['CPU', 'Fake', 'Decompose']\nTrue\n"
    )


def test_sources_are_given_to_the_list_and_a_changed_list_is_read_again(build, tmp_path):
    write_empty_source(tmp_path)
    (tmp_path / "ops.yaml").write_text(
        "- func: f(Tensor x) -> Tensor\n  dispatch:\n    CPU, NPU: f\n"
    )
    (tmp_path / "f.cpp").write_text(
        '#include "trial/ops_kernels.h"\n'
        "opwright::Tensor trial::f(const opwright::Tensor& x) { return x + x; }\n"
    )
    lists = (
        "opwright_add_operators(trial SOURCES empty.cpp)\n"
        "opwright_declare(trial ops.yaml NAMESPACE trial KERNELS f.cpp DEVICES npu)\n"
    )
    done = build(lists)
    assert done.returncode == 0, done.stdout + done.stderr
    registration = tmp_path / "build/declared/trial/trial/register_ops.cpp"
    assert "OPWRIGHT_LIBRARY_IMPL(trial, NPU, m)" in registration.read_text()

    (tmp_path / "ops.yaml").write_text("- func: f(Tensor x) -> Tensor\n  decompose: f\n")
    assert run("cmake", "--build", tmp_path / "build").returncode == 0

    program = "print(ow.ops.trial.f(x).tolist())"
    assert call_in_python(tmp_path / "build/libtrial.so", program) == "[2.0, 4.0]\n"


@pytest.mark.parametrize(
    ("kernel", "problem"),
    [
        ("", "undefined reference to `trial::f_cpu(opwright::Tensor const&, long)'"),
        (
            "opwright::Tensor trial::f_cpu(const opwright::Tensor& x, int32_t) { return x; }",
            "should have been declared inside",
        ),
        (
            "int trial::f_cpu(const opwright::Tensor&, int64_t) { return 1; }",
            "ambiguating new declaration",
        ),
    ],
)
def test_a_kernel_that_is_missing_or_has_another_type_is_named(build, tmp_path, kernel, problem):
    (tmp_path / "ops.yaml").write_text(
        "\n- func: f(Tensor x, int n) -> Tensor\n  dispatch: {CPU: f_cpu}\n"
    )
    (tmp_path / "f.cpp").write_text(f'#include "trial/ops_kernels.h"\n{kernel}\n')

    done = build(
        "opwright_add_operators(trial SOURCES f.cpp)\n"
        "opwright_declare(trial ops.yaml NAMESPACE trial)\n"
    )

    output = done.stdout + done.stderr
    assert done.returncode != 0
    assert problem in output, output
    assert "trial::f_cpu" in output


def test_a_problem_of_the_list_fails_the_build_with_its_line(build, tmp_path):
    write_empty_source(tmp_path)
    (tmp_path / "ops.yaml").write_text("- func: f(Tensor x) -> Tensor\n  kernal: f\n")

    done = build(
        "opwright_add_operators(trial SOURCES empty.cpp)\n"
        "opwright_declare(trial ops.yaml NAMESPACE trial)\n"
    )

    assert done.returncode != 0
    assert f"{tmp_path}/ops.yaml:2: unknown key 'kernal'; there are" in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("trial ops.yaml", "NAMESPACE must be the name of the operators' namespace, got ''"),
        ("trial ops.yaml NAMESPACE a::b", "operators' namespace, got 'a::b'"),
        ("trial none.yaml NAMESPACE trial", "there is no file"),
        ("other ops.yaml NAMESPACE trial", "there is no target other; opwright_add_operators mak"),
        ("trial ops.yaml NAMESPACE trial f.cpp", "unknown arguments f.cpp"),
    ],
)
def test_a_wrong_call_is_refused(configure, tmp_path, arguments, message):
    write_empty_source(tmp_path)
    (tmp_path / "ops.yaml").write_text("- func: f(Tensor x) -> Tensor\n")

    done = configure(
        f"opwright_add_operators(trial SOURCES empty.cpp)\nopwright_declare({arguments})\n"
    )

    assert done.returncode != 0
    assert message in " ".join(done.stderr.split())


def test_a_python_without_pyyaml_is_named_with_what_to_do(configure, tmp_path):
    write_empty_source(tmp_path)
    (tmp_path / "ops.yaml").write_text("- func: f(Tensor x) -> Tensor\n")
    (tmp_path / "yaml.py").write_text("raise ImportError\n")
    python = tmp_path / "python3"
    python.write_text(f'#!/bin/sh\nPYTHONPATH="{tmp_path}" exec "{sys.executable}" "$@"\n')
    python.chmod(0o755)

    done = configure(
        "opwright_add_operators(trial SOURCES empty.cpp)\n"
        "opwright_declare(trial ops.yaml NAMESPACE trial)\n",
        python,
    )

    assert done.returncode != 0
    assert "has no PyYAML, which reads the file:" in " ".join(done.stderr.split())


# ---- python -m opwright generate -----------------------------------------------------------------

SKELETONS = """\
- func: npu_add_custom(Tensor x, Tensor y) -> Tensor
  tags: [pointwise]
- func: npu_add_custom.out(Tensor x, Tensor y, *, Tensor(a!) out) -> Tensor(a!)
- func: npu_add_custom_(Tensor(a!) self, Tensor y) -> Tensor(a!)
- func: npu_split(Tensor self, SymInt[] sizes, int[2] dim=1, str mode="a") -> (Tensor, Tensor[])
- func: npu_many(Tensor[] xs, float[] w, Tensor? y=None, Scalar? s=None, bool b=False) -> int
- func: npu_view(Tensor(a) self, SymInt? n=None, MemoryFormat? f=None) -> Tensor(a)
- func: npu_fill(Tensor(a!) self, ScalarType dtype, Device? device=None) -> ()
- func: npu_keywords(Tensor new, int class=1, *, bool xor=False) -> Tensor
- func: npu_seed() -> int
- func: npu_twice(Tensor x) -> Tensor
  decompose: twice
"""


def test_the_files_to_start_from_compile_without_a_warning_and_say_what_is_missing(build, tmp_path):
    (tmp_path / "ops.yaml").write_text(SKELETONS)
    command = ("generate", tmp_path / "ops.yaml", "--kernels", "cpu", "cuda", "--namespace", "npu")
    succeed(sys.executable, "-m", "opwright", *command, "--out", tmp_path / "npu")

    done = build("add_subdirectory(npu)\n")
    assert done.returncode == 0, done.stdout + done.stderr

    printed = call_in_python(
        tmp_path / "build/npu/libnpu.so",
        """
npu = ow.ops.npu
for call in (
    lambda: npu.npu_add_custom(x, x),
    lambda: npu.npu_add_custom(x.to("meta"), x.to("meta")),
    lambda: npu.npu_seed(),
    lambda: npu.npu_twice(x),
):
    try:
        call()
    except NotImplementedError as problem:
        print(str(problem).splitlines()[0])
""",
    )
    assert printed == (
        "npu::npu_add_custom: the kernel for CPU is not written yet\n"
        "npu::npu_add_custom: the fake kernel is not written yet\n"
        "npu::npu_seed: the kernel is not written yet\n"
        "npu::npu_twice: the body is not written yet\n"
    )


# ---- the guide -----------------------------------------------------------------------------------


def test_the_binary_of_the_guide_is_built_and_runs(build, tmp_path):
    guide = (ROOT / "docs/guides/declaring_operators.md").read_text()
    (functions,) = re.findall(r"^cat > functions\.yaml <<'END'\n(.*?)^END", guide, re.M | re.S)
    (kernels,) = re.findall(r"^```cpp\n(.*?)^```", guide, re.M | re.S)
    (lists,) = re.findall(r"^```cmake\n(.*?)^```", guide, re.M | re.S)
    (tmp_path / "functions.yaml").write_text(functions)
    (tmp_path / "kernels.cpp").write_text(kernels)

    done = build(lists)
    assert done.returncode == 0, done.stdout + done.stderr

    program = "print(ow.ops.npu.npu_add_custom(x, x), ow.ops.npu.npu_add_custom_(x, x))"
    binary = tmp_path / "build/libnpu_operators.so"
    assert call_in_python(binary, program) == "tensor([2., 4.]) tensor([2., 4.])\n"

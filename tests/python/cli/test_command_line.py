"""python -m opwright."""

import inspect
import json
import subprocess
import sys
import time

import pytest
from opwright import Tensor, library
from opwright import __main__ as command_line
from opwright._cli import doctor


@pytest.fixture
def line_of():
    """Give "file:line" of a function."""

    def show(function) -> str:
        code = inspect.unwrap(function).__code__
        return f"{code.co_filename}:{code.co_firstlineno}"

    return show


def run(*arguments: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, "-m", "opwright", *arguments], capture_output=True, text=True
    )


def test_list_prints_all_operators():
    done = run("list")

    assert done.returncode == 0
    assert "aten::add.Tensor" in done.stdout.splitlines()


def test_list_prints_those_of_a_namespace(capsys):
    assert command_line.main(["list", "aten"]) == 0

    lines = capsys.readouterr().out.splitlines()
    assert lines == sorted(lines)
    assert all(line.startswith("aten::") for line in lines)


def test_list_of_an_unknown_namespace_fails(capsys):
    assert command_line.main(["list", "nowhere"]) == 1

    assert "there is no operator in 'nowhere'; namespaces: " in capsys.readouterr().err


def test_show_prints_schema_tags_place_and_functions(capsys):
    assert command_line.main(["show", "aten::add.Tensor"]) == 0

    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor"
    assert lines[1] == "  call     opwright.ops.aten.add.Tensor"
    assert lines[2].startswith("  defined  ")
    assert lines[3].startswith("  tags     ")
    assert any(line.strip().startswith("CPU") for line in lines[4:])


def test_show_of_a_name_prints_every_overload(capsys):
    assert command_line.main(["show", "aten::add"]) == 0

    out = capsys.readouterr().out
    assert "aten::add.Tensor(" in out
    assert "aten::add.Scalar(" in out


def test_show_of_an_unknown_operator_fails_with_the_closest_names(capsys):
    assert command_line.main(["show", "aten::ad.Tensor"]) == 1
    assert "did you mean aten::add.Tensor" in capsys.readouterr().err

    assert command_line.main(["show", "aten::ad"]) == 1
    assert "there is no operator aten::ad; did you mean 'add'" in capsys.readouterr().err

    assert command_line.main(["show", "add"]) == 1
    assert "namespace::name" in capsys.readouterr().err


def test_a_wrong_command_line_exits_with_two():
    assert run("shw").returncode == 2
    assert run().returncode == 2


def test_show_prints_what_python_registered(capsys, line_of):
    def double(x: Tensor) -> Tensor:
        """Twice the input.

        And more.
        """
        return x + x

    def fake(x): ...

    op = library.custom_op("trial_cli::double", double, mutates_args=(), tags="pointwise")
    op.register_fake(fake)

    assert command_line.main(["show", "trial_cli::double"]) == 0
    assert capsys.readouterr().out == (
        "trial_cli::double(Tensor x) -> Tensor\n"
        "  call     opwright.ops.trial_cli.double.default\n"
        f"  defined  {line_of(double)}\n"
        "  tags     pointwise\n"
        "  about    Twice the input.\n"
        "  functions\n"
        f"    Fake                       {line_of(fake)}\n"
        f"    AllDevices                 {line_of(double)}\n"
    )


def test_a_closed_pipe_is_no_traceback():
    done = subprocess.run(
        f"{sys.executable} -m opwright list | head -1", shell=True, capture_output=True, text=True
    )

    assert done.stderr == ""


def test_cache_has_a_command_line_of_its_own():
    done = run("cache", "--help")

    assert done.returncode == 0
    assert "cache" in done.stdout


def test_doctor_reports_what_is_there(capsys):
    code = command_line.main(["doctor"])

    out = capsys.readouterr().out
    assert code == 0
    for name in ("opwright", "python", "compiler", "nvcc", "CUDA driver", "OpenCL", "torch", "jax"):
        assert name in out


def test_doctor_gives_json(capsys):
    command_line.main(["doctor", "--json"])

    findings = {each["name"]: each for each in json.loads(capsys.readouterr().out)}
    assert findings["compiler"]["is_found"]
    assert findings["torch"]["detail"].startswith("2.")
    assert all(each["is_found"] or each["advice"] for each in findings.values())


def test_doctor_imports_no_framework():
    program = (
        "import sys; from opwright import __main__; __main__.main(['doctor']);"
        "assert not {'torch', 'jax', 'onnxruntime'} & set(sys.modules)"
    )

    assert subprocess.run([sys.executable, "-c", program], capture_output=True).returncode == 0


def test_doctor_takes_less_than_a_second():
    start = time.monotonic()
    doctor.examine()

    assert time.monotonic() - start < 1


def test_doctor_fails_without_a_compiler(monkeypatch, capsys):
    monkeypatch.setenv("CXX", "no-such-compiler")

    assert command_line.main(["doctor"]) == 1
    out = capsys.readouterr().out
    assert "missing compiler     CXX=no-such-compiler does not run" in out
    assert "apt install g++" in out


class Driver:
    """A fake libcuda."""

    @staticmethod
    def cuDriverGetVersion(version) -> int:  # noqa: N802
        version._obj.value = 13020
        return 0


def test_doctor_reads_the_version_of_the_cuda_driver(monkeypatch):
    monkeypatch.setattr(doctor, "_open_library", lambda *names: Driver)

    finding = doctor._find_cuda_driver()

    assert (finding.is_found, finding.detail) == (True, "CUDA 13.2")


def test_doctor_tells_who_makes_code_without_loading_it(monkeypatch):
    monkeypatch.setattr(doctor._C, "object_maker_name", lambda: "llvmlite 0.50.0")
    monkeypatch.setattr(doctor._C, "code_vector_bytes", lambda: 32)
    found = doctor._find_llvm()
    monkeypatch.setattr(doctor._C, "object_maker_name", lambda: "")
    missing = doctor._find_llvm()

    assert (found.is_found, found.detail) == (True, "llvmlite 0.50.0, vectors of 32 bytes")
    assert "pip install 'opwright[compile]'" in missing.advice


def test_doctor_tells_a_loader_without_drivers(monkeypatch, tmp_path):
    monkeypatch.setattr(doctor, "_open_library", lambda *names: object())
    monkeypatch.setenv("OCL_ICD_VENDORS", str(tmp_path))

    missing = doctor._find_opencl()
    (tmp_path / "pocl.icd").touch()
    found = doctor._find_opencl()

    assert missing.detail == f"the loader is there, but no driver in {tmp_path}"
    assert "pocl-opencl-icd" in missing.advice
    assert (found.is_found, found.detail) == (True, "drivers: pocl")


@pytest.mark.parametrize("name", ["torch", "nothing-of-this-name"])
def test_a_missing_package_has_advice(name):
    finding = doctor._find_python_package(name, "what it is for")

    assert finding.is_found or finding.advice == f"pip install {name}: what it is for."

"""python -m opwright show program.opw, and run."""

import subprocess
import sys
from pathlib import Path

import opwright as ow
import pytest
from opwright.__main__ import main
from opwright.export import Dim, export, save


@pytest.fixture
def program(tmp_path):
    path = tmp_path / "double.opw"
    shapes = {"x": {0: Dim("n", max=8)}}
    save(export(lambda x: x * 2.0, (ow.ones(3),), dynamic_shapes=shapes), path)
    return path


def test_a_program_is_shown(program, capsys):
    assert main(["show", str(program)]) == 0

    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("program file of format 1.0, written by opwright ")
    assert "  aten::mul.Scalar(Tensor self, Scalar other) -> Tensor" in lines
    assert "  user x: %x float32[n]" in lines
    assert any(line.startswith("  symbol n in [1, 8]") for line in lines)


def test_a_program_whose_operators_are_not_there_is_shown(tmp_path, capsys):
    path = tmp_path / "gone.opw"
    with ow.library.Library("shown", "DEF") as lib:
        lib.define("gone(Tensor x) -> Tensor")
        lib.impl("gone", lambda x: x + 1, "CompositeImplicitAutograd")
        save(export(lambda x: ow.ops.shown.gone(x), (ow.ones(3),)), path)

    assert main(["show", str(path)]) == 0

    assert "shown::gone(Tensor x) -> Tensor" in capsys.readouterr().out


def test_a_program_without_the_ending_is_shown(program, capsys):
    path = program.rename(program.with_suffix(".bin"))

    assert main(["show", str(path)]) == 0

    assert capsys.readouterr().out.startswith("program file of format 1.0")


def test_a_program_that_is_not_there_is_told(capsys):
    assert main(["show", "nowhere.opw"]) == 1

    assert "nowhere.opw" in capsys.readouterr().err


def test_a_damaged_program_is_told(tmp_path, capsys):
    (tmp_path / "bad.opw").write_bytes(b"damaged" * 20)

    assert main(["show", str(tmp_path / "bad.opw")]) == 1

    assert "bad.opw" in capsys.readouterr().err


def test_operators_are_shown_as_before(capsys):
    assert main(["show", "aten::sin"]) == 0

    assert capsys.readouterr().out.startswith("aten::sin(Tensor self) -> Tensor")


def command():
    return Path(ow.__file__).parent / "bin" / "opwright"


@pytest.mark.skipif(not command().is_file(), reason="the command opwright was not built")
def test_run_hands_over_to_the_command(program, tmp_path):
    np = pytest.importorskip("numpy")
    np.save(tmp_path / "x.npy", np.arange(5, dtype="float32"))

    done = subprocess.run(
        [
            *(sys.executable, "-m", "opwright", "run", str(program)),
            *("--input", "x=x.npy", "--output", "y.npy"),
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )

    assert done.returncode == 0, done.stderr
    assert np.load(tmp_path / "y.npy").tolist() == [0.0, 2.0, 4.0, 6.0, 8.0]


def test_onnx_hands_over_to_the_command(program, tmp_path):
    command = [sys.executable, "-m", "opwright", "onnx", str(program), "-o", "model.onnx"]

    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)

    assert done.returncode == 0, done.stderr
    assert (tmp_path / "model.onnx").stat().st_size > 0


def test_run_tells_when_the_command_is_not_there(monkeypatch, capsys):
    monkeypatch.setattr("opwright.__main__.__file__", "/nowhere/__main__.py")

    assert main(["run", "a.opw"]) == 1

    assert capsys.readouterr().err.startswith(
        "the command opwright is not in this package (looked for /nowhere/bin/opwright)"
    )

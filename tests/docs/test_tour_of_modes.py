"""The tour of the modes runs as it is shown."""

import shlex
import sys

import numpy as np
import opwright as ow
import pytest

from .document_blocks import BINARY, BUILD, README, TOUR_OF_MODES, block_with, run

LOADED = f"import opwright as ow\now.load_library({str(BINARY)!r})\n"


def words_of(block: str) -> list[str]:
    """Return the words of a shell command, with the path of the binary for its name."""
    return [str(BINARY) if word == BINARY.name else word for word in shlex.split(block)]


def test_the_traced_example_prints_what_it_shows(capsys):
    names = {}
    for block in (block_with(README, "custom_op"), block_with(TOUR_OF_MODES, "make_fx")):
        exec(compile(block, "model.py", "exec"), names)

    shown = block_with(TOUR_OF_MODES, "graph(%x", "text")
    assert capsys.readouterr().out.strip() == shown.strip()
    assert repr(eval("traced(ow.ones(7, 3))", names)) == "tensor([1., 1., 1.])"


def test_the_check_of_the_operator_passes(tmp_path):
    words = words_of(block_with(TOUR_OF_MODES, "opwright check", "sh"))

    run([sys.executable, *words[1:]], tmp_path)


def test_the_compiled_example_prints_its_code(tmp_path):
    program = LOADED + block_with(TOUR_OF_MODES, "@ow.compile")

    shown = run([sys.executable, "-c", program], tmp_path)

    assert "audio::soft_clip" in shown


def test_the_exported_example_runs_without_python(tmp_path):
    program = LOADED + block_with(TOUR_OF_MODES, "limiter.opw")
    run([sys.executable, "-c", program], tmp_path)
    np.save(tmp_path / "x.npy", np.full(5, 0.25, np.float32))
    words = words_of(block_with(TOUR_OF_MODES, "opwright run limiter.opw", "sh"))

    run([str(BUILD / "bin/opwright"), *words[1:]], tmp_path)

    assert np.allclose(np.load(tmp_path / "y.npy"), np.tanh(0.5))
    assert (tmp_path / "trace.json").exists()


def test_the_example_in_torch_runs():
    pytest.importorskip("torch", reason="torch is not installed: the tour's part was not run")
    program = block_with(TOUR_OF_MODES, "import opwright.torch")
    program = program.replace("fullgraph=True", 'fullgraph=True, backend="aot_eager"')

    run([sys.executable, "-c", program], BINARY.parent)


def test_the_model_of_the_example_runs_in_onnx_runtime(tmp_path):
    pytest.importorskip("onnxruntime", reason="onnxruntime is not installed: it was not run")
    program = block_with(TOUR_OF_MODES, "import onnxruntime")
    program = program.replace('"libsoft_clip.so"', repr(str(BINARY)))

    run([sys.executable, "-c", program], tmp_path)


@pytest.mark.devices
def test_the_kernel_as_text_runs_on_its_device(tmp_path):
    if not ow.is_available("opencl"):
        pytest.skip("there is no OpenCL platform: the tour's part was not run")
    program = block_with(README, "custom_op") + block_with(TOUR_OF_MODES, "SourceKernel")

    shown = run([sys.executable, "-c", program], tmp_path)

    assert shown.endswith(block_with(TOUR_OF_MODES, "device='opencl:0'", "text"))

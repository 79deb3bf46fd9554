"""The README matches the tree."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import opwright as ow
import pytest

ROOT = Path(__file__).resolve().parents[2]


def test_the_example_is_the_file_that_it_names():
    source = (ROOT / "examples/first_operator/soft_clip.cpp").read_text()

    assert f"```cpp\n{source}```" in (ROOT / "README.md").read_text()


def test_every_linked_file_exists():
    for document in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]:
        for target in re.findall(r"\[[^\]]+\]\(([\w./-]+)\)", document.read_text()):
            assert (document.parent / target).exists(), f"{document.name} links {target}"


def test_the_python_example_gives_what_it_says():
    source = re.search(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)[1]
    names = {}
    exec(source, names)

    said = re.findall(r"^(\S.*?)  # (.*)$", source, re.MULTILINE)
    assert len(said) == 2
    for expression, text in said:
        assert repr(eval(expression, names)) == text.removesuffix(", without memory")


def test_the_traced_example_prints_what_it_shows(capsys):
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    shown = re.search(r"```text\n(graph\(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)[1]
    names = {}
    for block in blocks[:2]:
        exec(compile(block, "model.py", "exec"), names)

    assert capsys.readouterr().out.strip() == shown.strip()
    assert repr(eval("traced(ow.ones(7, 3))", names)) == "tensor([1., 1., 1.])"


BUILD = Path(os.environ.get("OPWRIGHT_BUILD", ROOT / "build" / "release")).resolve()


def block_with(words, language="python"):
    """The block of the README that has these words."""
    blocks = re.findall(rf"```{language}\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    return next(block for block in blocks if words in block)


def run(command, folder):
    environment = {**os.environ, "PYTHONPATH": str(BUILD / "python")}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_example_in_torch_runs():
    pytest.importorskip("torch", reason="torch is not installed: the README's part was not run")
    program = block_with("import opwright.torch")
    program = program.replace("fullgraph=True", 'fullgraph=True, backend="aot_eager"')

    run([sys.executable, "-c", program], BUILD / "operators")


def test_the_model_of_the_example_runs_in_onnx_runtime(tmp_path):
    pytest.importorskip("onnxruntime", reason="onnxruntime is not installed: it was not run")
    program = block_with("import onnxruntime")
    binary = BUILD / "operators/libsoft_clip.so"

    run([sys.executable, "-c", program.replace('"libsoft_clip.so"', repr(str(binary)))], tmp_path)


def test_the_exported_example_runs_without_python(tmp_path):
    binary = BUILD / "operators/libsoft_clip.so"
    before = f"import opwright as ow\now.load_library({str(binary)!r})\n"
    run([sys.executable, "-c", before + block_with("limiter.opw")], tmp_path)
    np.save(tmp_path / "x.npy", np.full(5, 0.25, np.float32))
    words = shlex.split(block_with("opwright run limiter.opw", "sh"))
    words = [str(binary) if word == binary.name else word for word in words]

    run([str(BUILD / "bin/opwright"), *words[1:]], tmp_path)

    assert np.allclose(np.load(tmp_path / "y.npy"), np.tanh(0.5))
    assert (tmp_path / "trace.json").exists()


def test_the_compiled_example_tells_its_code(tmp_path):
    binary = BUILD / "operators/libsoft_clip.so"
    before = f"import opwright as ow\now.load_library({str(binary)!r})\n"

    told = run([sys.executable, "-c", before + block_with("@ow.compile")], tmp_path)

    assert "audio::soft_clip" in told


@pytest.mark.devices
def test_the_kernel_as_text_runs_on_its_device(tmp_path):
    if not ow.is_available("opencl"):
        pytest.skip("there is no OpenCL platform: the README's part was not run")
    program = block_with("hard_clip(") + block_with("SourceKernel")

    shown = run([sys.executable, "-c", program], tmp_path)

    assert shown.endswith(block_with("device='opencl:0'", "text"))

"""The README shows what the tree has."""

import os
import re
import subprocess
import sys
from pathlib import Path

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


def test_the_example_in_torch_runs():
    pytest.importorskip("torch", reason="torch is not installed: the README's part was not run")
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    build = Path(os.environ.get("OPWRIGHT_BUILD", ROOT / "build" / "release")).resolve()
    program = blocks[2].replace("fullgraph=True", 'fullgraph=True, backend="aot_eager"')

    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=build / "operators",
        env={**os.environ, "PYTHONPATH": str(build / "python")},
        capture_output=True,
        text=True,
    )

    assert done.returncode == 0, done.stderr

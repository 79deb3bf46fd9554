"""The guides do what they show; each in a process of its own, for it defines operators."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from .guide_blocks import read_blocks

FOLDER = Path(__file__).resolve().parent
ROOT = FOLDER.parents[2]
GUIDES = ROOT / "docs/guides"


def run_guide(guide: Path, folder: Path) -> tuple[int, str]:
    """Run a guide in an empty folder with a cache of its own; `python` is this one there."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "OPWRIGHT_CACHE_DIR": str(folder / "cache")}
    command = [sys.executable, FOLDER / "guide_blocks.py", guide, folder]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    return done.returncode, done.stdout or done.stderr


def check_guide(name: str, folder: Path) -> None:
    code, differences = run_guide(GUIDES / name, folder)
    if code != 0:
        pytest.fail(differences, pytrace=False)


def test_the_guide_to_custom_operators_prints_what_it_shows(tmp_path):
    check_guide("custom_operators.md", tmp_path)


def test_the_guide_to_devices_prints_what_it_shows(tmp_path):
    check_guide("devices.md", tmp_path)


def test_the_guide_to_lists_of_operators_prints_what_it_shows(tmp_path):
    check_guide("declaring_operators.md", tmp_path)


def test_the_guide_to_the_package_prints_what_it_shows(tmp_path):
    pytest.importorskip("torch")
    pytest.importorskip("jax")

    check_guide("python.md", tmp_path)


def test_the_guide_to_modules_prints_what_it_shows(tmp_path):
    pytest.importorskip("torch")
    pytest.importorskip("safetensors")

    check_guide("modules.md", tmp_path)


def test_the_guide_to_onnx_prints_what_it_shows(tmp_path):
    pytest.importorskip("onnxruntime")

    check_guide("onnx.md", tmp_path)


def test_the_guide_to_jax_prints_what_it_shows(tmp_path):
    pytest.importorskip("jax")

    check_guide("jax.md", tmp_path)


def test_the_guide_to_onnx_runtime_prints_what_it_shows(tmp_path):
    pytest.importorskip("onnxruntime")

    check_guide("onnxruntime.md", tmp_path)


def test_the_guide_to_tracing_prints_what_it_shows(tmp_path):
    check_guide("tracing.md", tmp_path)


def test_the_guide_to_export_prints_what_it_shows(tmp_path):
    check_guide("export.md", tmp_path)


def test_the_guide_to_opcheck_prints_what_it_shows(tmp_path):
    check_guide("opcheck.md", tmp_path)


def test_the_guide_to_operators_in_pytorch_prints_what_it_shows(tmp_path):
    pytest.importorskip("torch")

    check_guide("torch.md", tmp_path)


def test_the_guide_to_the_runtime_prints_what_it_shows(tmp_path, monkeypatch):
    build = Path(os.environ.get("OPWRIGHT_BUILD", ROOT / "build" / "release")).resolve()
    monkeypatch.setenv("PATH", f"{build / 'bin'}{os.pathsep}{os.environ['PATH']}")

    check_guide("runtime.md", tmp_path)


def test_the_guide_to_training_prints_what_it_shows(tmp_path):
    check_guide("training.md", tmp_path)


def test_the_guide_to_a_vendors_engine_prints_what_it_shows(tmp_path):
    check_guide("vendor_engine.md", tmp_path)


def test_the_guide_to_vmap_prints_what_it_shows(tmp_path):
    check_guide("vmap.md", tmp_path)


def test_the_page_on_symbolic_shapes_prints_what_it_shows(tmp_path):
    check_guide("../concepts/symbolic_shapes.md", tmp_path)


def test_the_tour_of_the_core_prints_what_it_shows(tmp_path):
    check_guide("../tour.md", tmp_path)


def test_the_tour_of_the_core_stays_short():
    blocks = read_blocks(GUIDES.parent / "tour.md")

    lines = [line for block in blocks for line in block.code.splitlines() if line.strip()]

    assert {block.language for block in blocks} == {"python"}
    assert len(lines) < 200


def test_the_files_that_the_tour_names_are_there():
    named = set(re.findall(r"`((?:src|include)/[\w/.]+)`", (GUIDES.parent / "tour.md").read_text()))

    assert len(named) > 10
    assert [path for path in sorted(named) if not (ROOT / path).exists()] == []


def test_a_guide_that_shows_something_else_is_reported(tmp_path):
    guide = tmp_path / "wrong.md"
    guide.write_text("```python\nprint(1 + 1)\n```\n\n```text\n3\n```\n")

    assert run_guide(guide, tmp_path) == (1, "wrong.md:2 shows\n3\n\nbut prints\n2\n")


def test_the_guide_to_derivatives_prints_what_it_shows(tmp_path):
    check_guide("func.md", tmp_path)


def test_the_guide_to_compile_prints_what_it_shows(tmp_path):
    check_guide("compile.md", tmp_path)

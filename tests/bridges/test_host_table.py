"""docs/results/hosts.md matches the bridges."""

import re

import pytest

torch = pytest.importorskip("torch")
jax = pytest.importorskip("jax")
onnxruntime = pytest.importorskip("onnxruntime")
pytest.importorskip("onnx")

from .host_table import PAGE, page_text  # noqa: E402


def test_the_page_is_what_the_bridges_say():
    shown = PAGE.read_text()
    made_with = re.search(r"with torch (\S+),\s+jax (\S+) and\s+onnxruntime (\S+),", shown).groups()
    installed = (torch.__version__.partition("+")[0], jax.__version__, onnxruntime.__version__)
    if made_with != installed:
        pytest.skip(f"the page was made with torch, jax, onnxruntime {made_with}, here {installed}")

    assert page_text() == shown

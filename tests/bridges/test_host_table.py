"""docs/results/hosts.md matches the bridges."""

import re

import pytest

torch = pytest.importorskip("torch")
jax = pytest.importorskip("jax")

from .host_table import PAGE, page_text  # noqa: E402


def test_the_page_is_what_the_bridges_say():
    shown = PAGE.read_text()
    made_with = re.search(r"with torch (\S+) and jax\s+(\S+),", shown).groups()
    installed = (torch.__version__.partition("+")[0], jax.__version__)
    if made_with != installed:
        pytest.skip(f"the page was made with torch and jax {made_with}, here are {installed}")

    assert page_text() == shown

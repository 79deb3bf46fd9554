"""A GPU for tests, or all of them are left out with the reason."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # the package `recorded`


@pytest.fixture(scope="session", autouse=True)
def cuda():
    opwright = pytest.importorskip("opwright", reason="CUDA WAS NOT TESTED: no package was built")
    try:
        opwright.empty(1, device="cuda")
    except Exception as error:
        pytest.skip(f"CUDA WAS NOT TESTED: {error}")
    return "cuda"

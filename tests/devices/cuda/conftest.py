"""A GPU for tests, or all of them are left out with the reason."""

import pytest


@pytest.fixture(scope="session", autouse=True)
def cuda():
    opwright = pytest.importorskip("opwright", reason="CUDA WAS NOT TESTED: no package was built")
    try:
        opwright.empty(1, device="cuda")
    except Exception as error:
        pytest.skip(f"CUDA WAS NOT TESTED: {str(error).splitlines()[0]}")
    return "cuda"

"""Every test of ONNX starts with the same random numbers."""

import opwright as ow
import pytest


@pytest.fixture(autouse=True)
def same_random_numbers() -> None:
    ow.manual_seed(0)

"""Random calls on the device match the CPU (random_calls.py looks for more)."""

import pytest

from .random_calls import find_differences

pytestmark = pytest.mark.usefixtures("device")


@pytest.mark.parametrize("seed", range(4))
def test_calls_with_odd_shapes_strides_dtypes_and_elements(seed):
    found = [
        text for state, text in find_differences("opencl", seed, 60, 15) if state == "different"
    ]

    assert found == []

"""Products of complex numbers of two precisions in an ONNX model."""
# Covers: src/convert/onnx/rules/complex_rules.

import opwright as ow
import pytest

from tests.python.onnx.exported import check_export


@pytest.mark.parametrize("is_first", [True, False])
def test_a_complex_number_and_a_real_one_of_higher_precision(is_first):
    def product(x, y, factor):
        z = ow.complex(x, y)
        return ow.view_as_real(z * factor if is_first else factor * z)

    check_export(product, ow.randn(3), ow.randn(3), ow.randn(3, dtype=ow.float64))


def test_complex_numbers_of_two_precisions():
    def product(x, y, a, b):
        return ow.view_as_real(ow.complex(x, y) * ow.complex(a, b))

    low = [ow.randn(3) for _ in range(2)]
    high = [ow.randn(3, dtype=ow.float64) for _ in range(2)]
    check_export(product, *low, *high)
    check_export(product, *high, *low)

"""Complex numbers inside of a program, as pairs of reals in ONNX."""
# Covers: src/convert/onnx/rules/complex_rules.

import opwright as ow
import pytest
from opwright import onnx

from .exported import check_export, node_types


def rotate(x, angle):
    """Turn neighbours of the last dimension, as rotary embeddings do."""
    factor = ow.polar(ow.ones_like(angle), angle) * 0.5
    pairs = ow.view_as_complex(x.unflatten(-1, (-1, 2)))
    return ow.view_as_real(pairs * factor.unsqueeze(0)).flatten(-2)


def test_a_rotary_embedding_at_every_size():
    length = ow.export.Dim("length", min=2, max=64)

    check_export(
        rotate,
        ow.randn(2, 5, 8),
        ow.randn(5, 4),
        dynamic_shapes=({1: length}, {0: length}),
        at=[(ow.randn(2, 9, 8), ow.randn(9, 4))],
    )


def test_a_product_with_a_real_number_on_each_side():
    def both_sides(x, y, factor):
        z = ow.complex(x, y)
        return ow.view_as_real(z * factor) + ow.view_as_real(factor * z)

    check_export(both_sides, ow.randn(3, 1), ow.randn(4), ow.randn(3, 4))


def test_there_is_no_complex_node():
    types = node_types(rotate, ow.randn(2, 5, 8), ow.randn(5, 4))

    assert {"Cos", "Sin", "Sub", "Gather"} <= set(types)


def test_another_operator_on_complex_numbers_is_refused():
    with pytest.raises(NotImplementedError, match="ONNX has no operators on complex numbers"):
        onnx.export(lambda x: ow.view_as_complex(x).exp().abs(), (ow.randn(3, 2),))


def test_a_complex_result_is_refused():
    with pytest.raises(NotImplementedError, match="return view_as_real of it"):
        onnx.export(ow.view_as_complex, (ow.randn(3, 2),))


def test_a_complex_input_is_refused():
    with pytest.raises(NotImplementedError, match="ONNX has no operators on complex numbers"):
        onnx.export(lambda x: x * x, (ow.randn(3, dtype=ow.complex64),))

"""Products of matrices and vectors as nodes of ONNX."""

import opwright as ow
import pytest
from opwright.nn import functional as F

from .exported import check_export, node_types, through_bfloat16

PAIRS = {
    "mm": ((3, 4), (4, 5)),
    "bmm": ((2, 3, 4), (2, 4, 5)),
    "mv": ((3, 4), (4,)),
    "dot": ((4,), (4,)),
    "vdot": ((4,), (4,)),
    "outer": ((3,), (4,)),
    "ger": ((3,), (4,)),
}
MATMULS = [
    ((4,), (4,)),
    ((3, 4), (4,)),
    ((4,), (4, 5)),
    ((2, 3, 4), (4, 5)),
    ((2, 1, 3, 4), (5, 4, 6)),
    ((2, 3, 4), (4,)),
]
SUMS = {
    "addmm": ((3, 5), (3, 4), (4, 5)),
    "addmv": ((3,), (3, 4), (4,)),
    "baddbmm": ((2, 3, 5), (2, 3, 4), (2, 4, 5)),
}


@pytest.mark.parametrize("dtype", [ow.float32, ow.float64])
@pytest.mark.parametrize("name", PAIRS)
def test_products_of_two(name, dtype):
    operands = [ow.randn(*sizes, dtype=dtype) for sizes in PAIRS[name]]

    check_export(getattr(ow, name), *operands)


@pytest.mark.parametrize("dtype", [ow.int8, ow.uint8, ow.int16, ow.int32, ow.int64])
def test_ints_wrap_around(dtype):
    a = ow.full((2, 3), 100).to(dtype)
    b = ow.arange(12).reshape(3, 4).to(dtype)

    check_export(ow.mm, a, b, opsets=(12, 20))
    check_export(ow.addmm, ow.ones(4).to(dtype), a, b, opsets=(12, 20))
    check_export(lambda x, y: F.linear(x, y.t()), a, b, opsets=(12, 20))


BFLOAT16_OPSETS = (13, 20)  # there is no bfloat16 in 12


@pytest.mark.parametrize("name", ["mm", "addmm", "baddbmm"])
def test_products_of_bfloat16_run_in_onnx_runtime(name):
    operands = [ow.randn(*sizes) for sizes in {**PAIRS, **SUMS}[name]]

    check_export(
        through_bfloat16(getattr(ow, name)), *operands, opsets=BFLOAT16_OPSETS, rtol=1e-2, atol=1e-2
    )


@pytest.mark.parametrize("has_bias", [False, True])
@pytest.mark.parametrize("sizes", [(2, 3), (4, 2, 3)], ids=str)
def test_linear_of_bfloat16_runs_in_onnx_runtime(sizes, has_bias):
    weight, bias = ow.randn(5, 3), ow.randn(5) if has_bias else None

    check_export(
        through_bfloat16(F.linear),
        ow.randn(*sizes),
        weight,
        bias,
        opsets=BFLOAT16_OPSETS,
        rtol=1e-2,
        atol=1e-2,
    )


@pytest.mark.parametrize(("left", "right"), MATMULS, ids=str)
def test_matmul_of_any_rank(left, right):
    check_export(ow.matmul, ow.randn(*left), ow.randn(*right))


def test_the_batch_of_a_product_is_free():
    batch = ow.export.Dim("batch")

    check_export(
        ow.bmm,
        ow.randn(2, 3, 4),
        ow.randn(2, 4, 5),
        dynamic_shapes=({0: batch}, {0: batch}),
        at=[(ow.randn(7, 3, 4), ow.randn(7, 4, 5))],
    )


@pytest.mark.parametrize("dtype", [ow.float32, ow.float64])
# ONNX Runtime keeps a factor of a product as float32 where it joins both nodes.
@pytest.mark.parametrize("factors", [{}, {"beta": 2, "alpha": 0.25}, {"beta": 0, "alpha": -1}])
@pytest.mark.parametrize("name", SUMS)
def test_products_that_are_added(name, factors, dtype):
    operands = [ow.randn(*sizes, dtype=dtype) for sizes in SUMS[name]]

    check_export(lambda *given: getattr(ow, name)(*given, **factors), *operands)


@pytest.mark.parametrize("sizes", [(), (1,), (5,), (3, 1)], ids=str)
def test_what_is_added_is_stretched(sizes):
    check_export(ow.addmm, ow.randn(sizes), ow.randn(3, 4), ow.randn(4, 5))
    check_export(
        lambda *given: ow.addmm(*given, beta=0), ow.randn(sizes), ow.randn(3, 4), ow.randn(4, 5)
    )


def test_factors_of_ints_stay_ints():
    check_export(
        lambda a, b, c: ow.addmm(a, b, c, beta=3, alpha=-2),
        ow.arange(4),
        ow.arange(6).reshape(2, 3),
        ow.arange(12).reshape(3, 4),
    )


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("sizes", [(4,), (3, 4), (2, 3, 4), (2, 2, 3, 4)], ids=str)
def test_linear(sizes, bias):
    layer = ow.nn.Linear(4, 5, bias=bias)

    check_export(layer, ow.randn(*sizes))


def test_linear_has_a_free_batch_and_sequence():
    batch, length = ow.export.Dim("batch"), ow.export.Dim("length")

    check_export(
        ow.nn.Linear(4, 5),
        ow.randn(2, 3, 4),
        dynamic_shapes=({0: batch, 1: length},),
        at=[(ow.randn(1, 9, 4),)],
    )


def test_a_matrix_through_linear_is_one_node():
    assert node_types(ow.nn.Linear(4, 5), ow.randn(3, 4)) == ["Gemm"]
    assert node_types(ow.nn.Linear(4, 5, bias=False), ow.randn(3, 4)) == ["Gemm"]

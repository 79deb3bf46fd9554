"""Comparisons, logic, bits, choices and bounds as ONNX nodes."""

from collections.abc import Callable

import opwright as ow
import pytest
from opwright.export import Dim

from .exported import OPSETS, Exported, check_export, node_types, through_bfloat16

INF = float("inf")
NAN = float("nan")

FLOATS = (ow.float16, ow.float32, ow.float64)
INTS = (ow.uint8, ow.int8, ow.int16, ow.int32, ow.int64)

LEFT = [1.0, 2.0, 3.0, 0.0, 5.0, 1.0]
RIGHT = [1.0, 3.0, 2.0, 0.0, 1.0, 0.0]
LEFT_EDGES = [NAN, 1.0, NAN, INF, -INF, -0.0, 1.0]
RIGHT_EDGES = [1.0, NAN, NAN, 1.0, INF, 0.0, 2.0]


def pair(dtype: ow.dtype) -> tuple[ow.Tensor, ow.Tensor]:
    return tuple(ow.tensor(values).to(dtype) for values in (LEFT, RIGHT))


def edges(dtype: ow.dtype) -> tuple[ow.Tensor, ow.Tensor]:
    return tuple(ow.tensor(values, dtype=dtype) for values in (LEFT_EDGES, RIGHT_EDGES))


COMPARISONS: dict[str, Callable] = {
    "eq": lambda x, y: x == y,
    "ne": lambda x, y: x != y,
    "lt": lambda x, y: x < y,
    "le": lambda x, y: x <= y,
    "gt": lambda x, y: x > y,
    "ge": lambda x, y: x >= y,
}


@pytest.mark.parametrize("dtype", [*FLOATS, *INTS, ow.bool], ids=str)
@pytest.mark.parametrize("name", COMPARISONS)
def test_a_comparison_gives_what_eager_gives(name: str, dtype: ow.dtype) -> None:
    check_export(COMPARISONS[name], *pair(dtype))
    check_export(lambda x: COMPARISONS[name](x, 1), pair(dtype)[0], opsets=(12, 20))


@pytest.mark.parametrize("name", COMPARISONS)
def test_what_is_no_number_compares_as_in_eager(name: str) -> None:
    for dtype in FLOATS:
        check_export(COMPARISONS[name], *edges(dtype), opsets=(12, 20))
    check_export(through_bfloat16(COMPARISONS[name]), *edges(ow.float32), opsets=(13, 20))


@pytest.mark.parametrize("name", COMPARISONS)
def test_ints_of_64_bits_are_compared_exactly(name: str) -> None:
    x = ow.tensor([2**62 + 1, 2**53 + 1, -(2**53) - 1])
    y = ow.tensor([2**62, 2**53, -(2**53)])
    check_export(COMPARISONS[name], x, y, opsets=(12, 20))
    check_export(lambda x: COMPARISONS[name](x, 2**53), x, opsets=(12, 20))


@pytest.mark.parametrize("name", COMPARISONS)
def test_operands_of_two_dtypes_are_compared_in_their_common_one(name: str) -> None:
    check_export(COMPARISONS[name], pair(ow.int8)[0], pair(ow.uint8)[1], opsets=(12, 20))
    check_export(COMPARISONS[name], pair(ow.int64)[0], pair(ow.float32)[1], opsets=(12, 20))
    check_export(lambda x: COMPARISONS[name](x, 1.5), pair(ow.int32)[0], opsets=(12, 20))


@pytest.mark.parametrize("dtype", [*FLOATS, ow.int64], ids=str)
def test_isnan_and_isinf(dtype: ow.dtype) -> None:
    x = pair(dtype)[0] if dtype == ow.int64 else edges(dtype)[0]
    check_export(ow.isnan, x)
    check_export(ow.isinf, x)


# ---- Logic and bits ----


@pytest.mark.parametrize("dtype", [ow.bool, ow.int8, ow.int64, ow.float16, ow.float32], ids=str)
def test_logic_takes_every_dtype(dtype: ow.dtype) -> None:
    x, y = pair(dtype)
    for fn in (ow.logical_and, ow.logical_or, ow.logical_xor):
        check_export(fn, x, y)
    check_export(ow.logical_not, x)


@pytest.mark.parametrize("name", ["bitwise_and", "bitwise_or", "bitwise_xor"])
def test_bits_of_bools_are_logic(name: str) -> None:
    check_export(getattr(ow, name), *pair(ow.bool))
    check_export(ow.bitwise_not, pair(ow.bool)[0])


@pytest.mark.parametrize("dtype", INTS, ids=str)
@pytest.mark.parametrize("name", ["bitwise_and", "bitwise_or", "bitwise_xor"])
def test_bits_of_ints_have_nodes_from_opset_18_on(name: str, dtype: ow.dtype) -> None:
    fn = getattr(ow, name)
    x, y = ow.tensor([5, 100, 0, 7]).to(dtype), ow.tensor([3, 77, 1, 7]).to(dtype)
    check_export(fn, x, y, opsets=(18, 20, 26))
    check_export(lambda x: fn(x, 6), x, opsets=(18, 26))
    check_export(ow.bitwise_not, x, opsets=(18, 26))


def test_bits_of_ints_before_opset_18_are_refused_by_name_and_line(
    here: Callable[[str], str],
) -> None:
    def both(x: ow.Tensor) -> ow.Tensor:
        return x & 3  # both

    with pytest.raises(NotImplementedError) as refusal:
        Exported(both, (ow.tensor([1, 2]),), 17)
    assert str(refusal.value).startswith(
        f"aten::bitwise_and.Scalar ({here('both')}): ONNX has nodes for the bits of ints from "
        "opset 18 on; export with opset 18"
    )


# ---- Choices and bounds ----


@pytest.mark.parametrize("dtype", [*FLOATS, *INTS, ow.bool], ids=str)
def test_where_chooses_of_every_dtype(dtype: ow.dtype) -> None:
    x, y = pair(dtype)
    check_export(lambda c, x, y: ow.where(c, x, y), x > 1, x, y)
    check_export(lambda c, x: ow.where(c, x, 2), x > 1, x, opsets=(12, 20))
    check_export(lambda c, x: ow.where(c, 2.5, x), x > 1, x, opsets=(12, 20))


def test_where_of_two_numbers_and_of_two_dtypes() -> None:
    condition = ow.tensor([True, False])
    check_export(lambda c: ow.where(c, 1, 0), condition, opsets=(12, 20))
    check_export(lambda c: ow.where(c, 1.5, -INF), condition, opsets=(12, 20))
    x, y = ow.tensor([2**53 + 1, 1]), ow.tensor([1, 2], dtype=ow.int32)
    check_export(ow.where, condition, x, y, opsets=(12, 20))


@pytest.mark.parametrize("dtype", [*FLOATS, *INTS], ids=str)
@pytest.mark.parametrize("fn", [ow.maximum, ow.minimum], ids=["maximum", "minimum"])
def test_the_larger_and_the_smaller(fn: Callable, dtype: ow.dtype) -> None:
    check_export(fn, *pair(dtype))
    if dtype in FLOATS:
        check_export(fn, *edges(dtype))


def test_the_larger_of_bools_and_of_large_ints() -> None:
    check_export(ow.maximum, *pair(ow.bool), opsets=(12, 20))
    x, y = ow.tensor([2**62 + 1, -(2**53) - 1]), ow.tensor([2**62, -(2**53)])
    check_export(ow.maximum, x, y, opsets=(12, 20))


BOUNDS = [(-1, 1), (None, 0.5), (0, None), (2, 1), (-0.5, INF), (1, 1)]


@pytest.mark.parametrize("bounds", BOUNDS, ids=str)
@pytest.mark.parametrize("dtype", [*FLOATS, ow.int8, ow.int64], ids=str)
def test_clamp_by_numbers(bounds: tuple, dtype: ow.dtype) -> None:
    x = edges(dtype)[0] if dtype in FLOATS else pair(dtype)[0]
    check_export(lambda x: ow.clamp(x, *bounds), x)
    if dtype == ow.float32:
        check_export(through_bfloat16(lambda x: ow.clamp(x, *bounds)), x, opsets=(13, 20))


def test_clamp_by_numbers_is_one_node() -> None:
    assert node_types(lambda x: ow.clamp(x, -1, 1), ow.rand(3)) == ["Clip"]
    assert node_types(lambda x: ow.clamp(x, min=0), ow.rand(3)) == ["Max"]
    assert node_types(ow.nn.functional.relu6, ow.rand(3)) == ["Clip"]
    assert node_types(lambda x: ow.clamp(x, 2, 1), ow.rand(3)) == ["Max", "Min"]


def test_clamp_by_tensors_broadcasts() -> None:
    low, high = ow.tensor([[-0.5], [0.0]]), ow.tensor([0.5, 1.0, -1.0])
    fn = lambda x, low, high: ow.clamp(x, low, high)  # noqa: E731
    check_export(fn, ow.randn(2, 3), low, high)
    check_export(lambda x, high: ow.clamp(x, max=high), ow.randn(2, 3), high, opsets=(12, 20))
    check_export(
        fn,
        ow.randn(4, 3),
        ow.randn(4, 1),
        ow.randn(3),
        dynamic_shapes={"x": {0: Dim("n")}, "low": {0: Dim("n")}, "high": None},
        at=[(ow.randn(9, 3), ow.randn(9, 1), ow.randn(3))],
        opsets=OPSETS[:1],
    )

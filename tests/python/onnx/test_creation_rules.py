"""New tensors and copies as ONNX nodes."""

from collections.abc import Callable

import opwright as ow
import pytest
from opwright.export import Dim

from .exported import check_export, node_types, through_bfloat16

DTYPES = (
    ow.bool,
    ow.uint8,
    ow.int8,
    ow.int16,
    ow.int32,
    ow.int64,
    ow.float16,
    ow.float32,
    ow.float64,
)
FREE = {"x": {0: Dim("n")}}


def check_at_sizes(fn: Callable, opsets: tuple = (12, 18, 20, 26)) -> None:
    """Exported for 3 rows, run for others too."""
    check_export(
        fn,
        ow.rand(3, 2),
        dynamic_shapes=FREE,
        at=[(ow.rand(5, 2),), (ow.rand(1, 2),)],
        opsets=opsets,
    )


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_tensors_of_one_number(dtype: ow.dtype) -> None:
    check_at_sizes(lambda x: ow.zeros(x.shape[0], 2, dtype=dtype))
    check_at_sizes(lambda x: ow.ones(4, x.shape[0], dtype=dtype), (12, 20))
    check_at_sizes(lambda x: ow.full((x.shape[0],), 3, dtype=dtype), (12, 20))


def test_tensors_like_another() -> None:
    check_at_sizes(lambda x: ow.zeros_like(x) + ow.ones_like(x) * ow.full_like(x, 2.5))
    check_at_sizes(lambda x: ow.ones_like(x, dtype=ow.int64), (12, 20))
    check_at_sizes(lambda x: x.new_zeros(x.shape[0]) + x.new_ones(1) + x.new_full((1,), 7), (12,))
    check_at_sizes(lambda x: ow.empty_like(x) * 0, (12, 20))
    check_export(through_bfloat16(lambda x: ow.ones_like(x)), ow.rand(3), opsets=(13, 20))


def test_a_number_that_is_a_size() -> None:
    check_at_sizes(lambda x: ow.full((2, x.shape[0]), x.shape[0]), (12, 20))


def test_a_tensor_without_dimensions() -> None:
    check_export(lambda x: x + ow.scalar_tensor(2.5), ow.rand(3), opsets=(12, 20))
    check_export(lambda x: x + ow.full((), 2), ow.rand(3), opsets=(12, 20))
    check_export(lambda x: x * ow.tensor(1.5), ow.rand(3), opsets=(12, 20))


def test_values_written_into_a_tensor() -> None:
    def write(x: ow.Tensor) -> ow.Tensor:
        result = ow.empty(x.shape[0], 2)
        result.fill_(2.5)
        result.copy_(x[:, :1])
        return result

    def fill(x: ow.Tensor) -> ow.Tensor:
        y = x.clone()
        y.fill_(x[0, 0])
        return y + ow.zeros(2).fill_(3) + x.clone().zero_()

    check_at_sizes(write, (12, 20))
    check_at_sizes(fill, (12, 20))


# ---- Copies ----


@pytest.mark.parametrize("to", DTYPES, ids=str)
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_every_dtype_becomes_every_other(dtype: ow.dtype, to: ow.dtype) -> None:
    x = ow.tensor([0.0, 1.0, 2.75, 100.0]).to(dtype)
    check_export(lambda x: x.to(to), x, opsets=(12, 20))


def test_large_ints_and_negative_floats_become_others_as_in_eager() -> None:
    check_export(lambda x: x.to(ow.int32), ow.tensor([2**40 + 5, -(2**35) - 1]), opsets=(12, 20))
    check_export(lambda x: x.to(ow.int64), ow.tensor([-2.75, 2.75, -0.5]), opsets=(12, 20))
    check_export(lambda x: x.to(ow.bool), ow.tensor([0.0, -0.0, 1e-30, float("nan")]))
    check_export(through_bfloat16(lambda x: x.to(ow.int64)), ow.tensor([-2.75, 3.5]), opsets=(13,))


def test_copies_are_no_nodes() -> None:
    fn = lambda x: (x * 2).clone().contiguous().detach().to(ow.float32) + 1  # noqa: E731
    assert node_types(fn, ow.rand(3)) == ["Mul", "Add"]
    check_export(lambda x: x.clone(), ow.rand(3), opsets=(12, 20))


# ---- In steps ----

RANGES: dict[str, Callable] = {
    "end": lambda: ow.arange(5),
    "start": lambda: ow.arange(2, 9),
    "step": lambda: ow.arange(2, 19, 3),
    "down": lambda: ow.arange(9, -3, -2),
    "floats": lambda: ow.arange(0.0, 1.0, 0.1),
    "half": lambda: ow.arange(0, 4, 0.5, dtype=ow.float16),
    "many": lambda: ow.arange(0, 100000, 7),
    "many floats": lambda: ow.arange(0.5, 2000.0, 0.1),
    "linspace": lambda: ow.linspace(-1, 2, 7),
    "logspace": lambda: ow.logspace(0, 2, 5),
    "eye": lambda: ow.eye(3),
    "eye of two sizes": lambda: ow.eye(2, 4, dtype=ow.int64),
    "large eye": lambda: ow.eye(70),
    "tril_indices": lambda: ow.tril_indices(3, 4),
    "triu_indices": lambda: ow.triu_indices(3, 4, 1),
}


@pytest.mark.parametrize("name", RANGES)
def test_tensors_in_steps(name: str) -> None:
    check_export(lambda x: (RANGES[name](), x + 1), ow.rand(2), opsets=(12, 13, 20, 26))


def test_ranges_of_a_free_size() -> None:
    check_at_sizes(lambda x: ow.arange(x.shape[0]))
    check_at_sizes(lambda x: ow.arange(x.shape[0], dtype=ow.float32))
    check_at_sizes(lambda x: ow.arange(1, x.shape[0] + 1))
    check_at_sizes(lambda x: ow.arange(0, 3 * x.shape[0], 2))
    check_at_sizes(lambda x: ow.eye(x.shape[0]))
    check_at_sizes(lambda x: ow.eye(4, x.shape[0], dtype=ow.bool))


def test_a_small_range_stands_in_the_model() -> None:
    assert node_types(lambda x: x + ow.arange(4), ow.rand(4)) == ["Add"]

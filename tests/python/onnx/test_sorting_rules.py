"""Sorted elements and their indices in ONNX Runtime: the same as in eager."""

import numpy as np
import opwright as ow
import pytest
from opwright.export import Dim

from .exported import check_export, node_types, through_bfloat16


def numbers(*shape, dtype="float32"):
    """Different elements in no order, some below 0."""
    count = int(np.prod(shape))
    order = np.random.default_rng(3).permutation(count)
    return ow.from_numpy((order.reshape(shape) - count // 3).astype(dtype))


CASES = {
    "sort": lambda x: tuple(x.sort()),
    "sort of a dimension": lambda x: tuple(x.sort(0)),
    "sort down": lambda x: tuple(x.sort(1, descending=True)),
    "sort values alone": lambda x: x.sort(1)[0],
    "sort places alone": lambda x: x.sort(1)[1],
    "stable sort": lambda x: tuple(ow.sort(x, stable=True, dim=-1, descending=True)),
    "topk": lambda x: tuple(x.topk(2)),
    "topk of the least": lambda x: tuple(x.topk(3, 1, largest=False)),
    "topk of none": lambda x: tuple(x.topk(0)),
    "topk of all": lambda x: tuple(x.topk(4, -1)),
}


@pytest.mark.parametrize("name", CASES)
def test_elements_are_sorted_as_eager_does(name):
    check_export(CASES[name], numbers(2, 3, 4))


@pytest.mark.parametrize("descending", [False, True])
def test_equal_elements_keep_their_order_in_a_stable_sort(descending):
    x = ow.from_numpy(np.array([3, 1, 3, 2, 1, 1, 3], dtype="float32"))
    check_export(lambda x: tuple(ow.sort(x, stable=True, descending=descending)), x)


DTYPES = ["uint8", "int8", "int16", "int32", "int64", "uint16", "uint32", "float16", "float64"]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ["sort down", "topk of the least"])
def test_every_dtype_is_sorted(name, dtype):
    check_export(CASES[name], numbers(2, 3, 4, dtype=dtype), opsets=(12, 18, 26))


def test_truth_values_are_sorted():
    x = ow.from_numpy(np.array([True, False, True, False]))
    check_export(lambda x: tuple(ow.sort(x, stable=True)), x)


def test_bfloat16_is_sorted():
    check_export(through_bfloat16(lambda x: x.sort()[0]), numbers(3, 4), opsets=(13, 20))


@pytest.mark.parametrize(
    "name", ["sort", "sort of a dimension", "sort down", "topk", "topk of the least"]
)
def test_a_model_made_at_one_size_runs_at_others(name):
    sizes = ({0: Dim("batch"), 1: Dim("rows", min=3)},)
    others = [(numbers(2, 7, 4),), (numbers(5, 3, 4),)]
    check_export(CASES[name], numbers(4, 3, 4), dynamic_shapes=sizes, at=others)


def test_a_topk_takes_a_number_that_the_sizes_tell():
    sizes = ({0: Dim("batch", min=2)},)
    check_export(
        lambda x: tuple(x.topk(x.shape[0] - 1, 0)),
        numbers(4, 3),
        dynamic_shapes=sizes,
        at=[(numbers(7, 3),), (numbers(2, 3),)],
    )


def test_a_number_is_sorted():
    check_export(lambda x: tuple(x.sort()), ow.tensor(2.5))
    check_export(lambda x: tuple(x.topk(1)), ow.tensor(2.5))


def test_a_sort_is_one_node():
    assert node_types(lambda x: tuple(x.sort(1)), numbers(2, 3, 4)) == ["TopK"]

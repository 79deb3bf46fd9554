"""Reductions in ONNX Runtime: as eager has them."""

import math

import numpy as np
import opwright as ow
import pytest
from opwright.export import Dim

from .exported import DTYPES, Exported, check_export, node_types, through_bfloat16

ops = ow.ops.aten


def numbers(*shape, dtype="float32"):
    """Small numbers in no order, some of them equal, some below 0."""
    count = int(np.prod(shape))
    values = (np.arange(count) * 7 % 11).reshape(shape) - 4
    return ow.from_numpy((abs(values) if dtype.startswith("u") else values).astype(dtype))


CUBE = numbers(2, 3, 4)

SUMS = {
    "sum": lambda x: x.sum(),
    "sum of a dimension": lambda x: x.sum(1),
    "sum of several": lambda x: x.sum((0, -1)),
    "sum that keeps dimensions": lambda x: x.sum((0, -1), keepdim=True),
    "sum of no dimensions": lambda x: x.sum((), keepdim=True),
    "sum as another dtype": lambda x: x.sum(1, dtype=ow.float64),
    "sum as int": lambda x: x.sum(dtype=ow.int64),
    "mean": lambda x: x.mean(),
    "mean of a dimension": lambda x: x.mean(-1, keepdim=True),
    "mean of several": lambda x: x.mean((0, 2)),
    "mean as another dtype": lambda x: x.mean(0, dtype=ow.float64),
    "prod": lambda x: x.prod(),
    "prod of a dimension": lambda x: x.prod(1, keepdim=True),
    "prod as another dtype": lambda x: x.prod(-1, dtype=ow.float64),
    "count_nonzero": lambda x: x.count_nonzero(),
    "count_nonzero of a dimension": lambda x: x.count_nonzero(-1),
    "count_nonzero of several": lambda x: x.count_nonzero((0, 1)),
    "cumsum": lambda x: x.cumsum(1),
    "cumsum as another dtype": lambda x: x.cumsum(-1, dtype=ow.float64),
    "cumprod": lambda x: x.cumprod(1),
    "cumprod over one": lambda x: x[:, :1].cumprod(1),
    "cumprod as another dtype": lambda x: x.cumprod(-1, dtype=ow.float64),
    "logcumsumexp": lambda x: x.logcumsumexp(-1),
    "logcumsumexp of infinities": lambda x: (x - math.inf * (x > 0)).logcumsumexp(1),
    "diff": lambda x: x.diff(),
}

EXTREMES = {
    "max": lambda x: x.max(),
    "min": lambda x: x.min(),
    "max of a dimension": lambda x: tuple(x.max(1)),
    "min of a dimension": lambda x: tuple(x.min(-1, keepdim=True)),
    "max without its places": lambda x: x.max(1)[0],
    "places of max alone": lambda x: x.max(1)[1],
    "amax": lambda x: x.amax(),
    "amax of several": lambda x: x.amax((0, 2), keepdim=True),
    "amin of a dimension": lambda x: x.amin(1),
    "argmax": lambda x: x.argmax(),
    "argmax that keeps dimensions": lambda x: x.argmax(keepdim=True),
    "argmax of a dimension": lambda x: x.argmax(-1),
    "argmin": lambda x: x.argmin(),
    "argmin of a dimension": lambda x: x.argmin(1, keepdim=True),
}

TRUTHS = {
    "any": lambda x: ow.any(x),
    "any of a dimension": lambda x: ow.any(x, 1),
    "any of several": lambda x: ow.any(x, (0, 2), keepdim=True),
    "any of no dimensions": lambda x: ow.any(x, ()),
    "all": lambda x: ow.all(x),
    "all of a dimension": lambda x: ow.all(x, -1, keepdim=True),
    "all of several": lambda x: ow.all(x, (0, 2)),
    "all of no dimensions": lambda x: ow.all(x, ()),
}

MOMENTS = {
    "var": lambda x: ops.var(x),
    "var without a correction": lambda x: ops.var(x, False),
    "var of dimensions": lambda x: ops.var.dim(x, [0, 2], True, True),
    "var with a correction": lambda x: x.var(1, correction=0),
    "var with a broken correction": lambda x: x.var(-1, correction=1.5),
    "var with a correction of all": lambda x: x.var(1, correction=3),
    "std": lambda x: ops.std(x),
    "std of dimensions": lambda x: ops.std.dim(x, [1], False),
    "std with a correction": lambda x: x.std((0, 1), correction=2, keepdim=True),
    "var_mean": lambda x: tuple(ops.var_mean(x)),
    "var_mean of dimensions": lambda x: tuple(ops.var_mean.dim(x, [1], False, True)),
    "var_mean with a correction": lambda x: tuple(ow.var_mean(x, 1, correction=0)),
    "std_mean": lambda x: tuple(ops.std_mean(x, False)),
    "std_mean with a correction": lambda x: tuple(ow.std_mean(x, (0, 2))),
    "std_mean of dimensions": lambda x: tuple(ops.std_mean.dim(x, [0])),
    "norm": lambda x: ops.norm.Scalar(x),
    "norm of dimensions": lambda x: ops.norm.ScalarOpt_dim(x, None, [1], True),
    "norm as another dtype": lambda x: ops.norm.ScalarOpt_dtype(x, 1, dtype=ow.float64),
    "norm of all": lambda x: ops.norm.ScalarOpt_dim_dtype(x, 3, [0, 2], False, dtype=ow.float64),
    "vector_norm": lambda x: ops.linalg_vector_norm(x),
    "vector_norm 1": lambda x: ops.linalg_vector_norm(x, 1, [-1]),
    "vector_norm 0": lambda x: ops.linalg_vector_norm(x, 0, [1]),
    "vector_norm 3.5": lambda x: ops.linalg_vector_norm(x, 3.5, [0, 1], True),
    "vector_norm inf": lambda x: ops.linalg_vector_norm(x, math.inf, [2]),
    "vector_norm -inf": lambda x: ops.linalg_vector_norm(x, -math.inf),
    "cdist": lambda x: ops._cdist_forward(x, x.flip((1,)), 2.0, None),
    "cdist 1": lambda x: ops._cdist_forward(x, x[:, :2], 1.0, None),
    "cdist inf": lambda x: ops._cdist_forward(x[0], x[1], math.inf, None),
    "logsumexp": lambda x: x.logsumexp(1),
    "logsumexp of several": lambda x: x.logsumexp((0, 2), keepdim=True),
    "logsumexp of large numbers": lambda x: (x + x.repeat(1, 1, 1) + 900).logsumexp(-1),
}


@pytest.mark.parametrize("name", SUMS)
def test_a_sum_is_what_eager_gives(name):
    check_export(SUMS[name], CUBE)


@pytest.mark.parametrize("name", EXTREMES)
def test_an_extreme_is_what_eager_gives(name):
    check_export(EXTREMES[name], CUBE)


@pytest.mark.parametrize("name", TRUTHS)
@pytest.mark.parametrize("dtype", ["bool", "uint8", "int64", "float32"])
def test_a_truth_value_is_what_eager_gives(name, dtype):
    check_export(TRUTHS[name], numbers(2, 3, 4, dtype=dtype))


@pytest.mark.parametrize("name", MOMENTS)
def test_a_moment_is_what_eager_gives(name):
    check_export(MOMENTS[name], CUBE, rtol=1e-5)


NUMBER = {
    "sum": lambda x: x.sum(),
    "sum of a dimension": lambda x: x.sum(0),
    "prod": lambda x: x.prod(-1, keepdim=True),
    "max": lambda x: x.max(),
    "max of a dimension": lambda x: tuple(x.max(0)),
    "argmin": lambda x: x.argmin(),
    "any": lambda x: ow.any(x, 0),
    "all": lambda x: ow.all(x),
    "var": lambda x: x.var(correction=0),
    "norm": lambda x: ops.linalg_vector_norm(x),
    "logsumexp": lambda x: x.logsumexp(0),
    "cumsum": lambda x: x.cumsum(0),
    "cumprod": lambda x: x.cumprod(0),
    "norm 0": lambda x: ops.linalg_vector_norm(x, 0),
    "norm 3": lambda x: ops.linalg_vector_norm(x, 3, [0], True),
    "count_nonzero": lambda x: x.count_nonzero(),
}


@pytest.mark.parametrize("name", NUMBER)
def test_a_number_is_reduced(name):
    check_export(NUMBER[name], ow.tensor(-2.5))


NOTHING = {
    "sum": lambda x: x.sum(0),
    "sum of all": lambda x: x.sum(),
    "prod": lambda x: x.prod(0),
    "any": lambda x: ow.any(x, 0),
    "all": lambda x: ow.all(x, 0),
    "all of all": lambda x: ow.all(x),
    "count_nonzero": lambda x: x.count_nonzero(0),
    "max of another dimension": lambda x: x.amax(1),
    "cumsum": lambda x: x.cumsum(0),
    "norm": lambda x: ops.linalg_vector_norm(x, 2, [0]),
}


@pytest.mark.parametrize("name", NOTHING)
def test_a_tensor_without_elements_is_reduced(name):
    check_export(NOTHING[name], ow.zeros(0, 3))


SUMMED = [each for each in DTYPES if each != "uint64"]  # of which ONNX Runtime has few reductions
EVERY = {
    "sum": lambda x: x.sum(1),
    "prod": lambda x: x.prod(1),
    "amax": lambda x: x.amax(1),
    "amin": lambda x: x.amin(),
    "max": lambda x: tuple(x.max(1)),
    "argmax": lambda x: x.argmax(1),
    "count_nonzero": lambda x: x.count_nonzero(1),
    "cumsum": lambda x: x.cumsum(1),
    "cumprod": lambda x: x.cumprod(1),
}


@pytest.mark.parametrize("dtype", SUMMED)
@pytest.mark.parametrize("name", EVERY)
def test_every_dtype_is_reduced(name, dtype):
    check_export(EVERY[name], numbers(3, 4, dtype=dtype), opsets=(12, 13, 18, 20, 26))


@pytest.mark.parametrize("name", [*EVERY])
def test_bfloat16_is_reduced(name):
    def first(x):
        given = EVERY[name](x)
        return given[0] if isinstance(given, tuple) else given

    check_export(through_bfloat16(first), numbers(3, 4), opsets=(13, 20))


@pytest.mark.parametrize("dtype", ["float16", "float64"])
@pytest.mark.parametrize("name", ["var", "std_mean", "norm", "vector_norm 3.5", "logsumexp"])
def test_moments_of_other_floats_are_found(name, dtype):
    check_export(MOMENTS[name], numbers(2, 3, 4, dtype=dtype), opsets=(12, 18, 20))


DYNAMIC = {
    "sum": lambda x: x.sum((0, 2)),
    "mean": lambda x: x.mean((0, 1)),
    "max": lambda x: tuple(x.max(0)),
    "argmax of all": lambda x: x.argmax(),
    "argmax that keeps dimensions": lambda x: x.argmax(keepdim=True),
    "var": lambda x: x.var((0, 1)),
    "std without a correction": lambda x: x.std(0, correction=0),
    "var with a large correction": lambda x: x.var(1, correction=5),
    "norm": lambda x: ops.linalg_vector_norm(x, 2, [0]),
    "logsumexp": lambda x: x.logsumexp((0,)),
    "cumsum": lambda x: x.cumsum(0),
    "cumprod of a fixed size": lambda x: x.cumprod(2),
    "any": lambda x: ow.any(x, 0),
}


@pytest.mark.parametrize("name", DYNAMIC)
def test_a_model_made_at_one_size_runs_at_others(name):
    sizes = ({0: Dim("batch", min=2), 1: Dim("rows")},)
    others = [(numbers(2, 7, 4),), (numbers(5, 1, 4),)]
    check_export(
        DYNAMIC[name], numbers(4, 3, 4), dynamic_shapes=sizes, at=others, rtol=1e-5, atol=1e-5
    )


def test_plain_reductions_are_one_node():
    assert node_types(lambda x: x.sum(1), CUBE) == ["ReduceSum"]
    assert node_types(lambda x: x.mean((1, 2)), CUBE) == ["ReduceMean"]
    assert node_types(lambda x: x.amax(1), CUBE) == ["ReduceMax"]
    assert node_types(lambda x: x.argmax(1), CUBE) == ["ArgMax"]


def test_a_running_product_over_a_size_that_changes_is_refused():
    with pytest.raises(NotImplementedError, match="goes over a size that changes"):
        Exported(lambda x: x.cumprod(0), (CUBE,), 20, ({0: Dim("batch")},))

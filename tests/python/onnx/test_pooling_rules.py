"""Pooling as nodes of ONNX."""

import opwright as ow
import pytest
from opwright import nn
from opwright.nn import functional as F

from .exported import Exported, check_export, node_types, through_bfloat16

IMAGE = {1: (9,), 2: (9, 8), 3: (7, 6, 8)}
MAX = {1: F.max_pool1d, 2: F.max_pool2d, 3: F.max_pool3d}
AVERAGE = {1: F.avg_pool1d, 2: F.avg_pool2d, 3: F.avg_pool3d}
ADAPTIVE_AVERAGE = {1: F.adaptive_avg_pool1d, 2: F.adaptive_avg_pool2d, 3: F.adaptive_avg_pool3d}
WITH_INDICES = {
    1: ow.max_pool1d_with_indices,
    2: ow.max_pool2d_with_indices,
    3: ow.max_pool3d_with_indices,
}
ADAPTIVE_MAX = {1: ow.adaptive_max_pool1d, 2: ow.adaptive_max_pool2d, 3: ow.adaptive_max_pool3d}

each_dims = pytest.mark.parametrize("dims", [1, 2, 3])


def check_with_free_batch(fn, dims, image=None, channels=3):
    image = image or IMAGE[dims]
    check_export(
        fn,
        ow.randn(2, channels, *image),
        dynamic_shapes=({0: ow.export.Dim("batch")},),
        at=[(ow.randn(4, channels, *image),)],
    )


@each_dims
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"stride": 1},
        {"stride": 2, "padding": 1},
        {"stride": 1, "dilation": 2},
        {"stride": 2, "ceil_mode": True},
        {"stride": 2, "padding": 1, "ceil_mode": True},
    ],
    ids=str,
)
def test_max_pool(dims, options):
    check_with_free_batch(lambda x: MAX[dims](x, 3, **options), dims)


@each_dims
def test_max_pool_drops_windows_that_start_in_the_padding(dims):
    check_with_free_batch(
        lambda x: MAX[dims](x, 2, stride=3, padding=1, ceil_mode=True), dims, (5,) * dims
    )


@each_dims
def test_indices_count_within_each_channel(dims):
    check_with_free_batch(
        lambda x: WITH_INDICES[dims](x, [2] * dims, [2] * dims, [1] * dims, [1] * dims, False), dims
    )


@each_dims
def test_a_sample_alone_gets_a_batch(dims):
    sample = ow.randn(3, *IMAGE[dims])

    check_export(lambda x: WITH_INDICES[dims](x, [2] * dims), sample)
    check_export(lambda x: AVERAGE[dims](x, 2), sample)


def test_max_pool_of_free_rows_and_columns():
    rows, columns = ow.export.Dim("rows", min=4), ow.export.Dim("columns", min=4)

    check_export(
        lambda x: ow.max_pool2d_with_indices(x, [3, 2], [2, 2], [1, 0], [1, 1], True),
        ow.randn(2, 3, 8, 9),
        dynamic_shapes=({2: rows, 3: columns},),
        at=[(ow.randn(2, 3, 5, 6),), (ow.randn(2, 3, 11, 4),)],
    )


@each_dims
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"stride": 2, "padding": 1},
        {"stride": 2, "padding": 1, "count_include_pad": False},
        {"stride": 2, "ceil_mode": True},
        {"stride": 2, "padding": 1, "ceil_mode": True},
        {"stride": 2, "padding": 1, "ceil_mode": True, "count_include_pad": False},
    ],
    ids=str,
)
def test_average_pool(dims, options):
    check_with_free_batch(lambda x: AVERAGE[dims](x, 3, **options), dims)


@pytest.mark.parametrize("dims", [2, 3])
def test_a_divisor_of_its_own(dims):
    check_with_free_batch(lambda x: AVERAGE[dims](x, 2, padding=1, divisor_override=3), dims)


def test_a_divisor_of_its_own_with_ceil_mode_is_refused():
    with pytest.raises(NotImplementedError, match="divisor_override; leave ceil_mode"):
        Exported(
            lambda x: F.avg_pool2d(x, 2, ceil_mode=True, divisor_override=3),
            (ow.randn(1, 1, 5, 5),),
        )


@pytest.mark.parametrize("fn", [F.max_pool2d, F.avg_pool2d], ids=lambda fn: fn.__name__)
def test_bfloat16_is_computed_in_float32(fn):
    check_export(
        through_bfloat16(lambda x: fn(x, 2)), ow.randn(2, 3, 4, 4), opsets=(13, 20, 26), atol=1e-2
    )


@pytest.mark.parametrize("dtype", [ow.int8, ow.uint8, ow.int16, ow.int32])
def test_the_maximum_of_ints(dtype):
    check_export(
        lambda x: F.max_pool2d(x, 2), ow.arange(32).reshape(1, 2, 4, 4).to(dtype), opsets=(12, 20)
    )


def test_the_maximum_of_long_ints_is_refused():
    with pytest.raises(NotImplementedError, match="no MaxPool of ints of 64 bits"):
        Exported(lambda x: F.max_pool2d(x, 2), (ow.arange(16).reshape(1, 1, 4, 4),))


# ---- Adaptive ----


@each_dims
def test_adaptive_pooling_to_one_takes_any_size(dims):
    rows = {2: ow.export.Dim("rows")}
    image = ow.randn(2, 3, *IMAGE[dims])
    other = ow.randn(2, 3, 5, *IMAGE[dims][1:])

    check_export(
        lambda x: ADAPTIVE_AVERAGE[dims](x, 1), image, dynamic_shapes=(rows,), at=[(other,)]
    )
    check_export(
        lambda x: ADAPTIVE_MAX[dims](x, [1] * dims), image, dynamic_shapes=(rows,), at=[(other,)]
    )


@each_dims
def test_adaptive_pooling_to_a_divisor(dims):
    image = (6, 8, 4)[:dims]
    size = (3, 2, 4)[:dims]

    check_with_free_batch(lambda x: ADAPTIVE_AVERAGE[dims](x, size), dims, image)
    check_with_free_batch(lambda x: ADAPTIVE_MAX[dims](x, size), dims, image)


def test_uneven_windows_are_refused():
    for pool in (F.adaptive_avg_pool2d, ow.adaptive_max_pool2d):
        with pytest.raises(NotImplementedError, match="output_size must be 1, or divide"):
            Exported(lambda x, pool=pool: pool(x, (2, 3)), (ow.randn(1, 1, 5, 6),))


def test_pooling_is_one_node():
    image = ow.randn(1, 3, 8, 8)

    assert node_types(nn.MaxPool2d(2), image) == ["MaxPool"]
    assert node_types(nn.AvgPool2d(2), image) == ["AveragePool"]

"""Convolutions as nodes of ONNX."""

import opwright as ow
import pytest
from opwright import nn
from opwright.nn import functional as F

from .exported import Exported, check_export, node_types, through_bfloat16

IMAGE = {1: (7,), 2: (7, 6), 3: (5, 6, 4)}
CONVOLUTIONS = {1: nn.Conv1d, 2: nn.Conv2d, 3: nn.Conv3d}
TRANSPOSED = {1: nn.ConvTranspose1d, 2: nn.ConvTranspose2d, 3: nn.ConvTranspose3d}
NEAR = {"rtol": 1e-5, "atol": 1e-5}

each_dims = pytest.mark.parametrize("dims", [1, 2, 3])


def free_batch():
    return ({0: ow.export.Dim("batch")},)


@each_dims
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"bias": False},
        {"stride": 2, "padding": 1},
        {"dilation": 2},
        {"groups": 2},
        {"padding": "same", "dilation": 2},
        {"padding": "valid"},
    ],
    ids=str,
)
def test_convolutions(dims, options):
    layer = CONVOLUTIONS[dims](4, 6, 2, **options)
    image = IMAGE[dims]

    check_export(
        layer,
        ow.randn(2, 4, *image),
        dynamic_shapes=free_batch(),
        at=[(ow.randn(5, 4, *image),)],
        **NEAR,
    )


@each_dims
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"stride": 2, "padding": 1, "output_padding": 1},
        {"groups": 2, "bias": False},
        {"dilation": 2},
    ],
    ids=str,
)
def test_transposed_convolutions(dims, options):
    layer = TRANSPOSED[dims](4, 6, 3, **options)
    image = IMAGE[dims]

    check_export(
        layer,
        ow.randn(2, 4, *image),
        dynamic_shapes=free_batch(),
        at=[(ow.randn(3, 4, *image),)],
        **NEAR,
    )


def test_output_padding_may_reach_the_stride():
    layer = nn.ConvTranspose2d(
        2, 2, (4, 5), stride=(3, 2), padding=(1, 2), output_padding=(2, 3), dilation=4
    )

    check_export(layer, ow.randn(2, 2, 4, 4), **NEAR)


@pytest.mark.parametrize("layer", [nn.Conv1d(2, 3, 2), nn.ConvTranspose1d(2, 3, 2)], ids=repr)
def test_bfloat16_is_computed_in_float32(layer):
    weight = layer.weight.detach()
    fn = F.conv_transpose1d if isinstance(layer, nn.ConvTranspose1d) else F.conv1d
    check_export(
        through_bfloat16(lambda x: fn(x, weight.to(x.dtype))),
        ow.randn(2, 2, 5),
        opsets=(13, 20, 26),
        rtol=1e-2,
        atol=1e-2,
    )


def test_each_dimension_has_options_of_its_own():
    layer = nn.Conv2d(3, 4, (2, 3), stride=(2, 1), padding=(0, 2), dilation=(1, 2))

    check_export(layer, ow.randn(1, 3, 9, 8), **NEAR)


def test_rows_and_columns_are_free():
    rows, columns = ow.export.Dim("rows", min=4), ow.export.Dim("columns", min=4)

    check_export(
        nn.Conv2d(3, 4, 3, padding=1, stride=2),
        ow.randn(1, 3, 8, 9),
        dynamic_shapes=({2: rows, 3: columns},),
        at=[(ow.randn(1, 3, 5, 12),)],
        **NEAR,
    )


@each_dims
def test_a_sample_alone_gets_a_batch(dims):
    layer = CONVOLUTIONS[dims](4, 6, 2)

    check_export(layer, ow.randn(4, *IMAGE[dims]), **NEAR)


@pytest.mark.parametrize("transposed", [False, True])
def test_the_general_operator(transposed):
    weight = ow.randn(4, 4, 3, 2)

    def run(x):
        return ow.convolution(
            x, weight, None, [2, 1], [1, 0], [1, 1], transposed, [int(transposed), 0], 1
        )

    check_export(run, ow.randn(2, 4, 6, 5), **NEAR)


def test_a_convolution_is_one_node():
    assert node_types(nn.Conv2d(3, 4, 3), ow.randn(1, 3, 5, 5)) == ["Conv"]


def test_ints_are_refused():
    weight = ow.ones(1, 1, 2, dtype=ow.int64)

    with pytest.raises(NotImplementedError, match="ONNX convolves floating dtypes alone"):
        Exported(lambda x: F.conv1d(x, weight), (ow.ones(1, 1, 4, dtype=ow.int64),))


# ---- Windows as columns and back ----


@pytest.mark.parametrize("sizes", [(2, 3, 6, 5), (3, 6, 5)], ids=str)
def test_unfold_picks_windows(sizes):
    check_export(
        lambda x: ow.im2col(x, (2, 3), (2, 1), (1, 0), (1, 2)),
        ow.randn(*sizes),
    )


def test_fold_adds_windows():
    check_export(
        lambda x: ow.col2im(x, (5, 6), (2, 3), (1, 1), (1, 1), (2, 2)),
        ow.randn(2, 12, 9),
        opsets=(18, 20, 26),
    )


def test_fold_tells_the_opset_that_has_it():
    with pytest.raises(NotImplementedError, match="18"):
        Exported(
            lambda x: ow.col2im(x, (5, 6), (2, 3), (1, 1), (1, 1), (2, 2)),
            (ow.randn(2, 12, 9),),
            17,
        )

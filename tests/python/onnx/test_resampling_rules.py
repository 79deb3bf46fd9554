"""Interpolation and sampling at a grid as nodes of ONNX."""

import opwright as ow
import pytest
from opwright.nn import functional as F

from .exported import Exported, check_export, node_types

IMAGE = {1: (5,), 2: (5, 4), 3: (3, 4, 5)}
LARGE = {1: (9,), 2: (9, 7), 3: (5, 6, 9)}
SMALL = {1: (3,), 2: (3, 2), 3: (2, 2, 3)}
SMOOTH = {1: "linear", 2: "bilinear", 3: "trilinear"}
NEAR = {"rtol": 1e-5, "atol": 1e-5}

each_dims = pytest.mark.parametrize("dims", [1, 2, 3])


def check(dims, **options):
    image = IMAGE[dims]
    check_export(
        lambda x: F.interpolate(x, **options),
        ow.randn(2, 3, *image),
        dynamic_shapes=({0: ow.export.Dim("batch")},),
        at=[(ow.randn(4, 3, *image),)],
        **NEAR,
    )


@each_dims
def test_the_nearest_element(dims):
    check(dims, size=LARGE[dims], mode="nearest")
    check(dims, size=SMALL[dims], mode="nearest")
    check(dims, scale_factor=2.0, mode="nearest")


@each_dims
def test_the_nearest_element_from_centre_to_centre(dims):
    upsample = getattr(ow.ops.aten, f"_upsample_nearest_exact{dims}d")
    image = ow.randn(2, 3, *IMAGE[dims])

    for size in (LARGE[dims], SMALL[dims]):
        check_export(lambda x, size=size: upsample(x, size), image)
    check_export(lambda x: upsample.vec(x, None, [2.0] * dims), image)


@each_dims
@pytest.mark.parametrize("align_corners", [False, True])
def test_linear_interpolation(dims, align_corners):
    check(dims, size=LARGE[dims], mode=SMOOTH[dims], align_corners=align_corners)
    check(dims, size=SMALL[dims], mode=SMOOTH[dims], align_corners=align_corners)
    check(dims, scale_factor=2.0, mode=SMOOTH[dims], align_corners=align_corners)


@pytest.mark.parametrize("align_corners", [False, True])
def test_cubic_interpolation(align_corners):
    check(2, size=LARGE[2], mode="bicubic", align_corners=align_corners)
    check(2, size=SMALL[2], mode="bicubic", align_corners=align_corners)
    check(2, scale_factor=1.5, mode="bicubic", align_corners=align_corners)


@pytest.mark.parametrize("mode", ["nearest", "bilinear"])
def test_a_factor_for_each_dimension(mode):
    check(2, scale_factor=(1.5, 2.5), mode=mode)


@pytest.mark.parametrize("mode", ["nearest", "bilinear", "bicubic"])
def test_free_rows_and_columns(mode):
    rows, columns = ow.export.Dim("rows"), ow.export.Dim("columns")

    check_export(
        lambda x: F.interpolate(x, scale_factor=2, mode=mode),
        ow.randn(1, 3, 4, 5),
        dynamic_shapes=({2: rows, 3: columns},),
        at=[(ow.randn(1, 3, 7, 3),)],
        **NEAR,
    )


def test_sizes_that_are_those_of_another_tensor():
    rows, columns = ow.export.Dim("rows"), ow.export.Dim("columns")

    check_export(
        lambda x, y: ow.upsample_bilinear2d(x, y.shape[2:], False),
        ow.randn(1, 3, 4, 5),
        ow.randn(1, 3, 8, 7),
        dynamic_shapes=(None, {2: rows, 3: columns}),
        at=[(ow.randn(1, 3, 4, 5), ow.randn(1, 3, 3, 11))],
        **NEAR,
    )


def test_interpolation_is_one_node():
    image = ow.randn(1, 3, 4, 5)

    assert node_types(lambda x: F.interpolate(x, scale_factor=2), image) == ["Resize"]
    assert node_types(lambda x: F.interpolate(x, size=(3, 3)), image) == ["Resize"]


@pytest.mark.parametrize("align_corners", [False, True])
@pytest.mark.parametrize("padding", [0, 1, 2], ids=["zeros", "border", "reflection"])
@pytest.mark.parametrize("mode", [0, 1, 2], ids=["bilinear", "nearest", "bicubic"])
def test_sampling_at_a_grid(mode, padding, align_corners):
    grid = ow.rand(2, 4, 3, 2) * 2.6 - 1.3

    check_export(
        lambda x, y: ow.grid_sampler_2d(x, y, mode, padding, align_corners),
        ow.randn(2, 3, 5, 6),
        grid,
        opsets=(16, 18, 20, 26),
        rtol=1e-4,
        atol=1e-5,
    )


def test_sampling_at_a_grid_tells_the_opset_that_has_it():
    with pytest.raises(NotImplementedError, match="16"):
        Exported(
            lambda x, y: ow.grid_sampler_2d(x, y, 0, 0, False),
            (ow.randn(2, 3, 5, 6), ow.rand(2, 4, 3, 2)),
            15,
        )


def test_what_onnx_cannot_say_is_refused():
    with pytest.raises(NotImplementedError, match="how ints are interpolated"):
        Exported(
            lambda x: ow.upsample_bilinear2d(x, [6, 6], False),
            (ow.ones(1, 1, 3, 3, dtype=ow.uint8),),
        )
    with pytest.raises(NotImplementedError, match="these scales do not give output_size"):
        Exported(
            lambda x: ow.upsample_bilinear2d(x, [6, 6], False, 1.2, 1.2), (ow.ones(1, 1, 3, 3),)
        )


def test_from_corner_to_corner_scales_do_not_matter():
    check_export(
        lambda x: F.interpolate(x, scale_factor=0.6, mode="bilinear", align_corners=True),
        ow.randn(2, 3, 4, 5),
        **NEAR,
    )

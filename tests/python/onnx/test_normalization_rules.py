"""Softmax and norms as nodes of ONNX."""

import opwright as ow
import pytest
from opwright import nn
from opwright.nn import functional as F

from .exported import Exported, check_export, node_types

each_dtype = pytest.mark.parametrize("dtype", [ow.float32, ow.float64])


def shuffled(module):
    """Weights and statistics that are not the first ones."""
    with ow.no_grad():
        for name, each in [*module.named_parameters(), *module.named_buffers()]:
            if each.is_floating_point():
                each.copy_(ow.rand_like(each) + (0.5 if "var" in name else -0.2))
    return module.eval()


def free_batch():
    return ({0: ow.export.Dim("batch")},)


@each_dtype
@pytest.mark.parametrize("dim", [0, 1, 2, -1, -3])
@pytest.mark.parametrize("fn", [ow.softmax, ow.log_softmax, F.softmin], ids=lambda fn: fn.__name__)
def test_softmax_over_any_dimension(fn, dim, dtype):
    check_export(lambda x: fn(x, dim), ow.randn(2, 3, 4, dtype=dtype))


def test_softmax_without_dimensions():
    check_export(lambda x: ow.softmax(x, 0), ow.tensor(2.0))


def test_softmax_casts_first():
    check_export(lambda x: ow.softmax(x, -1, dtype=ow.float32), ow.arange(6).reshape(2, 3))
    check_export(
        lambda x: ow.log_softmax(x, -1, dtype=ow.float64), ow.randn(2, 3), opsets=(12, 13, 20)
    )


@each_dtype
@pytest.mark.parametrize("affine", [False, True])
@pytest.mark.parametrize("shape", [(4,), (3, 4)], ids=str)
def test_layer_norm(shape, affine, dtype):
    layer = shuffled(nn.LayerNorm(shape, elementwise_affine=affine, dtype=dtype))

    check_export(
        layer,
        ow.randn(2, 3, 4, dtype=dtype),
        dynamic_shapes=free_batch(),
        at=[(ow.randn(5, 3, 4, dtype=dtype),)],
    )


def test_layer_norm_gives_its_statistics():
    check_export(
        lambda x, w, b: ow.native_layer_norm(x, [4], w, b, 1e-3),
        ow.randn(2, 3, 4),
        ow.randn(4),
        ow.randn(4),
        atol=1e-5,
    )


def test_layer_norm_is_a_node_since_17():
    layer = nn.LayerNorm(4)

    assert node_types(layer, ow.randn(2, 4), opset=17) == ["LayerNormalization"]
    assert "ReduceMean" in node_types(layer, ow.randn(2, 4), opset=16)


@each_dtype
@pytest.mark.parametrize("options", [{}, {"eps": 1e-3}, {"elementwise_affine": False}], ids=str)
def test_rms_norm(options, dtype):
    layer = shuffled(nn.RMSNorm(4, dtype=dtype, **options))

    check_export(
        layer,
        ow.randn(2, 3, 4, dtype=dtype),
        dynamic_shapes=free_batch(),
        at=[(ow.randn(5, 3, 4, dtype=dtype),)],
    )


@each_dtype
@pytest.mark.parametrize("affine", [False, True])
@pytest.mark.parametrize("image", [(), (5,), (5, 4)], ids=str)
def test_group_norm(image, affine, dtype):
    layer = shuffled(nn.GroupNorm(2, 6, affine=affine, dtype=dtype))

    check_export(
        layer,
        ow.randn(3, 6, *image, dtype=dtype),
        dynamic_shapes=free_batch(),
        at=[(ow.randn(5, 6, *image, dtype=dtype),)],
    )


def test_group_norm_gives_its_statistics():
    check_export(
        lambda x, w, b: ow.native_group_norm(x, w, b, 2, 6, 5, 3, 1e-5),
        ow.randn(2, 6, 5),
        ow.randn(6),
        ow.randn(6),
        atol=1e-5,
    )


@each_dtype
@pytest.mark.parametrize("options", [{}, {"affine": False}], ids=str)
@pytest.mark.parametrize(
    ("make", "image"),
    [
        (nn.BatchNorm1d, ()),
        (nn.BatchNorm1d, (5,)),
        (nn.BatchNorm2d, (5, 4)),
        (nn.BatchNorm3d, (2, 3, 4)),
    ],
)
def test_batch_norm_by_its_statistics(make, image, options, dtype):
    layer = shuffled(make(6, dtype=dtype, **options))

    check_export(
        layer,
        ow.randn(3, 6, *image, dtype=dtype),
        dynamic_shapes=free_batch(),
        at=[(ow.randn(5, 6, *image, dtype=dtype),)],
        rtol=1e-5,
        atol=1e-5,
    )


def test_batch_norm_without_statistics_takes_those_of_the_batch():
    layer = shuffled(nn.BatchNorm2d(6, track_running_stats=False))

    check_export(layer, ow.randn(3, 6, 5, 4))


def test_batch_norm_gives_the_statistics_that_it_used():
    weight, bias = ow.randn(6), ow.randn(6)

    check_export(
        lambda x: ow.native_batch_norm(x, weight, bias, None, None, True, 0.1, 1e-5),
        ow.randn(3, 6, 4),
        atol=1e-5,
    )
    check_export(
        lambda x: ow.native_batch_norm(x, weight, bias, bias, bias.abs(), False, 0.1, 1e-5),
        ow.randn(3, 6, 4),
        atol=1e-4,
    )


def test_norms_of_nothing():
    check_export(lambda x: F.group_norm(x, 2), ow.randn(0, 4, 3))
    check_export(lambda x: F.layer_norm(x, (4,)), ow.randn(0, 4))
    check_export(
        lambda x: ow.instance_norm(x, None, None, None, None, True, 0.1, 1e-5, True), ow.randn(2, 3)
    )


def test_batch_norm_in_training_is_refused():
    with pytest.raises(NotImplementedError, match=r"as in training; export .* module\.eval\(\)"):
        Exported(nn.BatchNorm2d(6), (ow.randn(3, 6, 5, 4),))


@each_dtype
@pytest.mark.parametrize("options", [{}, {"affine": True}], ids=str)
@pytest.mark.parametrize(
    ("make", "image"), [(nn.InstanceNorm1d, (5,)), (nn.InstanceNorm2d, (5, 4))]
)
def test_instance_norm(make, image, options, dtype):
    layer = shuffled(make(6, dtype=dtype, **options))

    check_export(
        layer,
        ow.randn(3, 6, *image, dtype=dtype),
        dynamic_shapes=free_batch(),
        at=[(ow.randn(5, 6, *image, dtype=dtype),)],
        atol=1e-5,
    )


def test_instance_norm_by_its_statistics():
    layer = shuffled(nn.InstanceNorm2d(6, track_running_stats=True))

    check_export(layer, ow.randn(3, 6, 5, 4), atol=1e-5)


def test_halves_are_computed_in_float32():
    check_export(
        lambda x: F.layer_norm(x, (4,)), ow.randn(2, 3, 4, dtype=ow.float16), opsets=(13, 20)
    )
    check_export(lambda x: F.group_norm(x, 2), ow.randn(2, 4, 3, dtype=ow.float16), opsets=(13, 20))

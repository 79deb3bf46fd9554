"""Errors of windows, sampling and losses name the operator, the argument and what was wrong."""

import pytest

ow = pytest.importorskip("opwright", reason="the Python package is not built")

ATEN = ow.ops.aten


def image(*sizes):
    return ow.arange(float(ow.ones(*sizes).numel())).reshape(*sizes)


CASES = {
    "ctc target": (
        lambda: ATEN._ctc_loss(ow.zeros(2, 1, 3), ow.tensor([[3]]), [2], [1]),
        IndexError,
        "_ctc_loss: target 3 is out of range for 3 labels",
    ),
    "ctc blank": (
        lambda: ATEN._ctc_loss(ow.zeros(2, 1, 3), ow.tensor([[1]]), [2], [1], 3),
        ValueError,
        "_ctc_loss: blank must be a label from 0 to 2, got 3",
    ),
    "ctc frames": (
        lambda: ATEN._ctc_loss(ow.zeros(2, 1, 3), ow.tensor([[1]]), [3], [1]),
        ValueError,
        "_ctc_loss: input_lengths must be at most the 2 frames of log_probs, got 3",
    ),
    "ctc batch": (
        lambda: ATEN._ctc_loss(ow.zeros(2, 2, 3), ow.tensor([[1], [1]]), [2], [1, 1]),
        ValueError,
        "_ctc_loss: input_lengths must hold a length for each of the 2 inputs, got 1",
    ),
    "ctc dtype": (
        lambda: ATEN._ctc_loss(ow.zeros(2, 1, 3).half(), ow.tensor([[1]]), [2], [1]),
        TypeError,
        "_ctc_loss: log_probs must be of float32 or float64, got float16",
    ),
    "multi_margin_loss p": (
        lambda: ATEN.multi_margin_loss(image(2, 3), ow.tensor([0, 1]), 3),
        RuntimeError,
        "multi_margin_loss: p must be 1 or 2, got 3",
    ),
    "multi_margin_loss rows": (
        lambda: ATEN.multi_margin_loss(image(2, 3), ow.tensor([0])),
        ValueError,
        "multi_margin_loss: target must hold a class for each row of self",
    ),
    "multilabel_margin_loss class": (
        lambda: ATEN.multilabel_margin_loss(image(1, 2), ow.tensor([[2, -1]])),
        IndexError,
        "multilabel_margin_loss: target 2 is out of range for 2 classes",
    ),
    "multilabel_margin_loss sizes": (
        lambda: ATEN.multilabel_margin_loss(image(1, 2), ow.tensor([[1]])),
        RuntimeError,
        "multilabel_margin_loss: target (int64[1, 1]) must have the sizes of self (float32[1, 2])",
    ),
    "triplet_margin_loss margin": (
        lambda: ATEN.triplet_margin_loss(image(1, 2), image(1, 2), image(1, 2), 0.0),
        RuntimeError,
        "triplet_margin_loss: margin must be positive, got 0",
    ),
    "fractional_max_pool2d size": (
        lambda: ATEN.fractional_max_pool2d(image(1, 3, 3), [2, 2], [3, 3], ow.rand(1, 1, 2)),
        ValueError,
        "fractional_max_pool2d: windows of [2, 2] elements and output_size [3, 3] do not fit in "
        "self of sizes [1, 3, 3]",
    ),
    "fractional_max_pool2d samples": (
        lambda: ATEN.fractional_max_pool2d(image(1, 3, 3), [2, 2], [2, 2], ow.rand(1, 2)),
        RuntimeError,
        "fractional_max_pool2d: random_samples must be [batch, channels, 2] for self of sizes "
        "[1, 3, 3], got float32[1, 2]",
    ),
    "max_unpool2d indices": (
        lambda: ATEN.max_unpool2d(image(1, 2, 2), ow.zeros(1, 2, 3).long(), [4, 4]),
        ValueError,
        "max_unpool2d: indices must have the sizes [1, 2, 2] of self, got [1, 2, 3]",
    ),
    "grid_sampler_3d mode": (
        lambda: ATEN.grid_sampler_3d(image(1, 1, 2, 2, 2), ow.zeros(1, 1, 1, 1, 3), 2, 0, False),
        ValueError,
        "grid_sampler_3d: interpolation_mode must be 0 (bilinear) or 1 (nearest), got 2",
    ),
    "grid_sampler_3d grid": (
        lambda: ATEN.grid_sampler_3d(image(1, 1, 2, 2, 2), ow.zeros(1, 1, 1, 1, 2), 0, 0, False),
        ValueError,
        "grid_sampler_3d: input [batch, channels, depth, height, width] with elements and grid "
        "[the same batch, depth, rows, columns, 3] are needed",
    ),
    "affine_grid_generator": (
        lambda: ATEN.affine_grid_generator(ow.zeros(1, 2, 2), [1, 1, 2, 2], False),
        ValueError,
        "affine_grid_generator: theta must be [1, 2, 3], got float32[1, 2, 2]",
    ),
    "pixel_shuffle": (
        lambda: ATEN.pixel_shuffle(image(3, 2, 2), 2),
        ValueError,
        "pixel_shuffle: the channels of self of sizes [3, 2, 2] must be a multiple of 4, the "
        "square of upscale_factor",
    ),
    "pixel_unshuffle": (
        lambda: ATEN.pixel_unshuffle(image(1, 3, 2), 2),
        ValueError,
        "pixel_unshuffle: the height and width of self of sizes [1, 3, 2] must be multiples of "
        "downscale_factor, 2",
    ),
    "channel_shuffle": (
        lambda: ATEN.channel_shuffle(image(1, 3, 2), 2),
        ValueError,
        "channel_shuffle: the channels of self of sizes [1, 3, 2] must be a multiple of groups, 2",
    ),
    "bilinear": (
        lambda: ATEN.bilinear(image(1, 2), image(1, 3), ow.ones(1, 2, 2)),
        ValueError,
        "bilinear: the features of input1 (float32[1, 2]) and input2 (float32[1, 3]) must be "
        "those of weight (float32[1, 2, 2])",
    ),
    "conv_tbc": (
        lambda: ATEN.conv_tbc(image(3, 2), ow.ones(1, 2, 2), ow.ones(2)),
        RuntimeError,
        "conv_tbc: self must be [time, batch, channels], got float32[3, 2]",
    ),
    "rrelu": (
        lambda: ATEN.rrelu(image(2), 0.5, 0.25),
        RuntimeError,
        "rrelu: lower must be at most upper, got 0.5 and 0.25",
    ),
    "rrelu_with_noise": (
        lambda: ATEN.rrelu_with_noise(image(2), image(3), 0.25, 0.5, True),
        RuntimeError,
        "rrelu_with_noise: noise must have the sizes and dtype of self, [2] and float32, "
        "got [3] and float32",
    ),
    "embedding_bag": (
        lambda: ATEN.embedding_bag.padding_idx(
            image(3, 2), ow.tensor([0]), ow.tensor([0]), False, 0, False, None, False, 3
        ),
        ValueError,
        "embedding_bag: padding_idx must be within the 3 rows of weight, got 3",
    ),
    "embedding_renorm_": (
        lambda: ATEN.embedding_renorm_(image(3), ow.tensor([0]), 1.0, 2.0),
        RuntimeError,
        "embedding_renorm_: self must have two dimensions, got float32[3]",
    ),
    "antialiased sizes": (
        lambda: ATEN._upsample_bilinear2d_aa(image(1, 1, 2, 2), [0, 2], False),
        ValueError,
        "_upsample_bilinear2d_aa: sizes of planes must be positive, got input [1, 1, 2, 2] and "
        "output_size [0, 2]",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_the_error_is_in_the_terms_of_the_user(name):
    call, kind, text = CASES[name]

    with pytest.raises(kind) as caught:
        call()

    assert text in str(caught.value)

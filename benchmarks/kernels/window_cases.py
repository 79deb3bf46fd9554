"""Windows, sampling and losses of Opwright and torch on the same inputs."""

import numpy


def floats(package, *sizes):
    generator = numpy.random.default_rng(4)
    return package.from_numpy(generator.random(sizes, dtype=numpy.float32))


def ints(package, below, *sizes):
    return package.from_numpy(numpy.random.default_rng(5).integers(0, below, sizes))


def image_cases(package):
    """Return {name: function without arguments}; `package` is opwright or torch."""
    ops = package.ops.aten
    x = floats(package, 4, 16, 64, 64)
    samples = floats(package, 4, 16, 2)
    volume, points = floats(package, 2, 4, 16, 32, 32), floats(package, 2, 16, 32, 32, 3)
    pooled, places = ops.max_pool2d_with_indices.default(x, [2, 2])
    columns = ops.im2col.default(x, [3, 3], [1, 1], [1, 1], [1, 1])
    fractional, small = ops.fractional_max_pool2d.default, [40, 40]
    values, where = fractional(x, [2, 2], small, samples)
    smooth, cubic = ops._upsample_bilinear2d_aa.default, ops._upsample_bicubic2d_aa.default
    smooth_back = ops._upsample_bilinear2d_aa_backward.default
    shrunk = smooth(x, [24, 24], False)
    return {
        "im2col 3x3": lambda: ops.im2col.default(x, [3, 3], [1, 1], [1, 1], [1, 1]),
        "col2im 3x3": lambda: ops.col2im.default(columns, [64, 64], [3, 3], [1, 1], [1, 1], [1, 1]),
        "fractional_max_pool2d": lambda: fractional(x, [2, 2], small, samples),
        "fractional_max_pool2d_backward": lambda: ops.fractional_max_pool2d_backward.default(
            values, x, [2, 2], small, where
        ),
        "max_unpool2d": lambda: ops.max_unpool2d.default(pooled, places, [64, 64]),
        "grid_sampler_3d": lambda: ops.grid_sampler_3d.default(volume, points, 0, 0, False),
        "antialiased bilinear resize": lambda: smooth(x, [24, 24], False),
        "antialiased bilinear resize, backward": lambda: smooth_back(
            shrunk, [24, 24], [4, 16, 64, 64], False
        ),
        "antialiased bicubic resize": lambda: cubic(x, [24, 24], False),
        "pixel_shuffle": lambda: ops.pixel_shuffle.default(x, 2),
        "pixel_unshuffle": lambda: ops.pixel_unshuffle.default(x, 2),
        "channel_shuffle": lambda: ops.channel_shuffle.default(x, 4),
    }


def other_image_cases(package):
    """Return the cases of the backwards of windows and samplings, and of volumes, as above."""
    ops = package.ops.aten
    x, volume = floats(package, 4, 16, 64, 64), floats(package, 2, 4, 16, 32, 32)
    grid, points = floats(package, 4, 64, 64, 2) * 2 - 1, floats(package, 2, 16, 32, 32, 3) * 2 - 1
    sample, sample_back = ops.grid_sampler_2d.default, ops.grid_sampler_2d_backward.default
    sample_back_3d = ops.grid_sampler_3d_backward.default
    fractional, samples = ops.fractional_max_pool3d.default, floats(package, 2, 4, 3)
    fractional_back = ops.fractional_max_pool3d_backward.default
    fraction, where = fractional(volume, [2, 2, 2], [10, 20, 20], samples)
    pooled, places = ops.max_pool3d_with_indices.default(volume, [2, 2, 2])
    unpool = ops.max_unpool3d.default
    cubic, lanczos = ops._upsample_bicubic2d_aa, ops._upsample_lanczos2d_aa
    cubic_back = ops._upsample_bicubic2d_aa_backward.default
    lanczos_back = ops._upsample_lanczos2d_aa_backward.default
    shrunk = cubic.default(x, [24, 24], False)
    both = [True, True]
    return {
        "grid_sampler_2d": lambda: sample(x, grid, 0, 0, False),
        "grid_sampler_2d, bicubic": lambda: sample(x, grid, 2, 1, True),
        "grid_sampler_2d_backward": lambda: sample_back(x, x, grid, 0, 0, False, both),
        "grid_sampler_3d_backward": lambda: sample_back_3d(
            volume, volume, points, 0, 0, False, both
        ),
        "max_unpool3d": lambda: unpool(pooled, places, [16, 32, 32], [2, 2, 2], [0, 0, 0]),
        "fractional_max_pool3d": lambda: fractional(volume, [2, 2, 2], [10, 20, 20], samples),
        "fractional_max_pool3d_backward": lambda: fractional_back(
            fraction, volume, [2, 2, 2], [10, 20, 20], where
        ),
        "antialiased bicubic resize, backward": lambda: cubic_back(
            shrunk, [24, 24], [4, 16, 64, 64], False
        ),
        "antialiased lanczos resize": lambda: lanczos.default(x, [24, 24], False),
        "antialiased lanczos resize, backward": lambda: lanczos_back(
            shrunk, [24, 24], [4, 16, 64, 64], False
        ),
    }


def other_product_cases(package):
    """Return the cases of remaining products and of writes by index, as above."""
    ops = package.ops.aten
    x, column, row = floats(package, 512, 512), floats(package, 512), floats(package, 512)
    one, other = floats(package, 16, 128, 64), floats(package, 16, 64, 128)
    sum = floats(package, 128, 128)
    times, kernel, bias = (
        floats(package, 64, 8, 32),
        floats(package, 3, 32, 64),
        floats(package, 64),
    )
    places, values = ints(package, 512 * 512, 4096), floats(package, 4096)
    table, rows = floats(package, 4096, 64), ints(package, 4096, 8192)
    begins, noise = package.arange(0, 8192, 8), package.zeros(512, 512)
    bag = ops._embedding_bag_forward_only.default
    return {
        "addr 512x512": lambda: ops.addr.default(x, column, row),
        "addbmm 16 of 128x64x128": lambda: ops.addbmm.default(sum, one, other),
        "conv_tbc": lambda: ops.conv_tbc.default(times, kernel, bias, 1),
        "put": lambda: ops.put.default(x, places, values),
        "put, accumulating": lambda: ops.put.default(x, places, values, True),
        "renorm of rows": lambda: ops.renorm.default(x, 2, 0, 5),
        "diag_embed": lambda: ops.diag_embed.default(x[:64]),
        "rrelu_with_noise": lambda: ops.rrelu_with_noise.default(x, noise, 0.1, 0.3, True),
        "embedding_bag, mean": lambda: bag(table, rows, begins, False, 1),
        "embedding_bag, max": lambda: bag(table, rows, begins, False, 2),
    }


def loss_cases(package):
    """Return the cases of losses and tables, as above."""
    ops = package.ops.aten
    log_probs = package.log_softmax(floats(package, 100, 16, 32), 2)
    targets = ints(package, 31, 16, 20) + 1
    frames, lengths = [100] * 16, [20] * 16
    loss, alpha = ops._ctc_loss.default(log_probs, targets, frames, lengths)
    backward = ops._ctc_loss_backward.default
    scores, classes = floats(package, 512, 256), ints(package, 256, 512)
    lists = package.from_numpy(numpy.full((512, 256), -1))
    lists[:, :8] = ints(package, 256, 512, 8)
    table, rows = floats(package, 4096, 64), ints(package, 4096, 8192)
    begins = package.arange(0, 8192, 8)
    margin, labels = ops.multi_margin_loss.default, ops.multilabel_margin_loss_forward.default
    output, marks = labels(scores, lists, 1)
    weight, x = floats(package, 64, 64, 64), floats(package, 256, 64)
    return {
        "ctc_loss": lambda: ops._ctc_loss.default(log_probs, targets, frames, lengths),
        "ctc_loss, backward": lambda: backward(
            loss, log_probs, targets, frames, lengths, loss, alpha, 0
        ),
        "multi_margin_loss": lambda: margin(scores, classes),
        "multilabel_margin_loss": lambda: labels(scores, lists, 1),
        "multilabel_margin_loss, backward": lambda: ops.multilabel_margin_loss_backward.default(
            output, scores, lists, 1, marks
        ),
        "embedding_bag": lambda: ops.embedding_bag.default(table, rows, begins),
        "bilinear 64x64x64": lambda: ops.bilinear.default(x, x, weight),
    }

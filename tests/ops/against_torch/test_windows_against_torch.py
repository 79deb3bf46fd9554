"""Seeded random calls of pooling, interpolation, distances and bags match torch."""
# Covers: src/ops/sampling/*.

import opwright as ow
import pytest

from .torch_referee import Calls, check_against_torch, torch

FLOATS = ["float32", "float64", "float16", "bfloat16"]
INTS = ["uint8", "int8", "int32", "int64"]


def image(calls: Calls, ndim: int, dtype: str) -> torch.Tensor:
    """Return planes of `ndim` dimensions with channels and often a batch, in some memory format."""
    batch = [calls.random.randint(0 if calls.random.random() < 0.1 else 1, 3)]
    sizes = [calls.random.randint(1, 4), *(calls.random.randint(3, 9) for _ in range(ndim))]
    if calls.random.random() < 0.25:
        return calls.tensor(sizes, dtype)
    x = calls.tensor(batch + sizes, dtype)
    formats = {2: torch.channels_last, 3: torch.channels_last_3d}
    if ndim in formats and calls.random.random() < 0.4:
        return x.to(memory_format=formats[ndim])
    return x


def window(calls: Calls, ndim: int, dilates: bool) -> list[list[int]]:
    """Return kernel_size, stride, padding and maybe dilation, as one number or one per dim."""
    single = calls.random.random() < 0.3

    def pick(low: int, high: int) -> list[int]:
        return [calls.random.randint(low, high) for _ in range(1 if single else ndim)]

    kernel = pick(1, 4)
    stride = [] if calls.random.random() < 0.3 else pick(1, 3)
    padding = [calls.random.randint(0, size // 2) for size in kernel]
    return [kernel, stride, padding, *([pick(1, 2)] if dilates else [])]


def like(calls: Calls, tensor: torch.Tensor) -> torch.Tensor:
    return calls.tensor(list(tensor.shape), str(tensor.dtype).removeprefix("torch."))


def average_pool_calls(calls: Calls) -> None:
    for _ in range(120):
        ndim = calls.random.choice([2, 3])
        x = image(calls, ndim, calls.dtype(["int64", *(FLOATS if ndim == 2 else FLOATS[:2])]))
        kernel, stride, padding = window(calls, ndim, dilates=False)
        ceil, counts = calls.random.random() < 0.5, calls.random.random() < 0.5
        divisor = calls.random.choice([None, None, 3, -2, 0])
        args = (kernel, stride, padding, ceil, counts, divisor)
        calls.add(f"aten::avg_pool{ndim}d", x, *args)
        if divisor == 0:
            continue
        try:
            y = getattr(torch.ops.aten, f"avg_pool{ndim}d")(x, *args)
        except RuntimeError:
            continue
        calls.add(f"aten::avg_pool{ndim}d_backward", like(calls, y), x, *args)
        if ndim == 2:
            line = calls.tensor([3, 7], calls.dtype(FLOATS))
            calls.add("aten::avg_pool1d", line, kernel[:1], stride[:1], padding[:1], ceil, counts)


def max_pool_calls(calls: Calls) -> None:
    for _ in range(120):
        ndim = calls.random.choice([2, 3])
        x = image(calls, ndim, calls.dtype([*FLOATS, *INTS]))
        if ndim == 3 and (x.dim() == 4 or not x.is_floating_point()):
            x = x.contiguous()  # torch rejects other layouts
        args = (*window(calls, ndim, dilates=True), calls.random.random() < 0.5)
        if x.dtype in (torch.float32, torch.float64) and calls.random.random() < 0.3:
            x[..., ::2] = calls.random.choice([float("nan"), -float("inf"), 1.0])
        calls.add(f"aten::max_pool{ndim}d_with_indices", x, *args)
        calls.add(f"aten::max_pool{ndim}d", x, *args)
        try:
            y, indices = getattr(torch.ops.aten, f"max_pool{ndim}d_with_indices")(x, *args)
        except RuntimeError:
            continue
        plane = x[(0,) * (x.dim() - ndim)].numel() if x.numel() else 1
        if x.is_floating_point() and bool((indices < plane).all()):
            grad = like(calls, y).contiguous()
            calls.add(f"aten::max_pool{ndim}d_with_indices_backward", grad, x, *args, indices)
        line = calls.tensor([2, 3, 9], calls.dtype(FLOATS))
        calls.add("aten::max_pool1d_with_indices", line, *(part[:1] for part in args[:4]), args[4])
        calls.add("aten::max_pool1d", line, *(part[:1] for part in args[:4]), args[4])


def adaptive_pool_calls(calls: Calls) -> None:
    for _ in range(100):
        ndim = calls.random.choice([2, 3])
        x = image(calls, ndim, calls.dtype(FLOATS))
        size = [calls.random.randint(0 if calls.random.random() < 0.1 else 1, 12)] * ndim
        size[0] = calls.random.randint(1, 5)
        calls.add(f"aten::_adaptive_avg_pool{ndim}d", x, size)
        calls.add(f"aten::adaptive_avg_pool{ndim}d", x, size)
        calls.add(f"aten::adaptive_max_pool{ndim}d", x, size)
        y, indices = getattr(torch.ops.aten, f"adaptive_max_pool{ndim}d")(x, size)
        if y.numel():
            calls.add(f"aten::_adaptive_avg_pool{ndim}d_backward", like(calls, y), x)
            calls.add(f"aten::adaptive_max_pool{ndim}d_backward", like(calls, y), x, indices)
        line = calls.tensor([2, 3, 9], calls.dtype(FLOATS))
        calls.add("aten::adaptive_avg_pool1d", line, size[:1])
        calls.add("aten::adaptive_max_pool1d", line, size[:1])


RESAMPLING = {
    "upsample_nearest1d": (1, False),
    "upsample_nearest2d": (2, False),
    "upsample_nearest3d": (3, False),
    "_upsample_nearest_exact1d": (1, False),
    "_upsample_nearest_exact2d": (2, False),
    "_upsample_nearest_exact3d": (3, False),
    "upsample_linear1d": (1, True),
    "upsample_bilinear2d": (2, True),
    "upsample_trilinear3d": (3, True),
    "upsample_bicubic2d": (2, True),
}


def upsample_calls(calls: Calls) -> None:
    for _ in range(240):
        op, (ndim, aligns) = calls.random.choice(list(RESAMPLING.items()))
        x = image(calls, ndim, calls.dtype(FLOATS if aligns and ndim != 2 else ["uint8", *FLOATS]))
        corners = [calls.random.random() < 0.5] if aligns else []
        size = [calls.random.choice([1, 2, 5, 8, 13]) for _ in range(ndim)]
        factors = [calls.random.choice([0.5, 1.0, 1.5, 2.0, 2.3]) for _ in range(ndim)]
        calls.add(f"aten::{op}", x, size, *corners)
        scaled = [int(each * by) for each, by in zip(x.shape[-ndim:], factors, strict=True)]
        calls.add(f"aten::{op}", x, scaled, *corners, *factors)
        calls.add(f"aten::{op}.vec", x, size, *corners, None)
        if x.dim() == ndim + 2 and x.is_floating_point() and x.numel():
            grad = image(calls, ndim, calls.dtype(FLOATS))
            if grad.dim() == ndim + 2:
                shape = [*grad.shape[:2], *x.shape[2:]]
                args = (grad, list(grad.shape[2:]), shape, *corners)
                calls.add(f"aten::{op}_backward", *args)
                calls.add(f"aten::{op}_backward", *args, *factors)


def column_calls(calls: Calls) -> None:
    for _ in range(120):
        x = image(calls, 2, calls.dtype(["bool", "complex64", *FLOATS]))
        kernel, dilation, padding, stride = (
            [calls.random.randint(low, high) for _ in range(2)]
            for low, high in [(1, 3), (1, 2), (0, 2), (1, 3)]
        )
        calls.add("aten::im2col", x, kernel, dilation, padding, stride)
        try:
            y = torch.ops.aten.im2col(x, kernel, dilation, padding, stride)
        except RuntimeError:
            continue
        size = list(x.shape[-2:])
        calls.add("aten::col2im", like(calls, y), size, kernel, dilation, padding, stride)
        size[0] += calls.random.randint(0, 1)
        calls.add("aten::col2im", like(calls, y), size, kernel, dilation, padding, stride)


def grid_calls(calls: Calls) -> None:
    for _ in range(120):
        dtype = calls.dtype(FLOATS[:2])
        batch = calls.random.randint(1, 3)
        sizes = [batch, *(calls.random.randint(1, 5) for _ in range(3))]
        x = calls.tensor(sizes, dtype)
        grid = calls.tensor([batch, 3, 4, 2], dtype)
        mode, padding = calls.random.randint(0, 2), calls.random.randint(0, 2)
        corners = calls.random.random() < 0.5
        calls.add("aten::grid_sampler_2d", x, grid, mode, padding, corners)
        grad = calls.tensor([batch, x.shape[1], 3, 4], dtype)
        args = (grad, x, grid, mode, padding, corners, [calls.random.random() < 0.7, True])
        calls.add("aten::grid_sampler_2d_backward", *args)


def many_channel_grid_calls(calls: Calls) -> None:
    for channels in (1, 2, 4, 7, 8, 9, 16, 19, 40):
        for mode in (0, 1, 2):
            dtype = calls.dtype(FLOATS[:2])
            x = calls.tensor([2, channels, 6, 5], dtype)
            if calls.random.random() < 0.5:
                x = x.to(memory_format=torch.channels_last)
            grid = calls.tensor([2, 9, 11, 2], dtype)
            grad = calls.tensor([2, channels, 9, 11], dtype)
            args = (grad, x, grid, mode, calls.random.randint(0, 2), False, [True, True])
            calls.add("aten::grid_sampler_2d_backward", *args)


def volume_grid_calls(calls: Calls) -> None:
    for _ in range(120):
        dtype = calls.dtype(FLOATS[:2])
        batch = calls.random.randint(1, 2)
        x = calls.tensor([batch, *(calls.random.randint(1, 4) for _ in range(4))], dtype)
        grid = calls.tensor([batch, 2, 3, 4, 3], dtype)
        mode, padding = calls.random.randint(0, 1), calls.random.randint(0, 2)
        corners = calls.random.random() < 0.5
        calls.add("aten::grid_sampler_3d", x, grid, mode, padding, corners)
        calls.add("aten::grid_sampler", x, grid, mode, padding, corners)
        grad = calls.tensor([batch, x.shape[1], 2, 3, 4], dtype)
        args = (grad, x, grid, mode, padding, corners, [True, True])
        calls.add("aten::grid_sampler_3d_backward", *args)


def affine_grid_calls(calls: Calls) -> None:
    for _ in range(60):
        ndim = calls.random.choice([2, 3])
        theta = calls.tensor([2, ndim, ndim + 1], calls.dtype(FLOATS[:2]))
        size = [2, 3, *(calls.random.randint(1, 5) for _ in range(ndim))]
        corners = calls.random.random() < 0.5
        calls.add("aten::affine_grid_generator", theta, size, corners)
        grad = calls.tensor([2, *size[2:], ndim], str(theta.dtype).removeprefix("torch."))
        calls.add("aten::affine_grid_generator_backward", grad.contiguous(), size, corners)


def antialiased_calls(calls: Calls) -> None:
    for _ in range(160):
        kind = calls.random.choice(["bilinear", "bicubic", "lanczos"])
        op = f"_upsample_{kind}2d_aa"
        x = image(calls, 2, calls.dtype(["uint8", "float32", "float64"]))
        corners = kind != "lanczos" and calls.random.random() < 0.4
        # Not to one column: torch 2.13 then repeats the first row of the result.
        size = [calls.random.choice([1, 2, 3, 5, 8, 13]), calls.random.choice([2, 3, 5, 8])]
        factors = [calls.random.choice([0.5, 1.0, 1.5, 0.3]), calls.random.choice([1.0, 1.5, 0.7])]
        calls.add(f"aten::{op}", x, size, corners)
        scaled = [int(each * by) for each, by in zip(x.shape[-2:], factors, strict=True)]
        calls.add(f"aten::{op}", x, scaled, corners, *factors)
        calls.add(f"aten::{op}.vec", x, size, corners, None)
        if x.dim() == 4 and x.is_floating_point() and x.numel():
            grad = calls.tensor([*x.shape[:2], *size], str(x.dtype).removeprefix("torch."))
            shape = list(x.shape)
            calls.add(f"aten::{op}_backward", grad.contiguous(), size, shape, corners)


def fractional_calls(calls: Calls) -> None:
    for _ in range(120):
        ndim = calls.random.choice([2, 3])
        x = image(calls, ndim, calls.dtype(FLOATS[:2])).contiguous()
        has_batch = x.dim() == ndim + 2
        samples = torch.rand([x.shape[0] if has_batch else 1, x.shape[-ndim - 1], ndim])
        kernel = [calls.random.randint(1, 3) for _ in range(ndim)]
        # torch refuses windows that cover a volume exactly.
        room = [each - k - (ndim == 3) + 1 for each, k in zip(x.shape[-ndim:], kernel, strict=True)]
        size = [calls.random.randint(1, max(1, each)) for each in room]
        if min(room) < 1:
            continue
        args = (kernel, size, samples.to(x.dtype))
        calls.add(f"aten::fractional_max_pool{ndim}d", x, *args)
        try:
            y, indices = getattr(torch.ops.aten, f"fractional_max_pool{ndim}d")(x, *args)
        except RuntimeError:
            continue
        if x.numel():
            grad = like(calls, y).contiguous()
            op = f"aten::fractional_max_pool{ndim}d_backward"
            calls.add(op, grad, x, kernel, size, indices)


def unpool_calls(calls: Calls) -> None:
    for _ in range(80):
        ndim = calls.random.choice([2, 3])
        x = image(calls, ndim, calls.dtype(FLOATS[:2])).contiguous()
        y, indices = getattr(torch.ops.aten, f"max_pool{ndim}d_with_indices")(x, [2] * ndim)
        if not y.numel():
            continue
        size = [each + calls.random.randint(0, 1) for each in x.shape[-ndim:]]
        rest = [] if ndim == 2 else [[2, 2, 2], [0, 0, 0]]
        calls.add(f"aten::max_unpool{ndim}d", y, indices, size, *rest)


def shuffle_calls(calls: Calls) -> None:
    for _ in range(80):
        factor = calls.random.randint(1, 3)
        lead = calls.random.choice([[], [2], [2, 1]])
        dtype = calls.dtype([*FLOATS, *INTS])
        x = calls.tensor([*lead, 2 * factor * factor, 2, 3], dtype)
        calls.add("aten::pixel_shuffle", x, factor)
        calls.add(
            "aten::pixel_unshuffle", calls.tensor([*lead, 2, 2 * factor, factor], dtype), factor
        )
        y = calls.tensor([2, 6, *([3] * calls.random.randint(1, 3))], calls.dtype(FLOATS[:2]))
        calls.add("aten::channel_shuffle", y, calls.random.choice([1, 2, 3, 6]))
        calls.add("aten::native_channel_shuffle", y, 2)


def product_calls(calls: Calls) -> None:
    for _ in range(60):
        dtype = calls.dtype(FLOATS[:2])
        lead = calls.random.choice([[], [3], [2, 3]])
        i, j, k = (calls.random.randint(1, 4) for _ in range(3))
        bias = calls.tensor([k], dtype) if calls.random.random() < 0.5 else None
        a, b = calls.tensor([*lead, i], dtype), calls.tensor([*lead, j], dtype)
        calls.add("aten::bilinear", a, b, calls.tensor([k, i, j], dtype), bias)
        parts = [calls.tensor(sizes, dtype) for sizes in ([2, i], [k, i, j], [2, j])]
        calls.add("aten::_trilinear", *parts, [1, 3], [0], [1, 2], [2, 3], 1)
        x = calls.tensor([6, 2, i], dtype).contiguous()
        calls.add(
            "aten::conv_tbc",
            x,
            calls.tensor([3, i, j], dtype).contiguous(),
            calls.tensor([j], dtype),
            1,
        )


def renorm_calls(calls: Calls) -> None:
    for _ in range(60):
        weight = calls.tensor([6, 3], calls.dtype(FLOATS[:2]))
        rows = torch.tensor([calls.random.randrange(6) for _ in range(4)])
        p = calls.random.choice([1.0, 2.0, 3.0, float("inf")])
        calls.add("aten::embedding_renorm_", weight, rows, 0.75, p)


def distance_calls(calls: Calls) -> None:
    for _ in range(80):
        dtype = calls.dtype(FLOATS[:2])
        p = calls.random.choice([0.0, 0.5, 1.0, 1.7, 2.0, 3.0, float("inf")])
        columns = calls.random.choice([0, 1, 3, 40])
        a = calls.tensor([*calls.random.choice([[], [2], [2, 1]]), 4, columns], dtype)
        b = calls.tensor([*calls.random.choice([[], [2], [1, 3]]), 5, columns], dtype)
        calls.add("aten::_cdist_forward", a, b, p, calls.random.choice([None, 2]))
        calls.add("aten::_pdist_forward", calls.tensor([4, columns], dtype).contiguous(), p)


def bag_calls(calls: Calls) -> None:
    for _ in range(150):
        dtype = calls.dtype(FLOATS)
        weight = calls.tensor([6, calls.random.choice([1, 4, 17])], dtype)
        count = calls.random.randint(0, 12)
        indices = torch.randint(0, 6, (count,)).to(calls.random.choice([torch.int64, torch.int32]))
        last = calls.random.random() < 0.4
        offsets = [0, *sorted(calls.random.randint(0, count) for _ in range(3))]
        if last:
            offsets.append(count)
        mode = calls.random.randint(0, 2)
        scales = calls.tensor([count], dtype) if mode == 0 and calls.random.random() < 0.5 else None
        padding = calls.random.choice([-1, -1, 0, 3])
        offsets = torch.tensor(offsets, dtype=calls.random.choice([torch.int64, indices.dtype]))
        args = (weight, indices, offsets, False, mode, False, scales, last, padding)
        calls.add("aten::_embedding_bag", *args)
        if not last:  # without a gradient torch leaves the last offset in two of the results
            padding = calls.random.choice([None, -2, 3])
            calls.add("aten::embedding_bag.padding_idx", *args[:-1], padding)
            calls.add("aten::embedding_bag", *args[:-1])


def pad_backward_calls(calls: Calls) -> None:
    for _ in range(120):
        ndim = calls.random.randint(1, 3)
        x = image(calls, ndim, calls.dtype([*FLOATS, "complex64"]))
        pad = [calls.random.randint(-1, 3) for _ in range(2 * ndim)]
        for kind in ("reflection", "replication"):
            try:
                y = getattr(torch.ops.aten, f"{kind}_pad{ndim}d")(x, pad)
            except RuntimeError:
                continue
            calls.add(f"aten::{kind}_pad{ndim}d_backward", like(calls, y), x, pad)


@pytest.mark.parametrize(
    "make_calls",
    [
        average_pool_calls,
        max_pool_calls,
        adaptive_pool_calls,
        upsample_calls,
        column_calls,
        grid_calls,
        many_channel_grid_calls,
        volume_grid_calls,
        affine_grid_calls,
        antialiased_calls,
        fractional_calls,
        unpool_calls,
        shuffle_calls,
        product_calls,
        renorm_calls,
        distance_calls,
        bag_calls,
        pad_backward_calls,
    ],
)
@pytest.mark.parametrize("seed", [1, 3])
def test_calls_give_what_torch_gives(make_calls, seed):
    check_against_torch(make_calls, seed)


@pytest.mark.parametrize("padding_mode", [0, 1, 2])
@pytest.mark.parametrize("align", [False, True])
def test_a_position_of_nan_in_an_image_or_a_volume_is_that_of_torch(padding_mode, align):
    nan = float("nan")
    image = torch.arange(1.0, 13).reshape(1, 1, 3, 4)
    grid = torch.tensor([[[[nan, 0.5], [0.5, nan], [nan, nan], [0.25, -0.5], [-3.0, 0.5]]]])
    volume = torch.arange(1.0, 25).reshape(1, 1, 2, 3, 4)
    points = torch.tensor([[[[[nan, 0.5, 0.0], [0.5, nan, 0.0], [0.5, 0.0, nan]]]]])
    calls = [("grid_sampler_2d", image, grid, mode) for mode in (0, 1, 2)]
    calls += [("grid_sampler_3d", volume, points, mode) for mode in (0, 1)]

    for name, x, places, mode in calls:
        expected = getattr(torch.ops.aten, name)(x, places, mode, padding_mode, align)
        actual = getattr(ow.ops.aten, name)(
            ow.from_numpy(x.numpy()), ow.from_numpy(places.numpy()), mode, padding_mode, align
        )
        torch.testing.assert_close(torch.from_numpy(actual.numpy()), expected, equal_nan=True)

"""Windows as columns, images sampled at positions, and the exchange of channels and positions."""

import warnings
from collections.abc import Sequence

from ... import Tensor, ops
from ..types import SizeLike, repeat

__all__ = [
    "affine_grid",
    "channel_shuffle",
    "fold",
    "grid_sample",
    "native_channel_shuffle",
    "pixel_shuffle",
    "pixel_unshuffle",
    "unfold",
]

# By the number that operators use.
_MODES = ("bilinear", "nearest", "bicubic")
_OUTSIDE = ("zeros", "border", "reflection")


def unfold(
    input: Tensor,
    kernel_size: SizeLike,
    dilation: SizeLike = 1,
    padding: SizeLike = 0,
    stride: SizeLike = 1,
) -> Tensor:
    """Return the windows of (N, C, H, W) as columns: (N, C * window, windows).

    >>> ow.nn.functional.unfold(ow.arange(4.0).reshape(1, 1, 2, 2), (1, 2))
    tensor([[[0., 2.],
             [1., 3.]]])
    """
    return ops.aten.im2col(
        input, repeat(kernel_size, 2), repeat(dilation, 2), repeat(padding, 2), repeat(stride, 2)
    )


def fold(
    input: Tensor,
    output_size: SizeLike,
    kernel_size: SizeLike,
    dilation: SizeLike = 1,
    padding: SizeLike = 0,
    stride: SizeLike = 1,
) -> Tensor:
    """Return the image whose windows are the columns; elements of several windows are summed.

    >>> ow.nn.functional.fold(ow.ones(1, 2, 2), (1, 3), (1, 2))
    tensor([[[[1., 2., 1.]]]])
    """
    return ops.aten.col2im(
        input,
        repeat(output_size, 2),
        repeat(kernel_size, 2),
        repeat(dilation, 2),
        repeat(padding, 2),
        repeat(stride, 2),
    )


def _read_align_corners(who: str, align_corners: bool | None) -> bool:
    if align_corners is None:
        warnings.warn(f"{who}: align_corners is False by default; give it a value", stacklevel=3)
    return bool(align_corners)


def grid_sample(
    input: Tensor,
    grid: Tensor,
    mode: str = "bilinear",
    padding_mode: str = "zeros",
    align_corners: bool | None = None,
) -> Tensor:
    """Return an image or a volume at the positions of a grid, from -1 to 1, x first.

    >>> x = ow.arange(4.0).reshape(1, 1, 2, 2)
    >>> ow.nn.functional.grid_sample(x, ow.zeros(1, 1, 1, 2), align_corners=False)
    tensor([[[[1.5000]]]])

    `mode` is bilinear, nearest or bicubic; `padding_mode` is zeros, border or reflection.
    """
    if mode not in _MODES:
        raise ValueError(f"grid_sample: mode must be one of {', '.join(_MODES)}, got {mode!r}")
    if padding_mode not in _OUTSIDE:
        raise ValueError(
            f"grid_sample: padding_mode must be one of {', '.join(_OUTSIDE)}, got {padding_mode!r}"
        )
    aligned = _read_align_corners("grid_sample", align_corners)
    return ops.aten.grid_sampler(
        input, grid, _MODES.index(mode), _OUTSIDE.index(padding_mode), aligned
    )


def affine_grid(theta: Tensor, size: Sequence[int], align_corners: bool | None = None) -> Tensor:
    """Return the grid of an affine map, one matrix for each image of the given sizes.

    >>> identity = ow.tensor([[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]])
    >>> ow.nn.functional.affine_grid(identity, [1, 1, 1, 2], align_corners=False)
    tensor([[[[-0.5000,  0.0000],
              [ 0.5000,  0.0000]]]])
    """
    if not theta.is_floating_point():
        raise ValueError(f"affine_grid: theta must be floating, got {theta.dtype}")
    count = len(size) - 2
    if count not in (2, 3):
        raise NotImplementedError(
            f"affine_grid: size must be that of a batch of images or volumes, got {list(size)}"
        )
    if theta.ndim != 3 or tuple(theta.shape[1:]) != (count, count + 1):
        raise ValueError(
            f"affine_grid: theta must be [batch, {count}, {count + 1}] for size {list(size)}, got "
            f"sizes {list(theta.shape)}"
        )
    aligned = _read_align_corners("affine_grid", align_corners)
    return ops.aten.affine_grid_generator(theta, size, aligned)


def pixel_shuffle(input: Tensor, upscale_factor: int) -> Tensor:
    """Move groups of factor ** 2 channels to positions: (C * r * r, H, W) to (C, H * r, W * r).

    >>> ow.nn.functional.pixel_shuffle(ow.arange(4.0).reshape(4, 1, 1), 2)
    tensor([[[0., 1.],
             [2., 3.]]])
    """
    return ops.aten.pixel_shuffle(input, upscale_factor)


def pixel_unshuffle(input: Tensor, downscale_factor: int) -> Tensor:
    """Move positions to channels, which undoes pixel_shuffle.

    >>> ow.nn.functional.pixel_unshuffle(ow.ones(1, 4, 4), 2).shape
    (4, 2, 2)
    """
    return ops.aten.pixel_unshuffle(input, downscale_factor)


def channel_shuffle(input: Tensor, groups: int) -> Tensor:
    """Interleave the groups of channels of (N, C, ...).

    >>> ow.nn.functional.channel_shuffle(ow.arange(4.0).reshape(1, 4, 1), 2).flatten()
    tensor([0., 2., 1., 3.])
    """
    return ops.aten.channel_shuffle(input, groups)


def native_channel_shuffle(input: Tensor, groups: int) -> Tensor:
    """Interleave the groups of channels of (N, C, ...).

    >>> ow.nn.functional.native_channel_shuffle(ow.arange(4.0).reshape(1, 4, 1), 2).flatten()
    tensor([0., 2., 1., 3.])
    """
    return ops.aten.native_channel_shuffle(input, groups)

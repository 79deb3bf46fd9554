"""Padding and resizing."""

from __future__ import annotations

from collections.abc import Sequence

import opwright as ow

from ... import Tensor, ops

__all__ = ["interpolate", "pad"]

_PADS = {"reflect": "reflection_pad", "replicate": "replication_pad"}


def pad(
    input: Tensor, pad: Sequence[int], mode: str = "constant", value: float | None = None
) -> Tensor:
    """Pad a tensor; `pad` has two counts for each dimension, last dimension first.

    >>> ow.nn.functional.pad(ow.ones(1, 2), (1, 2))
    tensor([[0., 1., 1., 0., 0.]])
    >>> ow.nn.functional.pad(ow.arange(3.0)[None, None], (2, 1), mode="circular")
    tensor([[[1., 2., 0., 1., 2., 0.]]])

    `mode` is constant, reflect, replicate or circular.
    """
    if mode == "constant":
        return ops.aten.constant_pad_nd(input, pad, 0 if value is None else value)
    if value:
        raise ValueError(f"pad: value is for mode 'constant' alone, got {value} with {mode!r}")
    if mode == "circular":
        return _pad_circular(input, pad)
    if mode not in _PADS:
        raise NotImplementedError(
            f"pad: mode must be 'constant', 'reflect', 'replicate' or 'circular', got {mode!r}"
        )
    count = len(pad) // 2
    if len(pad) % 2 or count not in (1, 2, 3) or input.ndim not in (count + 1, count + 2):
        raise NotImplementedError(
            f"pad: mode {mode!r} pads the last 1 to 3 dimensions of an input with one or two more, "
            f"got pad {list(pad)} and sizes {list(input.shape)}"
        )
    return getattr(ops.aten, f"{_PADS[mode]}{count}d")(input, pad)


def _pad_circular(input: Tensor, pad: Sequence[int]) -> Tensor:
    for i in range(len(pad) // 2):
        dim = input.ndim - 1 - i
        before, after = pad[2 * i], pad[2 * i + 1]
        # Cropped elements are not repeated on the other side.
        size = input.shape[dim] + min(before, 0) + min(after, 0)
        kept = input.narrow(dim, max(-before, 0), size)
        if before > size or after > size:
            raise RuntimeError(
                f"pad: mode 'circular' adds at most the {size} elements of dimension {dim}, "
                f"got {before} and {after}"
            )
        parts = [kept]
        if before > 0:
            parts.insert(0, kept.narrow(dim, size - before, before))
        if after > 0:
            parts.append(kept.narrow(dim, 0, after))
        input = ow.cat(parts, dim)
    return input


# By mode, then by the number of resized dimensions.
_UPSAMPLE = {
    "nearest": {1: "upsample_nearest1d", 2: "upsample_nearest2d", 3: "upsample_nearest3d"},
    "linear": {1: "upsample_linear1d"},
    "bilinear": {2: "upsample_bilinear2d"},
    "bicubic": {2: "upsample_bicubic2d"},
    "trilinear": {3: "upsample_trilinear3d"},
}


def interpolate(
    input: Tensor,
    size: int | Sequence[int] | None = None,
    scale_factor: float | Sequence[float] | None = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
    antialias: bool = False,
) -> Tensor:
    """Resize (N, C, ...) to given sizes or by a factor.

    >>> ow.nn.functional.interpolate(ow.arange(2.0).reshape(1, 1, 2), scale_factor=2)
    tensor([[[0., 0., 1., 1.]]])

    `mode` is nearest, linear, bilinear, bicubic or trilinear.
    """
    count = input.ndim - 2
    if mode not in _UPSAMPLE:
        raise NotImplementedError(
            f"interpolate: mode must be one of {', '.join(_UPSAMPLE)}, got {mode!r}"
        )
    if count not in _UPSAMPLE[mode]:
        dims = " or ".join(str(each + 2) for each in _UPSAMPLE[mode])
        raise NotImplementedError(
            f"interpolate: mode {mode!r} needs an input of {dims} dimensions, "
            f"got sizes {list(input.shape)}"
        )
    if antialias:
        raise NotImplementedError(
            "interpolate: antialias is not there; average with avg_pool first"
        )
    if (size is None) == (scale_factor is None):
        raise ValueError("interpolate: give either size or scale_factor")
    if mode == "nearest" and align_corners is not None:
        raise ValueError("interpolate: align_corners is not for mode 'nearest'")
    sizes = None if size is None else [int(each) for each in _each(size, count, "size")]
    factors = None
    if scale_factor is not None:
        factors = [float(each) for each in _each(scale_factor, count, "scale_factor")]
        if recompute_scale_factor:
            sizes = [int(n * f) for n, f in zip(input.shape[2:], factors, strict=True)]
            factors = None
    aligned = () if mode == "nearest" else (bool(align_corners),)
    return getattr(ops.aten, _UPSAMPLE[mode][count]).vec(input, sizes, *aligned, factors)


def _each(value: float | Sequence[float], count: int, name: str) -> tuple[float, ...]:
    values = tuple(value) if isinstance(value, Sequence) else (value,) * count
    if len(values) != count:
        raise ValueError(f"interpolate: {name} must be one number or {count}, got {len(values)}")
    return values

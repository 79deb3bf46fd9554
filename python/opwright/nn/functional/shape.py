"""Padding and resizing."""

from collections.abc import Sequence

from ... import Tensor, ops

__all__ = ["interpolate", "pad"]


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
    return ops.aten.pad(input, pad, mode, value)


# By mode, then by the number of resized dimensions.
_UPSAMPLE = {
    "nearest": {1: "upsample_nearest1d", 2: "upsample_nearest2d", 3: "upsample_nearest3d"},
    "linear": {1: "upsample_linear1d"},
    "bilinear": {2: "upsample_bilinear2d"},
    "bicubic": {2: "upsample_bicubic2d"},
    "nearest-exact": {
        1: "_upsample_nearest_exact1d",
        2: "_upsample_nearest_exact2d",
        3: "_upsample_nearest_exact3d",
    },
    "area": {1: "adaptive_avg_pool1d", 2: "adaptive_avg_pool2d", 3: "adaptive_avg_pool3d"},
    "trilinear": {3: "upsample_trilinear3d"},
}
_ANTIALIASED = {
    "bilinear": {2: "_upsample_bilinear2d_aa"},
    "bicubic": {2: "_upsample_bicubic2d_aa"},
    "lanczos": {2: "_upsample_lanczos2d_aa"},
}
_WITHOUT_CORNERS = ("nearest", "nearest-exact", "area")


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

    `mode` is nearest, nearest-exact, area, linear, bilinear, bicubic or trilinear; with `antialias`
    bilinear, bicubic or lanczos.
    """
    count = input.ndim - 2
    operators = _ANTIALIASED if antialias else _UPSAMPLE
    kind = ValueError if antialias else NotImplementedError
    if mode not in operators:
        if mode in _ANTIALIASED:
            raise ValueError(f"interpolate: mode {mode!r} needs antialias=True")
        with_it = " with antialias" if antialias else ""
        raise kind(
            f"interpolate: mode{with_it} must be one of {', '.join(operators)}, got {mode!r}"
        )
    if count not in operators[mode]:
        dims = " or ".join(str(each + 2) for each in operators[mode])
        raise kind(
            f"interpolate: mode {mode!r} needs an input of {dims} dimensions, "
            f"got sizes {list(input.shape)}"
        )
    if (size is None) == (scale_factor is None):
        raise ValueError("interpolate: give either size or scale_factor")
    if recompute_scale_factor and size is not None:
        raise ValueError(
            "interpolate: recompute_scale_factor is not meaningful with an explicit size; leave it "
            "out"
        )
    if mode in _WITHOUT_CORNERS and align_corners is not None:
        raise ValueError(f"interpolate: align_corners is not for mode {mode!r}")
    if mode == "lanczos" and align_corners:
        raise ValueError("interpolate: align_corners is not for mode 'lanczos'")
    sizes = None if size is None else [int(each) for each in _each(size, count, "size")]
    factors = None
    if scale_factor is not None:
        factors = [float(each) for each in _each(scale_factor, count, "scale_factor")]
        if recompute_scale_factor or mode == "area":
            sizes = [int(n * f) for n, f in zip(input.shape[2:], factors, strict=True)]
            factors = None
    run = getattr(ops.aten, operators[mode][count])
    if mode == "area":
        return run(input, sizes)
    aligned = () if mode in _WITHOUT_CORNERS else (bool(align_corners),)
    return run.vec(input, sizes, *aligned, factors)


def _each(value: float | Sequence[float], count: int, name: str) -> tuple[float, ...]:
    values = tuple(value) if isinstance(value, Sequence) else (value,) * count
    if len(values) != count:
        raise ValueError(f"interpolate: {name} must be one number or {count}, got {len(values)}")
    return values

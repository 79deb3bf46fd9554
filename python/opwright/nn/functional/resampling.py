"""Resizing under the older names of interpolate, which warn."""

import warnings
from collections.abc import Sequence

from ... import Tensor
from .shape import interpolate

__all__ = ["upsample", "upsample_bilinear", "upsample_nearest"]

Sizes = int | Sequence[int] | None
Factors = float | Sequence[float] | None


def _warn(name: str) -> None:
    warnings.warn(
        f"`nn.functional.{name}` is deprecated. Use `nn.functional.interpolate` instead.",
        stacklevel=3,
    )


def upsample(
    input: Tensor,
    size: Sizes = None,
    scale_factor: Factors = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
) -> Tensor:
    """Same as `interpolate`, under its old name.

    >>> import warnings
    >>> with warnings.catch_warnings(action="ignore"):
    ...     ow.nn.functional.upsample(ow.ones(1, 1, 2), scale_factor=2).shape
    (1, 1, 4)
    """
    _warn("upsample")
    return interpolate(input, size, scale_factor, mode, align_corners)


def upsample_nearest(input: Tensor, size: Sizes = None, scale_factor: Factors = None) -> Tensor:
    """Resize with mode "nearest".

    >>> import warnings
    >>> with warnings.catch_warnings(action="ignore"):
    ...     ow.nn.functional.upsample_nearest(ow.ones(1, 1, 2, 2), scale_factor=2).shape
    (1, 1, 4, 4)
    """
    _warn("upsample_nearest")
    return interpolate(input, size, scale_factor, mode="nearest")


def upsample_bilinear(input: Tensor, size: Sizes = None, scale_factor: Factors = None) -> Tensor:
    """Resize with mode "bilinear" and aligned corners.

    >>> import warnings
    >>> with warnings.catch_warnings(action="ignore"):
    ...     ow.nn.functional.upsample_bilinear(ow.ones(1, 1, 2, 2), scale_factor=2).shape
    (1, 1, 4, 4)
    """
    _warn("upsample_bilinear")
    return interpolate(input, size, scale_factor, mode="bilinear", align_corners=True)

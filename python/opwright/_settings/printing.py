"""How tensors are printed."""

from __future__ import annotations

from .. import _C

__all__ = ["set_printoptions"]

_UNLIMITED = 2**63 - 1
# Precision, threshold, edge items and line width.
_PROFILES = {
    "default": (4, 1000, 3, 80),
    "short": (2, 1000, 2, 80),
    "full": (4, _UNLIMITED, 3, 80),
}


def set_printoptions(
    precision: int | None = None,
    threshold: float | None = None,
    edgeitems: int | None = None,
    linewidth: int | None = None,
    profile: str | None = None,
    sci_mode: bool | None = None,
) -> None:
    """Set how tensors are printed, in the whole process; what is None stays as it is.

    Floats have `precision` digits after the point. Tensors of more than `threshold` elements show
    `edgeitems` at each end of a dimension. Lines have at most `linewidth` characters. `sci_mode`
    turns powers of ten on or off; with None, also if it is left out, the elements decide. `profile`
    is 'default', 'short' or 'full'.

    >>> import opwright.compat.torch as torch
    >>> torch.set_printoptions(precision=2, threshold=5)
    >>> torch.arange(10) / 3
    tensor([0.00, 0.33, 0.67,  ..., 2.33, 2.67, 3.00])
    >>> torch.set_printoptions(profile="default")
    >>> torch.tensor([1 / 3])
    tensor([0.3333])
    """
    if profile is not None and profile not in _PROFILES:
        raise ValueError(
            f"set_printoptions: profile must be 'default', 'short' or 'full', got {profile!r}"
        )
    before = _C.print_options()[:4] if profile is None else _PROFILES[profile]
    given = (precision, threshold, edgeitems, linewidth)
    wanted = [old if new is None else new for old, new in zip(before, given, strict=True)]
    _C.set_print_options(*(int(min(each, _UNLIMITED)) for each in wanted), sci_mode)

"""Operators that a device has no kernel for, run on the CPU by copying where that is allowed."""

from .. import _C
from .._undo import Undo


def allow_fallback(enabled: bool = True) -> Undo:
    """Run operators that a device has no kernel for on the CPU, on copies; of this thread.

    Each such call copies its tensors to the CPU and the results back, so that programs run before a
    device has all kernels; `fallback_counts` tells which ones are missing and how often.

    >>> with ow.allow_fallback():
    ...     y = ow.ones(2) + 1

    Under `with` it holds for its length, else until it is changed.
    """
    previous = _C.set_allows_fallback(enabled)
    return Undo(lambda: _C.set_allows_fallback(previous))


def fallback_counts() -> dict[str, int]:
    """Return how often each operator ran on the CPU for a device, most often first.

    >>> ow.reset_fallback_counts()
    >>> ow.fallback_counts()
    {}
    """
    return dict(_C.fallback_counts())


def reset_fallback_counts() -> None:
    """Begin to count anew.

    >>> ow.reset_fallback_counts()
    """
    _C.reset_fallback_counts()

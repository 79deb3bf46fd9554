"""CPU fallback for operators that a device has no kernel for."""

from .. import _C
from .._undo import Undo


def allow_fallback(enabled: bool = True) -> Undo:
    """Run operators that a device has no kernel for on the CPU, on copies, in this thread.

    Each such call copies its tensors to the CPU and the results back, so programs run before a
    device has all kernels. `fallback_counts` reports which kernels are missing and how often.

    >>> with ow.allow_fallback():
    ...     y = ow.ones(2) + 1

    In a `with` statement it applies to the block, otherwise until it is changed.
    """
    previous = _C.set_allows_fallback(enabled)
    return Undo(lambda: _C.set_allows_fallback(previous))


def fallback_counts() -> dict[str, int]:
    """Return how often each operator fell back to the CPU, most frequent first.

    >>> ow.reset_fallback_counts()
    >>> ow.fallback_counts()
    {}
    """
    return dict(_C.fallback_counts())


def reset_fallback_counts() -> None:
    """Reset the fallback counters.

    >>> ow.reset_fallback_counts()
    """
    _C.reset_fallback_counts()

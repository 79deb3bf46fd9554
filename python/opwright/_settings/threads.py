"""The number of threads, under the names of torch."""

from __future__ import annotations

from .. import _C

__all__ = ["get_num_interop_threads", "get_num_threads", "set_num_interop_threads"]


def get_num_threads() -> int:
    """Return how many threads the loops over elements use.

    >>> import opwright.compat.torch as torch
    >>> torch.get_num_threads() == ow.num_threads()
    True
    """
    return _C.num_threads()


def get_num_interop_threads() -> int:
    """Return 1: operators run one after the other.

    >>> import opwright.compat.torch as torch
    >>> torch.get_num_interop_threads()
    1
    """
    return 1


def set_num_interop_threads(n: int) -> None:
    """Accept 1 only: operators run one after the other.

    >>> import opwright.compat.torch as torch
    >>> torch.set_num_interop_threads(2)
    Traceback (most recent call last):
        ...
    NotImplementedError: set_num_interop_threads: operators run one after the other, ...
    """
    if n <= 0:
        raise RuntimeError(f"set_num_interop_threads: expected a positive number, got {n}")
    if n != 1:
        raise NotImplementedError(
            f"set_num_interop_threads: operators run one after the other, so only 1 is possible, "
            f"got {n}; set_num_threads sets the threads inside of an operator"
        )

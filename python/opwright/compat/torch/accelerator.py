"""torch.accelerator: the device, besides the CPU, that this machine computes with.

>>> import opwright.compat.torch as torch
>>> torch.accelerator.is_available() == (torch.accelerator.current_accelerator() is not None)
True
"""

from collections.abc import Callable

import opwright as _opwright
import opwright.cuda as _cuda
from opwright.compat._absent import absent

__all__ = [
    "current_accelerator",
    "current_device_index",
    "device_count",
    "is_available",
    "synchronize",
]


def is_available() -> bool:
    """Return whether there is a CUDA device.

    >>> isinstance(is_available(), bool)
    True
    """
    return _cuda.is_available()


def current_accelerator(check_available: bool = False) -> "_opwright.device | None":
    """Return the device without an index; None if there is none.

    >>> current_accelerator() is None or current_accelerator().type == "cuda"
    True
    """
    return _opwright.device("cuda") if is_available() else None


def device_count() -> int:
    """Return how many accelerators there are.

    >>> device_count() >= 0
    True
    """
    return _cuda.device_count() if is_available() else 0


def _of_cuda(name: str, *args: object) -> object:
    if not is_available():
        raise RuntimeError(
            f"torch.accelerator.{name}: there is no accelerator on this machine; "
            "torch.accelerator.is_available() tells so"
        )
    function: Callable = getattr(_cuda, name)
    return function(*args)


def current_device_index() -> int:
    """Return the index of the accelerator that new tensors go to.

    >>> current_device_index() if is_available() else 0
    0
    """
    return _of_cuda("current_device")


def synchronize(device: object = None) -> None:
    """Wait until the work queued on an accelerator is done.

    >>> synchronize() if is_available() else None
    """
    _of_cuda("synchronize", device)


__getattr__ = absent(__name__)

"""The device of new tensors."""

from __future__ import annotations

import threading
from typing import Any

from .. import _C

__all__ = ["get_default_device", "set_default_device"]


class _Setting(threading.local):
    """The device that this thread has set."""

    def __init__(self) -> None:
        self.device: _C.device | None = None


_setting = _Setting()


def get_default_device() -> _C.device:
    """Return the device of tensors that are created without one.

    >>> ow.get_default_device()
    device(type='cpu')
    """
    return _C.make_function("empty")(0).device


def set_default_device(device: Any) -> None:
    """Set the device of tensors that this thread creates without one; None means the CPU.

    It cannot be set inside of a `with device:` statement, which has the same effect for its block.

    >>> ow.set_default_device("meta")
    >>> ow.ones(2).device
    device(type='meta')
    >>> ow.set_default_device(None)
    """
    before = _setting.device
    expected = _C.device("cpu") if before is None else before
    if get_default_device().type != expected.type:
        raise RuntimeError(
            "set_default_device: a `with device:` statement sets the device here; leave it first"
        )
    new = None if device is None else _C.device(device)
    if before is not None:
        before.__exit__(None, None, None)
    if new is not None:
        new.__enter__()
    _setting.device = new

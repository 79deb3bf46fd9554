"""torch.Stream and torch.Event: streams and events of any kind of device."""

from __future__ import annotations

from typing import Any

from .. import _C
from . import stream as _stream
from .module import device_module

__all__ = ["Event", "Stream", "get_device_module"]


def _kind_of(device: Any) -> str:
    """Return the kind of a device; without one, that of the accelerator, or else the CPU."""
    if device is not None and not isinstance(device, int):
        return _C.device(device).type
    kinds = [name for name in _C.device_names() if name not in ("cpu", "meta")]
    return next((name for name in kinds if _C.device_count(name)), "cpu")


def get_device_module(device: Any = None) -> Any:
    """Return the functions of a kind of device; without one, of the accelerator, or else the CPU.

    >>> import opwright.compat.torch as torch
    >>> torch.get_device_module("cpu").device_count()
    1
    """
    return device_module(_kind_of(device))


class _StreamClass(type):
    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, _stream.Stream)


class _EventClass(type):
    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, _stream.Event)


class Stream(metaclass=_StreamClass):
    """Makes a stream of a device; those of all devices are instances of it.

    >>> import opwright.compat.torch as torch
    >>> with torch.Stream("cpu") as stream:
    ...     isinstance(stream, torch.Stream)
    True
    """

    def __new__(cls, device: Any = None, *, priority: int = 0) -> Any:
        return device_module(_kind_of(device)).Stream(device, priority)


class Event(metaclass=_EventClass):
    """Makes an event for streams of a device; those of all devices are instances of it.

    >>> import opwright.compat.torch as torch
    >>> event = torch.Event("cpu")
    >>> event.record()
    >>> event.query()
    True
    """

    def __new__(
        cls,
        device: Any = None,
        *,
        enable_timing: bool = False,
        blocking: bool = False,
        interprocess: bool = False,
    ) -> Any:
        return device_module(_kind_of(device)).Event(enable_timing, blocking, interprocess)

"""Kernels under PyTorch's Autograd keys: they wrap the autograd of an operator."""

import weakref
from collections.abc import Callable, Iterable

from .. import _C

SLOT = "AutogradKernel"
_PREFIX = "Autograd"
_EVERY_DEVICE = ("", "Other", "Functionality")


def is_autograd_key(key: object) -> bool:
    """Return whether a dispatch key is Autograd or that of a device, such as AutogradCPU."""
    return isinstance(key, str) and key.startswith(_PREFIX) and key != SLOT


def _tensors(values: Iterable[object]) -> Iterable[_C.Tensor]:
    for value in values:
        if isinstance(value, _C.Tensor):
            yield value
        elif isinstance(value, list | tuple):
            yield from _tensors(value)


def _device_of(key: str) -> str | None:
    """Return the device type of a key; None for one of every device."""
    device = key.removeprefix(_PREFIX)
    return None if device in _EVERY_DEVICE else _C.device(device.lower()).type


class AutogradKernels:
    """The kernels that one party registered for one operator under Autograd keys."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._by_device: dict[str | None, Callable] = {}

    def has(self, key: str) -> bool:
        """Return whether there is a kernel under the key."""
        return _device_of(key) in self._by_device

    def add(self, key: str, function: Callable) -> Callable:
        """Return what runs in place of recording a call, now that there is this kernel too.

        That of a device comes before that of every device; without one, the call is recorded as an
        operator without such kernels.
        """
        device = _device_of(key)
        self._by_device[device] = function
        parties = _parties.setdefault(self._name, [])
        parties[:] = [each for each in parties if each() is not None and each() is not self]
        parties.append(weakref.ref(self))
        if len(parties) == 1 and list(self._by_device) == [None]:
            return function
        return self._run

    def remove(self, key: str) -> bool:
        """Remove a kernel; return whether others are left."""
        self._by_device.pop(_device_of(key), None)
        return bool(self._by_device)

    def clear(self) -> None:
        """Remove all kernels."""
        self._by_device.clear()

    def _run(self, *args: object, **keywords: object) -> object:
        devices = {tensor.device.type for tensor in _tensors((*args, *keywords.values()))}
        for_all = None
        for party in reversed(_parties[self._name]):
            kernels = party()._by_device if party() is not None else {}
            for device, function in kernels.items():
                if device in devices:
                    return function(*args, **keywords)
            for_all = for_all or kernels.get(None)
        if for_all is not None:
            return for_all(*args, **keywords)
        return NotImplemented  # the call goes on as if there were no kernel


# The parties that registered such kernels for an operator, the newest last.
_parties: dict[str, list[weakref.ref[AutogradKernels]]] = {}

"""The available devices."""

import os

from .. import _C
from .search import offered_names


def load_device(path: str | os.PathLike[str]) -> list[str]:
    """Load a plug-in and return the names of the devices that it adds.

    Loading the same file twice is harmless. A device next to the core (`libopwright_<name>.so`), or
    one that an installed package provides, is loaded automatically when its name is first used.

    >>> ow.load_device("libnot_there.so")
    Traceback (most recent call last):
        ...
    OSError: ...
    """
    return _C.load_device(os.fspath(path))


def devices() -> dict[str, int]:
    """Return the available devices, with the number of each.

    >>> ow.devices()["cpu"]
    1
    """
    names = dict.fromkeys([*_C.device_names(), *offered_names()])
    counts = {name: _C.device_count(name) for name in names}
    # A plug-in that was found may have added more.
    counts |= {name: _C.device_count(name) for name in _C.device_names() if name not in counts}
    return {name: count for name, count in counts.items() if count > 0}


def device_count(name: str) -> int:
    """Return the number of devices with that name; 0 if there are none.

    >>> ow.device_count("cpu"), ow.device_count("no_such_device")
    (1, 0)
    """
    return _C.device_count(name)


def is_available(name: str) -> bool:
    """Return whether a device with that name is available.

    >>> ow.is_available("cpu")
    True
    """
    return _C.device_count(name) > 0

"""Which devices there are."""

import os

from .. import _C
from .search import offered_names


def load_device(path: str | os.PathLike[str]) -> list[str]:
    """Load a plug-in; return the names of the devices that it adds.

    The same file twice is harmless. A device that lies beside the core (`libopwright_<name>.so`) or
    that an installed package offers is loaded by itself when its name is first used.

    >>> ow.load_device("libnot_there.so")
    Traceback (most recent call last):
        ...
    OSError: ...
    """
    return _C.load_device(os.fspath(path))


def devices() -> dict[str, int]:
    """Return the devices that something runs on here, with how many there are of each.

    >>> ow.devices()["cpu"]
    1
    """
    names = dict.fromkeys([*_C.device_names(), *offered_names()])
    counts = {name: _C.device_count(name) for name in names}
    # A plug-in that was found may have added further ones.
    counts |= {name: _C.device_count(name) for name in _C.device_names() if name not in counts}
    return {name: count for name, count in counts.items() if count > 0}


def device_count(name: str) -> int:
    """Return how many devices of that name there are, 0 for one that is not here.

    >>> ow.device_count("cpu"), ow.device_count("no_such_device")
    (1, 0)
    """
    return _C.device_count(name)


def is_available(name: str) -> bool:
    """Tell whether something runs on a device of that name here.

    >>> ow.is_available("cpu")
    True
    """
    return _C.device_count(name) > 0

"""Devices provided by installed packages through entry points of the group `opwright.devices`.

A package names its plug-in in pyproject.toml, under the name of the device:

    [project.entry-points."opwright.devices"]
    npu = "acme_npu:plugin_path"

The attribute is the path of the plug-in, or a function that returns its path or loads it (with
`opwright.load_device`). It is read when the device is first used.
"""

import os
from functools import cache
from importlib.metadata import EntryPoint, entry_points

from .. import _C

GROUP = "opwright.devices"


@cache
def _offered() -> dict[str, list[EntryPoint]]:
    found: dict[str, list[EntryPoint]] = {}
    for entry in entry_points(group=GROUP):
        found.setdefault(entry.name, []).append(entry)
    return found


def offered_names() -> list[str]:
    """Return the sorted names of the devices that installed packages provide."""
    return sorted(_offered())


def load_entry_points(name: str) -> str:
    """Load the device if a package provides it; return what was searched."""
    results = [_load(entry) for entry in _offered().get(name, ())]
    return f"entry points of the group {GROUP} ({'; '.join(results) or 'none has that name'})"


def _load(entry: EntryPoint) -> str:
    shown = f"{entry.name} = {entry.value}"
    try:
        offered = entry.load()
        path = offered() if callable(offered) else offered
        if path is not None:
            _C.load_device(os.fspath(path))
    except Exception as error:  # raised by another package; shown in the error about the device
        return f"{shown}: {type(error).__name__}: {error}"
    return f"{shown}: loaded"

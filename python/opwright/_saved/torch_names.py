"""save and load with the arguments of torch.save and torch.load."""

from __future__ import annotations

from typing import Any

from . import data_file
from .data_file import File, MapLocation

__all__ = ["load", "save"]


def _refuse_pickle(name: str, pickle_module: Any, arguments: dict[str, Any]) -> None:
    for argument in ["pickle_module"] * (pickle_module is not None) + list(arguments):
        raise ValueError(
            f"{name}: {argument} is not supported, as files are data and no pickles; leave it out"
        )


def save(
    obj: Any,
    f: File,
    pickle_module: Any = None,
    pickle_protocol: int = 2,
    _use_new_zipfile_serialization: bool = True,
) -> None:
    """`opwright.save` with the arguments of torch.save; the file is not one of torch.save.

    >>> import io
    >>> import opwright.compat.torch as torch
    >>> file = io.BytesIO()
    >>> torch.save({"weight": torch.ones(2)}, file)
    >>> torch.load(io.BytesIO(file.getvalue()), weights_only=True)
    {'weight': tensor([1., 1.])}
    """
    _refuse_pickle("save", pickle_module, {})
    data_file.save(obj, f)


def load(
    f: File,
    map_location: MapLocation = None,
    pickle_module: Any = None,
    *,
    weights_only: bool | None = None,
    mmap: bool | None = None,
    **pickle_load_args: Any,
) -> Any:
    """`opwright.load` with the arguments of torch.load, which reads only data in any case.

    >>> import opwright.compat.torch as torch
    >>> torch.load("nowhere.pt", weights_only=False)
    Traceback (most recent call last):
        ...
    FileNotFoundError: ...
    """
    _refuse_pickle("load", pickle_module, pickle_load_args)
    return data_file.load(f, map_location)

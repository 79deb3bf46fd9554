"""save and load: data in a zip file, and errors for files of other kinds.

The file is a zip without compression: `structure.json` has the containers (structure.py), and
`tensors.safetensors` the tensors (tensor_block.py), which other programs can read as well.
Nothing in it is run, so a file from anywhere can be loaded.
"""

from __future__ import annotations

import io
import json
import os
import struct
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, BinaryIO

import opwright as ow

from .. import Tensor
from .structure import Decoder, Encoder
from .tensor_block import read_tensors, write_tensors

__all__ = ["load", "save"]

FORMAT = "opwright.data"
VERSION = 1
_STRUCTURE = "structure.json"
_TENSORS = "tensors.safetensors"
# A fixed date, so that the same data gives the same bytes.
_DATE = (1980, 1, 1, 0, 0, 0)

# What reading a file that was changed can raise. Text that is nested too deep is a RuntimeError.
_DAMAGE = (KeyError, IndexError, TypeError, ValueError, RuntimeError, AttributeError, OverflowError)
_ZIP_DAMAGE = (*_DAMAGE, zipfile.BadZipFile, OSError, EOFError, struct.error)

File = str | os.PathLike[str] | BinaryIO | io.BytesIO
MapLocation = str | ow.device | Mapping[str, str] | Callable[[Tensor, str], Tensor | None] | None


def save(obj: Any, f: File) -> None:
    """Write tensors and nested containers of data, such as state dicts, to a file.

    Containers are lists, tuples, sets, dicts and OrderedDicts; data are tensors, parameters,
    numbers, strings, bytes, dtypes and devices. Anything else is an error: the file has no code. A
    tensor that occurs several times is written once, and `load` returns one tensor for it. Views
    of one memory that differ are written as tensors of their own.

    >>> import io
    >>> file = io.BytesIO()
    >>> ow.save({"epoch": 3, "weights": [ow.ones(2), (1.5, None)]}, file)
    >>> ow.load(io.BytesIO(file.getvalue()))
    {'epoch': 3, 'weights': [tensor([1., 1.]), (1.5, None)]}
    """
    encoder = Encoder()
    form = {"format": FORMAT, "version": VERSION, "value": encoder.encode(obj)}
    text = json.dumps(form, allow_nan=False, separators=(",", ":"))
    target: Any = f if hasattr(f, "write") else os.fspath(f)
    with zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr(zipfile.ZipInfo(_STRUCTURE, _DATE), text)
        with archive.open(zipfile.ZipInfo(_TENSORS, _DATE), "w", force_zip64=True) as member:
            write_tensors(encoder.tensors, member)  # type: ignore[arg-type]


def load(f: File, map_location: MapLocation = None) -> Any:
    """Return what `save` wrote; a safetensors file gives the dict of its tensors.

    Tensors return to their devices; `map_location` is another device for all, a dict from device to
    device, or a function of a tensor and its device. Files of torch.save are refused, as they are
    pickles, which can run any code.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     ow.save(ow.nn.Linear(2, 1).state_dict(), f"{folder}/layer.data")
    ...     state = ow.load(f"{folder}/layer.data")
    >>> list(state)
    ['weight', 'bias']
    """
    name = str(getattr(f, "name", "the file")) if hasattr(f, "read") else os.fspath(f)
    data: bytes = f.read() if hasattr(f, "read") else Path(f).read_bytes()
    if not data.startswith(b"PK"):
        return _load_flat(name, data, map_location)
    text, block = _read_parts(name, data)
    return _decode(name, text, block, map_location)


def _read_parts(name: str, data: bytes) -> tuple[bytes, bytes]:
    """Return the two parts of a zip file; no other member is read, and none is written anywhere."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = archive.infolist()
            names = [each.filename for each in members]
            parts = [each for each in members if each.filename in (_STRUCTURE, _TENSORS)]
            _check_parts(parts, len(data))
            if len(parts) == 2:
                return archive.read(_STRUCTURE), archive.read(_TENSORS)
    except _ZIP_DAMAGE as error:
        raise ValueError(f"load: {name} is damaged: {error}") from None
    raise ValueError(_refusal(name, names))


def _check_parts(parts: list[zipfile.ZipInfo], length: int) -> None:
    """Check that reading the parts takes no more memory than the file has bytes."""
    if any(each.compress_type for each in parts):
        raise ValueError("its parts are compressed")
    if len({each.filename for each in parts}) != len(parts):
        raise ValueError("one of its parts occurs twice")
    if sum(each.file_size for each in parts) > length:
        raise ValueError("its parts are longer than the file, or overlap")


def _decode(name: str, text: bytes, block: bytes, map_location: MapLocation) -> Any:
    try:
        form = json.loads(text)
        if form["format"] != FORMAT:
            raise ValueError(f"its format is {form['format']!r}")
        if form["version"] > VERSION:
            raise ValueError(f"it has version {form['version']}, written by a newer release")
        tensors = read_tensors(block)
    except _DAMAGE as error:
        raise ValueError(f"load: {name} is damaged or of another kind: {error}") from None
    mover = _mover(name, map_location)
    try:
        return Decoder(tensors, mover).decode(form["value"])
    except _DAMAGE as error:
        if isinstance(error, _DeviceError):
            raise
        raise ValueError(f"load: {name} is damaged: {error}") from None


class _DeviceError(ValueError):
    """A device that this machine does not have."""


def _mover(name: str, map_location: MapLocation) -> Callable[[Tensor, str], Tensor]:
    """Return what moves a tensor, which was on a device, to where it is wanted."""

    def move(tensor: Tensor, device: str) -> Tensor:
        wanted: Any = device
        if isinstance(map_location, Mapping):
            wanted = map_location.get(device, device)
        elif isinstance(map_location, (str, ow.device)):
            wanted = map_location
        elif map_location is not None:
            moved = map_location(tensor, device)
            if moved is not None:
                return moved
        try:
            return tensor.to(wanted)
        except (RuntimeError, ValueError) as error:
            raise _DeviceError(
                f"load: a tensor in {name} belongs on '{wanted}', which is not available; pass "
                f"map_location='cpu' ({error})"
            ) from None

    return move


def _load_flat(name: str, data: bytes, map_location: MapLocation) -> dict[str, Tensor]:
    """Return the tensors of a safetensors file."""
    is_flat = len(data) > 8 and data[8:9] == b"{"
    if not is_flat:
        raise ValueError(_refusal(name, [], data[:2]))
    move = _mover(name, map_location)
    return {key: move(each, "cpu") for key, each in ow.safetensors.load(data).items()}


def _refusal(name: str, members: list[str], start: bytes = b"") -> str:
    is_pickle = start[:1] == b"\x80" or any(each.endswith("data.pkl") for each in members)
    if is_pickle:
        return (
            f"load: {name} is a pickle, as torch.save writes, which can run any code when it is "
            "read; in PyTorch write the state_dict with safetensors.torch.save_file, which "
            "opwright.load reads, or the model with torch.export"
        )
    return (
        f"load: {name} is neither a file that opwright.save wrote nor a safetensors file; programs "
        "are read by opwright.load_program"
    )

"""Tensors as one block of bytes, in the safetensors format.

The block is the length of a header, a header in JSON, and the data of all tensors without gaps. It
needs no package, as each of its tensors is named by its number.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from typing import BinaryIO

import opwright as ow

from .. import Tensor
from ..safetensors import DTYPES

_NAMES = {dtype: name for name, dtype in DTYPES.items()}


def as_bytes(tensor: Tensor) -> memoryview:
    """Return the elements of a contiguous tensor on the CPU, which must stay alive."""
    if tensor.numel() == 0:
        return memoryview(b"")
    return memoryview(tensor.reshape(-1).view(ow.uint8).numpy())


def write_tensors(tensors: Iterable[Tensor], file: BinaryIO) -> None:
    """Write contiguous tensors on the CPU; those of dtypes that the format lacks as bytes."""
    given = list(tensors)
    header: dict[str, object] = {}
    start = 0
    for number, tensor in enumerate(given):
        name = _NAMES.get(tensor.dtype)
        header[str(number)] = {
            "dtype": name or "U8",
            "shape": list(tensor.shape) if name else [tensor.nbytes],
            "data_offsets": [start, start + tensor.nbytes],
        }
        start += tensor.nbytes
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    file.write(len(text).to_bytes(8, "little"))
    file.write(text)
    for tensor in given:
        file.write(as_bytes(tensor))


def read_tensors(block: bytes) -> list[Tensor]:
    """Return the tensors of a block by their numbers; ValueError if it is not one."""
    length = int.from_bytes(block[:8], "little")
    if len(block) < 8 or length > len(block) - 8:
        raise ValueError("the header of the tensors is cut off")
    header = json.loads(block[8 : 8 + length])
    data = memoryview(block)[8 + length :]
    found, end = [], 0
    for number in range(len(header)):
        entry = header[str(number)]
        dtype, shape = DTYPES[entry["dtype"]], entry["shape"]
        start, stop = entry["data_offsets"]
        sizes_fit = all(type(size) is int and size >= 0 for size in shape)
        if start != end or not sizes_fit or math.prod(shape) * dtype.itemsize != stop - start:
            raise ValueError(f"tensor {number} does not lie where its sizes say")
        if stop > len(data):
            raise ValueError(f"the data of tensor {number} is cut off")
        found.append(make_tensor(data[start:stop], dtype, shape))
        end = stop
    return found


def make_tensor(data: memoryview, dtype: ow.dtype, shape: list[int]) -> Tensor:
    """Return a tensor with a copy of the bytes."""
    if not len(data):
        return ow.empty(shape, dtype=dtype)
    return ow.frombuffer(bytearray(data), dtype).reshape(shape)

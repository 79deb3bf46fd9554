"""Reads and writes weights in the safetensors format, without copying tensors to NumPy.

>>> import opwright as ow
>>> data = ow.safetensors.save({"weight": ow.ones(2, dtype=ow.bfloat16)})
>>> ow.safetensors.load(data)
{'weight': tensor([1., 1.], dtype=bfloat16)}

It needs the package `safetensors`: `pip install opwright[safetensors]`.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import opwright as ow

from . import Tensor

if TYPE_CHECKING:
    from .nn.module import Module

__all__ = ["load", "load_file", "load_model", "save", "save_file", "save_model"]

# The format's dtype names.
DTYPES: dict[str, ow.dtype] = {
    "BOOL": ow.bool,
    "U8": ow.uint8,
    "I8": ow.int8,
    "U16": ow.uint16,
    "I16": ow.int16,
    "U32": ow.uint32,
    "I32": ow.int32,
    "U64": ow.uint64,
    "I64": ow.int64,
    "F8_E4M3": ow.float8_e4m3fn,
    "F8_E5M2": ow.float8_e5m2,
    "F16": ow.float16,
    "BF16": ow.bfloat16,
    "F32": ow.float32,
    "F64": ow.float64,
    "C64": ow.complex64,
}


def _package() -> Any:
    try:
        import safetensors
    except ImportError as error:
        raise ImportError(
            "opwright.safetensors needs the package safetensors: pip install opwright[safetensors]"
        ) from error
    return safetensors


def _dense(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Return the tensors as the format requires them: on the CPU and contiguous."""
    dense = {}
    for name, tensor in tensors.items():
        if not isinstance(tensor, Tensor):
            raise TypeError(f"save: '{name}' must be a tensor, got {type(tensor).__name__}")
        if tensor.is_meta:
            raise ValueError(f"save: '{name}' is on the device meta and has no values")
        if tensor.dtype not in DTYPES.values():
            raise ValueError(f"save: the format has no {tensor.dtype} ('{name}')")
        dense[name] = tensor.detach().cpu().contiguous()
    return dense


def _specs(dense: Mapping[str, Tensor]) -> dict[str, Any]:
    spec = _package().TensorSpec
    return {
        name: spec(
            dtype=str(tensor.dtype).removeprefix("opwright."),
            shape=list(tensor.shape),
            data_ptr=tensor.data_ptr(),
            data_len=tensor.nbytes,
        )
        for name, tensor in dense.items()
    }


def save(tensors: Mapping[str, Tensor], metadata: dict[str, str] | None = None) -> bytes:
    """Return the bytes of a file with these tensors.

    >>> len(ow.safetensors.save({"x": ow.zeros(2)})) > 8
    True
    """
    dense = _dense(tensors)  # alive while their memory is read
    return bytes(_package().serialize(_specs(dense), metadata=metadata))


def save_file(
    tensors: Mapping[str, Tensor],
    filename: str | os.PathLike[str],
    metadata: dict[str, str] | None = None,
) -> None:
    """Write a file with these tensors, such as `model.state_dict()`.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     ow.safetensors.save_file({"x": ow.ones(2)}, f"{folder}/x.safetensors")
    ...     ow.safetensors.load_file(f"{folder}/x.safetensors")
    {'x': tensor([1., 1.])}
    """
    dense = _dense(tensors)
    _package().serialize_file(_specs(dense), os.fspath(filename), metadata=metadata)


def load(data: bytes) -> dict[str, Tensor]:
    """Return the tensors in the bytes of a file.

    >>> ow.safetensors.load(ow.safetensors.save({"x": ow.arange(3)}))
    {'x': tensor([0, 1, 2])}
    """
    found = {}
    for name, entry in _package().deserialize(data):
        dtype = DTYPES.get(entry["dtype"])
        if dtype is None:
            raise ValueError(f"load: '{name}' is of {entry['dtype']}, which Opwright does not have")
        found[name] = _tensor_of(entry["data"], dtype, entry["shape"])
    return found


def _tensor_of(data: bytearray, dtype: ow.dtype, shape: list[int]) -> Tensor:
    if math.prod(shape) == 0:
        return ow.empty(shape, dtype=dtype)
    return ow.frombuffer(data, dtype).reshape(shape)


def load_file(
    filename: str | os.PathLike[str], device: str | ow.device = "cpu"
) -> dict[str, Tensor]:
    """Return the tensors of a file.

    >>> ow.safetensors.load_file("not_there.safetensors")
    Traceback (most recent call last):
        ...
    FileNotFoundError: ...
    """
    return {name: each.to(device) for name, each in load(Path(filename).read_bytes()).items()}


# ---- modules: a shared tensor is written once ----


def _identity(tensor: Tensor) -> tuple[object, ...]:
    return tensor.data_ptr(), tensor.dtype, tuple(tensor.shape), tuple(tensor.stride())


def save_model(
    model: Module, filename: str | os.PathLike[str], metadata: dict[str, str] | None = None
) -> None:
    """Write the weights of a module, shared ones once.

    >>> import tempfile
    >>> layer = ow.nn.LayerNorm(2)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     ow.safetensors.save_model(layer, f"{folder}/layer.safetensors")
    ...     ow.safetensors.load_model(layer, f"{folder}/layer.safetensors")
    <All keys matched successfully>
    """
    written: dict[tuple[object, ...], str] = {}
    tensors = {}
    for name, tensor in model.state_dict().items():
        if tensor.numel() == 0 or written.setdefault(_identity(tensor), name) == name:
            tensors[name] = tensor
    save_file(tensors, filename, metadata)


def load_model(model: Module, filename: str | os.PathLike[str], strict: bool = True) -> Any:
    """Read the weights of a module, as `load_state_dict` does.

    >>> ow.safetensors.load_model(ow.nn.LayerNorm(2), "not_there.safetensors")
    Traceback (most recent call last):
        ...
    FileNotFoundError: ...
    """
    state = load_file(filename)
    own = model.state_dict()
    there = {_identity(own[name]): name for name in state if name in own}
    for name, tensor in own.items():
        if name not in state and (other := there.get(_identity(tensor))) is not None:
            state[name] = state[other]
    return model.load_state_dict(state, strict=strict)

"""Nested containers as JSON, and back; tensors in them are numbers.

None, bools, numbers, strings, lists and dicts of strings are themselves. Anything else is a dict
with one key that begins with "$", such as {"$tuple": [...]} or {"$tensor": 3}.
"""

from __future__ import annotations

import base64
import math
from collections import OrderedDict
from collections.abc import Callable, Iterable
from typing import Any

import opwright as ow

from .. import Tensor

_PLAIN = (str, int, bool, type(None))


class Encoder:
    """Encodes a value, and collects its tensors; a tensor that occurs again has the same number."""

    def __init__(self) -> None:
        self.tensors: list[Tensor] = []
        self._numbers: dict[tuple[Any, ...], int] = {}
        self._open: set[int] = set()
        self._alive: list[Tensor] = []  # an address is not used twice
        self._encoders: dict[type, Callable[[Any, str], Any]] = {
            float: self._float,
            complex: lambda value, _: {"$complex": [value.real, value.imag]},
            bytes: lambda value, _: {"$bytes": base64.b64encode(value).decode()},
            list: self._items,
            tuple: lambda value, path: {"$tuple": self._items(value, path)},
            set: lambda value, path: {"$set": self._items(value, path)},
            frozenset: lambda value, path: {"$frozenset": self._items(value, path)},
            dict: self._dict,
            OrderedDict: self._ordered_dict,
            ow.Size: lambda value, _: {"$size": list(value)},
            ow.dtype: lambda value, _: {"$dtype": value.name},
            ow.device: lambda value, _: {"$device": str(value)},
        }

    def encode(self, value: Any, path: str = "") -> Any:
        """Return the JSON form; TypeError names the path to what is not data."""
        if type(value) in _PLAIN:
            return value
        if isinstance(value, Tensor):
            return self._tensor(value, path)
        encoder = self._encoders.get(type(value))
        if encoder is None:
            raise TypeError(self._refusal(value, path))
        if id(value) in self._open:
            raise ValueError(f"save: {_place(path)} contains itself")
        self._open.add(id(value))
        try:
            return encoder(value, path)
        finally:
            self._open.discard(id(value))

    def _refusal(self, value: Any, path: str) -> str:
        kind = type(value)
        text = f"save: {_place(path)} is a {kind.__module__}.{kind.__qualname__}, which is not data"
        if isinstance(value, ow.nn.Module):
            return f"{text}; save its state_dict(), or a program of torch.export"
        if isinstance(value, tuple):
            return f"{text}; save it as a tuple or a dict"
        if kind.__module__ == "numpy":
            return f"{text}; save opwright.as_tensor of it, or its item()"
        return f"{text}; save tensors, numbers, strings, bytes and containers of them"

    def _float(self, value: float, path: str) -> Any:
        return value if math.isfinite(value) else {"$float": repr(value)}

    def _items(self, values: Iterable[Any], path: str) -> list[Any]:
        return [self.encode(each, f"{path}[{place}]") for place, each in enumerate(values)]

    def _pairs(self, value: dict[Any, Any], path: str) -> list[Any]:
        return [
            [self.encode(key, f"{path}, a key"), self.encode(each, f"{path}[{key!r}]")]
            for key, each in value.items()
        ]

    def _dict(self, value: dict[Any, Any], path: str) -> Any:
        if all(type(key) is str and not key.startswith("$") for key in value):
            return {key: self.encode(each, f"{path}[{key!r}]") for key, each in value.items()}
        return {"$dict": self._pairs(value, path)}

    def _ordered_dict(self, value: OrderedDict[Any, Any], path: str) -> Any:
        pairs = self._pairs(value, path)
        metadata = getattr(value, "_metadata", None)  # of a state_dict: the versions of modules
        if metadata is None:
            return {"$ordered_dict": pairs}
        return {"$state_dict": [pairs, self.encode(dict(metadata), f"{path}._metadata")]}

    def _tensor(self, tensor: Tensor, path: str) -> Any:
        is_parameter = type(tensor) is ow.nn.Parameter
        if type(tensor) is not Tensor and not is_parameter:
            raise TypeError(
                f"save: {_place(path)} is a {type(tensor).__name__}; save its detach(), a plain "
                "tensor"
            )
        if tensor.is_meta or tensor.is_fake:
            raise ValueError(f"save: {_place(path)} is a tensor without values (meta or fake)")
        node: dict[str, Any] = {"$tensor": self._number(tensor), "device": str(tensor.device)}
        if tensor.dtype.name not in _SAFE_NAMES:
            node |= {"dtype": tensor.dtype.name, "shape": list(tensor.shape)}
        if is_parameter:
            node["parameter"] = True
        if tensor.requires_grad:
            node["requires_grad"] = True
        return node

    def _number(self, tensor: Tensor) -> int:
        sizes = (tuple(tensor.shape), tuple(tensor.stride()))
        place = (tensor.data_ptr(), str(tensor.device))
        key: tuple[Any, ...] = (*place, tensor.dtype, *sizes)
        if tensor.numel() == 0 or key not in self._numbers:
            self._numbers[key] = len(self.tensors)
            self.tensors.append(tensor.detach().cpu().contiguous())
            self._alive.append(tensor)
            return len(self.tensors) - 1
        return self._numbers[key]


class Decoder:
    """Builds the value of a JSON form; `place` moves each tensor to its device."""

    def __init__(self, tensors: list[Tensor], place: Callable[[Tensor, str], Tensor]) -> None:
        self._tensors = tensors
        self._place = place
        self._made: dict[tuple[Any, ...], Tensor] = {}
        self._decoders: dict[str, Callable[[Any], Any]] = {
            "$float": float,
            "$complex": lambda parts: complex(*parts),
            "$bytes": lambda text: base64.b64decode(text, validate=True),
            "$tuple": lambda items: tuple(map(self.decode, items)),
            "$set": lambda items: set(map(self.decode, items)),
            "$frozenset": lambda items: frozenset(map(self.decode, items)),
            "$dict": lambda pairs: dict(self._pairs(pairs)),
            "$ordered_dict": lambda pairs: OrderedDict(self._pairs(pairs)),
            "$state_dict": self._state_dict,
            "$size": ow.Size,
            "$dtype": _dtype_named,
            "$device": ow.device,
        }

    def decode(self, value: Any) -> Any:
        """Return the value; ValueError if the form is not one that Encoder makes."""
        if isinstance(value, list):
            return [self.decode(each) for each in value]
        if not isinstance(value, dict):
            return value
        first = next(iter(value), "")
        if first == "$tensor":
            return self._tensor(value)
        if not first.startswith("$"):
            return {key: self.decode(each) for key, each in value.items()}
        if first not in self._decoders or len(value) != 1:
            raise ValueError(f"{first!r} is not known to this release")
        return self._decoders[first](value[first])

    def _pairs(self, pairs: list[Any]) -> list[tuple[Any, Any]]:
        return [(self.decode(key), self.decode(value)) for key, value in pairs]

    def _state_dict(self, parts: list[Any]) -> Any:
        pairs, metadata = parts
        state: Any = OrderedDict(self._pairs(pairs))
        state._metadata = OrderedDict(self.decode(metadata))
        return state

    def _tensor(self, node: dict[str, Any]) -> Tensor:
        known = {"$tensor", "device", "dtype", "shape", "parameter", "requires_grad"}
        if node.keys() - known:
            raise ValueError("a tensor has properties that are not known to this release")
        key = tuple(node.get(name) for name in ("$tensor", "device", "parameter", "requires_grad"))
        if key not in self._made:
            self._made[key] = self._make(node)
        return self._made[key]

    def _make(self, node: dict[str, Any]) -> Tensor:
        number = node["$tensor"]
        if type(number) is not int or not 0 <= number < len(self._tensors):
            raise ValueError(f"there is no tensor {number!r}, as there are {len(self._tensors)}")
        tensor = self._tensors[number]
        if "dtype" in node:  # one that the block has as bytes
            tensor = tensor.view(_dtype_named(node["dtype"])).reshape(node["shape"])
        moved = self._place(tensor, node["device"])
        requires_grad = bool(node.get("requires_grad"))
        if node.get("parameter"):
            return ow.nn.Parameter(moved, requires_grad)
        return moved.detach().requires_grad_() if requires_grad else moved


def _place(path: str) -> str:
    return f"the value at {path}" if path else "the value"


def _dtype_named(name: str) -> ow.dtype:
    dtype = getattr(ow, name, None)
    if not isinstance(dtype, ow.dtype):
        raise ValueError(f"there is no dtype {name!r}")
    return dtype


_SAFE_NAMES = frozenset(dtype.name for dtype in ow.safetensors.DTYPES.values())

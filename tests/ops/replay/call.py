"""A recorded call: its arguments as exact copies, its signature and its text."""

import torch

SHORT_NAMES = {
    torch.float32: "f32",
    torch.float64: "f64",
    torch.float16: "f16",
    torch.bfloat16: "bf16",
    torch.complex64: "c64",
    torch.complex128: "c128",
    torch.int64: "i64",
    torch.int32: "i32",
    torch.int16: "i16",
    torch.int8: "i8",
    torch.uint8: "u8",
    torch.bool: "bool",
}
LARGEST_STORAGE = 64 << 20


class NotReplayableError(Exception):
    """The call has a value of a type that we do not have; the text says which."""


def map_values(function, value):
    """Apply `function` to everything but lists, tuples and dicts."""
    if isinstance(value, list):
        return [map_values(function, each) for each in value]
    if isinstance(value, tuple):
        return tuple(map_values(function, each) for each in value)
    if isinstance(value, dict):
        return {key: map_values(function, each) for key, each in value.items()}
    return function(value)


def list_of(result) -> list:
    return list(result) if isinstance(result, list | tuple) else [result]


def leaves_of(result) -> list:
    """Return the results of a call; a list among them counts as its elements."""
    return [leaf for each in list_of(result) for leaf in list_of(each)]


def tensors_of(value) -> list[torch.Tensor]:
    found = []
    map_values(lambda leaf: found.append(leaf) if isinstance(leaf, torch.Tensor) else None, value)
    return found


def is_plain(tensor: torch.Tensor) -> bool:
    return type(tensor) in (torch.Tensor, torch.nn.Parameter) and tensor.layout == torch.strided


class Copier:
    """Copies tensors with strides and offsets; copies share memory if the originals do."""

    def __init__(self):
        self.storages = {}
        self.copies = {}

    def __call__(self, value):
        if not isinstance(value, torch.Tensor):
            return value
        if id(value) not in self.copies:
            self.copies[id(value)] = self.copy(value)
        return self.copies[id(value)]

    def copy(self, value: torch.Tensor) -> torch.Tensor:
        if not is_plain(value):
            raise NotReplayableError(f"{type(value).__name__} {value.layout}")
        if value.device.type != "cpu":
            raise NotReplayableError(f"device {value.device.type}")
        if value.is_quantized:
            raise NotReplayableError("quantized")
        storage = value.untyped_storage()
        if storage.nbytes() > LARGEST_STORAGE:
            raise NotReplayableError("more than 64 MiB")
        is_lazy = value.is_conj() or value.is_neg()
        lazy_key = (value.dtype, value.is_conj(), value.is_neg()) if is_lazy else ()
        key = (storage._cdata, *lazy_key)
        if key not in self.storages:
            # Keeps the original alive, so that no other storage gets its address.
            self.storages[key] = (materialized(storage, value), storage)
        return torch.empty(0, dtype=value.dtype).set_(
            self.storages[key][0], value.storage_offset(), value.shape, value.stride()
        )


def materialized(storage: torch.UntypedStorage, value: torch.Tensor) -> torch.UntypedStorage:
    """Copy the storage with every element as `value` reads it: conjugated or negated."""
    copy = storage.clone()
    count = storage.nbytes() // value.element_size()
    whole = torch.empty(0, dtype=value.dtype).set_(copy, 0, (count,), (1,))
    if value.is_conj():
        torch.conj_physical_(whole)
    if value.is_neg():
        whole.neg_()
    return copy


def copy_arguments(args: tuple, kwargs: dict) -> tuple[tuple, dict]:
    copier = Copier()
    return map_values(copier, tuple(args)), map_values(copier, dict(kwargs))


def signature_of(leaf):
    if isinstance(leaf, torch.Tensor):
        form = (leaf.dtype, tuple(leaf.shape))
        is_strided = leaf.layout == torch.strided
        return (*form, leaf.stride(), leaf.storage_offset()) if is_strided else form
    return (type(leaf), repr(leaf))


def signature(overload, args: tuple, kwargs: dict) -> str:
    """Return what identifies a call apart from its values."""
    leaves = map_values(signature_of, (tuple(args), sorted(kwargs.items())))
    return f"{overload}{leaves}"


def tensor_text(tensor: torch.Tensor) -> str:
    dtype = SHORT_NAMES.get(tensor.dtype, str(tensor.dtype).removeprefix("torch."))
    if tensor.layout != torch.strided:
        return f"{dtype}{list(tensor.shape)} {tensor.layout}"
    strides = "" if tensor.is_contiguous() else f" strides {list(tensor.stride())}"
    offset = f" offset {tensor.storage_offset()}" if tensor.storage_offset() else ""
    return f"{dtype}{list(tensor.shape)}{strides}{offset}"


class Verbatim(str):
    """A text whose repr is itself."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def value_text(value) -> str:
    def show(leaf):
        return Verbatim(tensor_text(leaf)) if isinstance(leaf, torch.Tensor) else leaf

    return repr(map_values(show, value))


def call_text(overload, args: tuple, kwargs: dict) -> str:
    shown = [value_text(arg) for arg in args]
    shown += [f"{name}={value_text(value)}" for name, value in kwargs.items()]
    return f"{overload}({', '.join(shown)})"

"""Converts torch's arguments to ours: tensors over the same memory, or on the meta device."""

import opwright as ow
import torch

from .call import NotReplayableError, map_values

DTYPES = {
    value: getattr(ow, str(value).removeprefix("torch."))
    for value in vars(torch).values()
    if isinstance(value, torch.dtype) and hasattr(ow, str(value).removeprefix("torch."))
}
MEMORY_FORMATS = {
    torch.contiguous_format: ow.contiguous_format,
    torch.channels_last: ow.channels_last,
    torch.channels_last_3d: ow.channels_last_3d,
    torch.preserve_format: ow.preserve_format,
}

MOST_DIMENSIONS = 64  # of our tensors


class Conversion:
    """Converts copies of torch's arguments to ours; equal storages become equal storages."""

    def __init__(self, is_fake: bool = False):
        self.is_fake = is_fake
        self.bases = {}
        self.tensors = {}

    def __call__(self, value):
        if isinstance(value, torch.Tensor):
            if id(value) not in self.tensors:
                self.tensors[id(value)] = self.tensor(value)
            return self.tensors[id(value)]
        if isinstance(value, torch.dtype):
            return dtype_of(value)
        if isinstance(value, torch.memory_format):
            return MEMORY_FORMATS[value]
        if self.is_fake and value == "cpu":
            return ow.device("meta")
        if isinstance(value, torch.device):
            if value.type != "cpu":
                raise NotReplayableError(f"device {value.type}")
            return ow.device("meta") if self.is_fake else ow.device("cpu")
        if isinstance(value, torch.layout):
            if value != torch.strided:
                raise NotReplayableError(str(value))
            return ow.strided
        if isinstance(value, torch.Generator):
            return ow.Generator()
        return value

    def tensor(self, value: torch.Tensor) -> ow.Tensor:
        dtype_of(value.dtype)
        if value.dim() > MOST_DIMENSIONS:
            raise NotReplayableError(f"more than {MOST_DIMENSIONS} dimensions")
        storage = value.untyped_storage()
        key = (storage._cdata, value.dtype)
        if key not in self.bases:
            count = storage.nbytes() // value.element_size()
            whole = torch.empty(0, dtype=value.dtype).set_(storage, 0, (count,), (1,))
            # Memory of no bytes is ours: an `out` in it may grow.
            base = ow.from_dlpack(whole) if count else ow.empty(0, dtype=DTYPES[value.dtype])
            self.bases[key] = (base.to("meta") if self.is_fake else base, storage)
        return ow.ops.aten.as_strided.default(
            self.bases[key][0], list(value.shape), list(value.stride()), value.storage_offset()
        )


def dtype_of(dtype: torch.dtype):
    if dtype not in DTYPES:
        raise NotReplayableError(str(dtype).removeprefix("torch."))
    return DTYPES[dtype]


def convert(arguments, is_fake: bool = False):
    """Convert (args, kwargs)."""
    return map_values(Conversion(is_fake), arguments)


def on_meta(args: tuple, kwargs: dict, operator) -> dict:
    """Return the keyword arguments, with device meta if no tensor determines it."""
    if any(isinstance(arg, ow.Tensor) for arg in args) or kwargs.get("device") is not None:
        return kwargs
    takes_device = any(argument.name == "device" for argument in operator.schema.arguments)
    return {**kwargs, "device": ow.device("meta")} if takes_device else kwargs

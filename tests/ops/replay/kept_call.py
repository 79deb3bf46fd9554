"""A call as bytes, for --again."""

import io
from pathlib import Path

import torch

from .call import map_values

# What pickle cannot store, by name.
MEMORY_FORMATS = {
    str(each): each
    for each in (
        torch.contiguous_format,
        torch.channels_last,
        torch.channels_last_3d,
        torch.preserve_format,
    )
}


def to_bytes(overload: str, arguments: tuple[tuple, dict]) -> bytes:
    def named(leaf):
        return str(leaf) if isinstance(leaf, torch.memory_format | torch.layout) else leaf

    file = io.BytesIO()
    torch.save((overload, *map_values(named, arguments)), file)
    return file.getvalue()


def read(path: Path) -> tuple[str, tuple, dict]:
    def unnamed(leaf):
        if leaf == "torch.strided":
            return torch.strided
        return MEMORY_FORMATS.get(leaf, leaf) if isinstance(leaf, str) else leaf

    overload, args, kwargs = torch.load(path, weights_only=False)
    return overload, map_values(unnamed, args), map_values(unnamed, kwargs)

"""Samples of overloads that no entry of the database reaches.

Each function yields (name, args, kwargs); arguments are torch's.
"""

from collections.abc import Iterator

import torch

from .replayer import Replayer


def values(*sizes: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    """Numbers of both signs without equal neighbours, some of them not whole."""
    count = 1
    for size in sizes:
        count *= size
    numbers = (torch.arange(count) * 7 % 11).to(torch.float64) * 0.75 - 3
    return numbers.to(dtype).reshape(sizes)


def samples() -> Iterator[tuple]:
    yield from ()


def find_overload(name: str):
    base, _, form = name.partition(".")
    return getattr(getattr(torch.ops.aten, base), form or "default")


def run_handwritten(replayer: Replayer) -> None:
    replayer.entry = "handwritten"
    for name, args, kwargs in samples():
        with torch.no_grad():
            try:
                replayer.run(find_overload(name), args, kwargs)
            except (RuntimeError, IndexError, TypeError, ValueError):
                continue  # torch refuses: that we do too was compared

"""Tensors of handwritten samples."""

from collections.abc import Iterator

import torch

DTYPES = (torch.float32, torch.float64, torch.int64, torch.bool, torch.float16, torch.complex64)
REALS = (torch.float32, torch.float64, torch.float16, torch.bfloat16)


def values(*sizes: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    """Return numbers of both signs, different from their neighbours, with fractions if possible."""
    count = torch.Size(sizes).numel()
    numbers = (torch.arange(count) * 7 % 11).to(torch.float64) * 0.75 - 3
    return numbers.to(dtype).reshape(sizes)


def layouts(dtype: torch.dtype) -> Iterator[torch.Tensor]:
    """Return the same kind of tensor in several memory orders."""
    yield values(3, 4, dtype=dtype)
    yield values(4, 3, dtype=dtype).t()
    yield values(3, 8, dtype=dtype)[:, 1::2]
    yield values(4, dtype=dtype).expand(3, 4)
    yield values(0, 4, dtype=dtype)
    yield values(1, dtype=dtype).reshape(())

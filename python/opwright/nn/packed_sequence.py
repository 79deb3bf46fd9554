"""Sequences of different lengths: padded to a tensor, or packed without padding.

A packed batch holds the first step of all sequences, then the second of those that have one, and so
on, with the longest sequence first. `batch_sizes` counts the sequences at each step.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from typing import Any, NamedTuple, Self

import opwright as ow

from .. import Tensor
from .functional.shape import pad

__all__ = [
    "PackedSequence",
    "invert_permutation",
    "pack_padded_sequence",
    "pack_sequence",
    "pad_packed_sequence",
    "pad_sequence",
    "unpack_sequence",
    "unpad_sequence",
]


class _Parts(NamedTuple):
    data: Tensor
    batch_sizes: Tensor
    sorted_indices: Tensor | None
    unsorted_indices: Tensor | None


class PackedSequence(_Parts):
    """A packed batch of sequences, an input of recurrent layers; `pack_sequence` makes one.

    >>> packed = pack_sequence([ow.tensor([1, 2, 3]), ow.tensor([4, 5])])
    >>> packed.data.tolist(), packed.batch_sizes.tolist()
    ([1, 4, 2, 5, 3], [2, 2, 1])
    """

    def __new__(
        cls,
        data: Tensor,
        batch_sizes: Tensor | None = None,
        sorted_indices: Tensor | None = None,
        unsorted_indices: Tensor | None = None,
    ) -> Self:
        if batch_sizes is None:
            data, batch_sizes = data
        if not batch_sizes.is_cpu:
            raise ValueError(
                f"PackedSequence: batch_sizes must be on the CPU, got {batch_sizes.device}"
            )
        if unsorted_indices is None:
            unsorted_indices = invert_permutation(sorted_indices)
        return super().__new__(cls, data, batch_sizes, sorted_indices, unsorted_indices)

    def to(self, *args: Any, **kwargs: Any) -> Self:
        """Convert the data as `Tensor.to` does; the indices follow to its device.

        >>> pack_sequence([ow.tensor([1, 2])]).to(ow.float64).data.dtype
        opwright.float64
        """
        data = self.data.to(*args, **kwargs)
        if data is self.data:
            return self
        indices = (
            None if each is None else each.to(data.device)
            for each in (self.sorted_indices, self.unsorted_indices)
        )
        return type(self)(data, self.batch_sizes, *indices)

    def cpu(self) -> Self:
        """Move the data to the CPU."""
        return self.to("cpu")

    def cuda(self, device: Any = None, non_blocking: bool = False) -> Self:
        """Move the data to a CUDA device."""
        return self.to("cuda" if device is None else device, non_blocking=non_blocking)

    def pin_memory(self) -> Self:
        """Copy the data and the indices into pinned memory."""
        indices = (
            None if each is None else each.pin_memory()
            for each in (self.sorted_indices, self.unsorted_indices)
        )
        return type(self)(self.data.pin_memory(), self.batch_sizes, *indices)

    def is_pinned(self) -> bool:
        """Return whether the data is in pinned memory."""
        return self.data.is_pinned()

    @property
    def is_cuda(self) -> bool:
        """Whether the data is on a CUDA device."""
        return self.data.is_cuda

    def double(self) -> Self:
        """Convert the data to float64."""
        return self.to(ow.float64)

    def float(self) -> Self:
        """Convert the data to float32."""
        return self.to(ow.float32)

    def half(self) -> Self:
        """Convert the data to float16."""
        return self.to(ow.float16)

    def long(self) -> Self:
        """Convert the data to int64."""
        return self.to(ow.int64)

    def int(self) -> Self:
        """Convert the data to int32."""
        return self.to(ow.int32)

    def short(self) -> Self:
        """Convert the data to int16."""
        return self.to(ow.int16)

    def char(self) -> Self:
        """Convert the data to int8."""
        return self.to(ow.int8)

    def byte(self) -> Self:
        """Convert the data to uint8."""
        return self.to(ow.uint8)


def invert_permutation(permutation: Tensor | None) -> Tensor | None:
    """Return the indices that undo a permutation.

    >>> invert_permutation(ow.tensor([2, 0, 1]))
    tensor([1, 2, 0])
    """
    if permutation is None:
        return None
    numbers = ow.arange(permutation.numel(), device=permutation.device)
    return ow.empty_like(permutation).scatter_(0, permutation, numbers)


def _offsets(batch_sizes: list[int]) -> list[int]:
    """Return where each step begins in the data, and its length at the end."""
    offsets = [0]
    for size in batch_sizes:
        offsets.append(offsets[-1] + size)
    return offsets


def pack_padded_sequence(
    input: Tensor,
    lengths: Tensor | list[int],
    batch_first: bool = False,
    enforce_sorted: bool = True,
) -> PackedSequence:
    """Pack sequences that are padded to (T, N, ...), or (N, T, ...) with `batch_first`.

    The lengths must be in decreasing order, unless `enforce_sorted` is False.

    >>> padded = ow.tensor([[1, 2, 0], [3, 0, 0], [4, 5, 6]])
    >>> packed = pack_padded_sequence(padded, [2, 1, 3], batch_first=True, enforce_sorted=False)
    >>> packed.data.tolist(), packed.sorted_indices.tolist()
    ([4, 1, 3, 5, 2, 6], [2, 0, 1])
    """
    steps = input.transpose(0, 1) if batch_first else input
    given = lengths.tolist() if isinstance(lengths, Tensor) else [int(each) for each in lengths]
    if len(given) != steps.shape[1]:
        raise RuntimeError(
            f"pack_padded_sequence: lengths must have one value for each of the {steps.shape[1]} "
            f"sequences, got {len(given)}"
        )
    if not given or min(given) <= 0 or max(given) > steps.shape[0]:
        raise RuntimeError(
            f"pack_padded_sequence: lengths must be from 1 to {steps.shape[0]}, got {given}"
        )
    order = sorted(range(len(given)), key=lambda index: -given[index])
    if enforce_sorted and order != list(range(len(given))):
        raise RuntimeError(
            "pack_padded_sequence: lengths must be in decreasing order if enforce_sorted is True, "
            f"got {given}; pass enforce_sorted=False"
        )
    longest = max(given)
    sizes = [sum(length > step for length in given) for step in range(longest)]
    width = len(given)
    rows = [step * width + order[place] for step in range(longest) for place in range(sizes[step])]
    data = steps.flatten(0, 1).index_select(0, ow.tensor(rows, device=input.device))
    sorted_indices = None if enforce_sorted else ow.tensor(order, device=input.device)
    return PackedSequence(data, ow.tensor(sizes), sorted_indices, None)


def pad_packed_sequence(
    sequence: PackedSequence,
    batch_first: bool = False,
    padding_value: float = 0.0,
    total_length: int | None = None,
) -> tuple[Tensor, Tensor]:
    """Return the sequences in their first order, padded, and their lengths.

    >>> packed = pack_sequence([ow.tensor([1, 2, 3]), ow.tensor([4, 5])])
    >>> padded, lengths = pad_packed_sequence(packed, batch_first=True)
    >>> padded.tolist(), lengths.tolist()
    ([[1, 2, 3], [4, 5, 0]], [3, 2])
    """
    sizes = sequence.batch_sizes.tolist()
    length = len(sizes) if total_length is None else total_length
    if length < len(sizes):
        raise ValueError(
            "pad_packed_sequence: total_length must be at least the longest length "
            f"{len(sizes)}, got {total_length}"
        )
    offsets, count = _offsets(sizes), sizes[0]
    order = range(count)
    if sequence.unsorted_indices is not None:
        order = sequence.unsorted_indices.tolist()
    padding = offsets[-1]  # the row behind the data
    sizes += [0] * (length - len(sizes))
    offsets += [padding] * (length + 1 - len(offsets))
    rows = [
        [offsets[step] + place if place < sizes[step] else padding for place in order]
        for step in range(length)
    ]
    data = sequence.data
    extended = ow.cat([data, data.new_full((1, *data.shape[1:]), padding_value)])
    padded = extended.index_select(0, ow.tensor(rows, device=data.device).flatten())
    padded = padded.unflatten(0, (length, count))
    lengths = ow.tensor([sum(place < size for size in sizes) for place in order])
    return padded.transpose(0, 1) if batch_first else padded, lengths


def pad_sequence(
    sequences: Tensor | Iterable[Tensor],
    batch_first: bool = False,
    padding_value: float = 0.0,
    padding_side: str = "right",
) -> Tensor:
    """Stack sequences (L, ...) of different lengths into (T, N, ...), padded on one side.

    >>> pad_sequence([ow.tensor([1, 2]), ow.tensor([3])], batch_first=True)
    tensor([[1, 2],
            [3, 0]])
    """
    if padding_side not in ("left", "right"):
        raise RuntimeError(
            f"pad_sequence: padding_side must be 'left' or 'right', got {padding_side!r}"
        )
    if not isinstance(sequences, Iterable):
        raise RuntimeError(
            f"pad_sequence: sequences must be an iterable of tensors, got {type(sequences)}"
        )
    each = list(sequences.unbind(0) if isinstance(sequences, Tensor) else sequences)
    if not each:
        raise RuntimeError("pad_sequence: there must be at least one sequence")
    longest = max(one.shape[0] for one in each)

    def padded(one: Tensor) -> Tensor:
        missing = longest - one.shape[0]
        counts = (0, missing) if padding_side == "right" else (missing, 0)
        return pad(one, (*[0, 0] * (one.ndim - 1), *counts), value=padding_value)

    return ow.stack([padded(one) for one in each], 0 if batch_first else 1)


def unpad_sequence(
    padded_sequences: Tensor, lengths: Tensor, batch_first: bool = False
) -> list[Tensor]:
    """Return the sequences of a padded tensor without their padding.

    >>> unpad_sequence(ow.tensor([[1, 2], [3, 0]]), ow.tensor([2, 1]), batch_first=True)
    [tensor([1, 2]), tensor([3])]
    """
    each = padded_sequences.unbind(0 if batch_first else 1)
    return [one[:length] for one, length in zip(each, lengths.tolist(), strict=True)]


def pack_sequence(sequences: list[Tensor], enforce_sorted: bool = True) -> PackedSequence:
    """Pack sequences (L, ...) of different lengths.

    >>> pack_sequence([ow.tensor([1, 2, 3]), ow.tensor([4])]).data
    tensor([1, 4, 2, 3])
    """
    lengths = [each.shape[0] for each in sequences]
    return pack_padded_sequence(pad_sequence(sequences), lengths, enforce_sorted=enforce_sorted)


def unpack_sequence(packed_sequences: PackedSequence) -> list[Tensor]:
    """Return the sequences of a packed batch.

    >>> unpack_sequence(pack_sequence([ow.tensor([1, 2, 3]), ow.tensor([4])]))
    [tensor([1, 2, 3]), tensor([4])]
    """
    padded, lengths = pad_packed_sequence(packed_sequences, batch_first=True)
    return unpad_sequence(padded, lengths, batch_first=True)


class Group(NamedTuple):
    """Sequences of one length, neighbours in the packed order, as a tensor (length, count, ...)."""

    start: int
    count: int
    rows: list[int]
    steps: Tensor


def groups_of_one_length(packed: PackedSequence) -> list[Group]:
    """Split a packed batch into groups whose sequences are equally long; the longest is first."""
    sizes = packed.batch_sizes.tolist()
    offsets = _offsets(sizes)
    lengths = [sum(place < size for size in sizes) for place in range(sizes[0])]
    groups, start = [], 0
    for length, members in groupby(lengths):
        count = len(list(members))
        rows = [offsets[step] + start + n for step in range(length) for n in range(count)]
        chosen = packed.data.index_select(0, ow.tensor(rows, device=packed.data.device))
        groups.append(Group(start, count, rows, chosen.unflatten(0, (length, count))))
        start += count
    return groups


def with_outputs(
    packed: PackedSequence, groups: list[Group], outputs: list[Tensor]
) -> PackedSequence:
    """Return a packed batch with the outputs (length, count, ...) of its groups as its data."""
    data = ow.cat([each.flatten(0, 1) for each in outputs])
    rows = ow.tensor([row for group in groups for row in group.rows], device=data.device)
    order = invert_permutation(rows)
    assert order is not None
    return PackedSequence(
        data.index_select(0, order),
        packed.batch_sizes,
        packed.sorted_indices,
        packed.unsorted_indices,
    )

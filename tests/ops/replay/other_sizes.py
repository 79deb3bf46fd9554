"""Other sizes for the inputs of a traced call, and inputs of these sizes."""

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass

import opwright as ow
import torch

from .call import NotReplayableError

MOST_ELEMENTS = 1 << 20
SYMBOL = re.compile(r"[su]\d+")


@dataclass
class Form:
    """Dtype, sizes, strides and offset of a tensor while it is traced, as text."""

    dtype: ow.dtype
    sizes: list[str]
    strides: list[str]
    offset: str

    @staticmethod
    def of(tensor: ow.Tensor) -> "Form":
        return Form(
            tensor.dtype,
            [str(size) for size in tensor.shape],
            [str(stride) for stride in tensor.stride()],
            str(tensor.storage_offset()),
        )


def evaluate(text: str, values: dict[str, int]) -> int | None:
    """Return the expression's value; None if a symbol has none."""
    if any(name not in values for name in SYMBOL.findall(text)):
        return None
    return eval(text, {"__builtins__": {}, "min": min, "max": max}, values)


def symbols_of(forms: list[Form], tensors: list) -> dict[str, int]:
    """The symbols that are sizes of inputs, with their values in these inputs."""
    return {
        text: int(size)
        for form, tensor in zip(forms, tensors, strict=True)
        for text, size in zip(form.sizes, tensor.shape, strict=True)
        if SYMBOL.fullmatch(text)
    }


def proposals(symbols: dict[str, int], seed: str) -> Iterator[dict[str, int]]:
    """Return other values for the symbols: larger ones, multiples, one changed, swapped, random."""
    rng = random.Random(seed)
    names = list(symbols)
    yield {name: value + 1 for name, value in symbols.items()}
    yield {name: value * 2 for name, value in symbols.items()}
    yield {name: rng.randint(2, 9) for name in names}
    for name in names[:4]:
        yield symbols | {name: symbols[name] + 1}
        yield symbols | {name: symbols[name] * 2}
    yield {name: value + 2 for name, value in symbols.items()}
    yield {name: value * 3 for name, value in symbols.items()}
    yield dict(zip(names, list(symbols.values())[::-1], strict=True))
    for _ in range(4):
        yield {name: rng.randint(2, 9) for name in names}
        yield symbols | {rng.choice(names): rng.randint(2, 9)}


def overlaps(sizes: list[int], strides: list[int]) -> bool:
    """Return whether rows of one dimension overlap; one that repeats (stride 0) does not."""
    reach = 0
    for stride, size in sorted(zip(strides, sizes, strict=True)):
        if size > 1 and stride > 0:
            if stride <= reach:
                return True
            reach += (size - 1) * stride
    return False


def resize(form: Form, original: torch.Tensor, values: dict[str, int]) -> torch.Tensor:
    """Make a tensor of the form at these values, with the data of `original` repeated or cut."""
    sizes = [evaluate(text, values) for text in form.sizes]
    strides = [evaluate(text, values) for text in form.strides]
    offset = evaluate(form.offset, values)
    reach = sum((size - 1) * stride for size, stride in zip(sizes, strides, strict=True))
    count = offset + (0 if 0 in sizes else 1 + reach)
    if count > MOST_ELEMENTS or min([0, *strides]) < 0:
        raise NotReplayableError("too large at other sizes")
    whole = torch.zeros(count, dtype=original.dtype)
    if 0 in sizes:
        return whole.as_strided(sizes, strides, offset)
    # A dimension that repeats one element is written once.
    own_sizes = [1 if stride == 0 else size for size, stride in zip(sizes, strides, strict=True)]
    source = original
    for dim, size in enumerate(own_sizes):
        if size != source.shape[dim]:
            places = torch.arange(size) % max(1, source.shape[dim])
            source = source.index_select(dim, places)
    whole.as_strided(own_sizes, strides, offset).copy_(source)
    return whole.as_strided(sizes, strides, offset)


def resize_all(
    forms: list[Form], originals: list[torch.Tensor], values: dict[str, int]
) -> list[torch.Tensor] | None:
    """Return the inputs at these values; None if one cannot have its strides then."""
    storages = {each.untyped_storage()._cdata for each in originals}
    if len(storages) != len(originals):
        raise NotReplayableError("inputs that share memory")
    resized = [resize(form, each, values) for form, each in zip(forms, originals, strict=True)]
    for old, new in zip(originals, resized, strict=True):
        if overlaps(new.shape, new.stride()) and not overlaps(old.shape, old.stride()):
            return None
    return resized

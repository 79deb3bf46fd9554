"""Variants of a call: other strides, offsets, dtypes, sizes, numbers, special values, overlaps.

Each is a call that nobody wrote: torch may refuse it, and then we must; what it computes we must
compute. None may end the process or touch memory that is not the tensors' (run it under ASan).
The changes are opcheck's wild variations (src/check/variation/wild_variation.cpp); here the call
goes there and back as torch's.
"""

import random

import opwright as ow
import torch
from opwright import _C

from .call import copy_arguments, map_values, tensors_of
from .conversion import DTYPES, convert

LARGEST = 1 << 14  # elements of a tensor that is varied; larger ones are slow
SPARE = 64  # elements after an empty tensor, as after a part of a larger one
NUMBERS = (bool, int, float, complex)
TORCH_DTYPES = {ours: torchs for torchs, ours in DTYPES.items()}


def mutate(rng: random.Random, operator, args: tuple, kwargs: dict) -> tuple[tuple, dict] | None:
    """Make one or two changes to copies of the arguments; None if there is nothing to change.

    `operator` is ours.
    """
    if any(tensor.numel() > LARGEST for tensor in tensors_of((args, kwargs))):
        return None
    ours = convert(copy_arguments(args, kwargs))
    variations = _C.vary(operator, *ours, seed=rng.getrandbits(64), wild=True)
    variant = next(variations, None)
    if variant is None:
        return None
    return put_back(operator, args, kwargs, variant[0])


def put_back(operator, args: tuple, kwargs: dict, values: list) -> tuple[tuple, dict]:
    """Return the values of all schema arguments as a call of torch."""
    arguments = operator.schema.arguments
    names = [argument.name for argument in arguments]
    given = dict(zip(names, args, strict=False)) | kwargs
    back = Back(values)
    new_args, new_kwargs = [], {}
    for position, (argument, value) in enumerate(zip(arguments, values, strict=True)):
        if argument.name not in given:
            if isinstance(value, NUMBERS) and value != argument.default:
                new_kwargs[argument.name] = value
            continue
        changed = back(value) if is_varied(value) else given[argument.name]
        if position < len(args):
            new_args.append(changed)
        else:
            new_kwargs[argument.name] = changed
    return tuple(new_args), new_kwargs


def is_varied(value) -> bool:
    """Return whether a change can have affected it: dtypes, devices and so on stay torch's own."""
    if isinstance(value, list):
        return True
    return isinstance(value, (*NUMBERS, ow.Tensor))


class Back:
    """Converts our tensors to torch's, over the same memory; equal storages stay equal."""

    def __init__(self, values: list):
        self.reach = {}
        map_values(lambda leaf: self.note(leaf) if isinstance(leaf, ow.Tensor) else None, values)
        self.bases = {}

    def __call__(self, value):
        return map_values(
            lambda leaf: self.tensor(leaf) if isinstance(leaf, ow.Tensor) else leaf, value
        )

    def note(self, tensor: ow.Tensor) -> None:
        """Count the elements from the beginning of the storage to the tensor's last one."""
        if tensor.numel() == 0:
            return
        steps = zip(tensor.shape, tensor.stride(), strict=True)
        reach = tensor.storage_offset() + 1 + sum((size - 1) * step for size, step in steps)
        key = storage_key(tensor)
        self.reach[key] = max(reach, self.reach.get(key, 0))

    def tensor(self, tensor: ow.Tensor) -> torch.Tensor:
        if tensor.numel() == 0:
            base = torch.ones(SPARE, dtype=TORCH_DTYPES[tensor.dtype])
        else:
            key = storage_key(tensor)
            if key not in self.bases:
                whole = tensor.detach().as_strided((self.reach[key],), (1,), 0)
                self.bases[key] = torch.from_dlpack(whole)
            base = self.bases[key]
        return base.as_strided(tuple(tensor.shape), tuple(tensor.stride()), tensor.storage_offset())


def storage_key(tensor: ow.Tensor) -> tuple:
    return tensor.data_ptr() - tensor.storage_offset() * tensor.element_size(), tensor.dtype

"""Variants of a call: other strides, offsets, dtypes, sizes, numbers, special values, overlaps.

Each is a call that nobody wrote: torch may refuse it, and then we must; what it computes we must
compute. None may end the process or touch memory that is not the tensors' (run it under ASan).
"""

import random

import torch

from .call import copy_arguments, map_values, tensors_of

DTYPES = (
    torch.float32,
    torch.float64,
    torch.float16,
    torch.bfloat16,
    torch.complex64,
    torch.int64,
    torch.int32,
    torch.int8,
    torch.uint8,
    torch.bool,
)
INTS = (-3, -2, -1, 0, 1, 2, 3, 5)
FLOATS = (0.0, -1.0, 0.5, 1.0, 2.0, 1e30, float("inf"), float("nan"))
LARGEST = 1 << 14  # elements of a tensor that is varied; others make a run slow


def mutate(rng: random.Random, args: tuple, kwargs: dict) -> tuple[tuple, dict] | None:
    """One or two changes of copies of the arguments; None where there is nothing to change."""
    arguments = copy_arguments(args, kwargs)
    if any(tensor.numel() > LARGEST for tensor in tensors_of(arguments)):
        return None
    for _ in range(rng.choice((1, 1, 2))):
        change = rng.choice(CHANGES)
        changed = change(rng, arguments)
        if changed is None:
            return None
        arguments = changed
    return arguments


def replace_one(rng: random.Random, arguments, is_target, function):
    """The arguments with `function` applied to one of the leaves that are targets."""
    targets = []
    map_values(lambda leaf: targets.append(leaf) if is_target(leaf) else None, arguments)
    if not targets:
        return None
    chosen, counted = rng.randrange(len(targets)), iter(range(len(targets)))

    def visit(leaf):
        return function(leaf) if is_target(leaf) and next(counted) == chosen else leaf

    return map_values(visit, arguments)


def is_tensor(leaf) -> bool:
    return isinstance(leaf, torch.Tensor)


def change_strides(rng: random.Random, arguments):
    def with_order(tensor: torch.Tensor) -> torch.Tensor:
        order = rng.sample(range(tensor.dim()), tensor.dim())
        back = [order.index(dim) for dim in range(tensor.dim())]
        return tensor.permute(order).contiguous().permute(back)

    def with_gaps(tensor: torch.Tensor) -> torch.Tensor:
        step, start = rng.randint(1, 3), rng.randint(0, 2)
        sizes = [start + step * size + 1 for size in tensor.shape]
        around = torch.zeros(sizes, dtype=tensor.dtype)
        inner = around[tuple(slice(start, start + step * size, step) for size in tensor.shape)]
        return inner.copy_(tensor)

    def with_repeats(tensor: torch.Tensor) -> torch.Tensor:
        if tensor.dim() == 0 or 0 in tensor.shape:
            return tensor
        return tensor.narrow(rng.randrange(tensor.dim()), 0, 1).expand_as(tensor)

    return replace_one(rng, arguments, is_tensor, rng.choice((with_order, with_gaps, with_repeats)))


def change_dtype(rng: random.Random, arguments):
    dtype = rng.choice(DTYPES)
    if rng.random() < 0.5:
        return map_values(lambda leaf: leaf.to(dtype) if is_tensor(leaf) else leaf, arguments)
    return replace_one(rng, arguments, is_tensor, lambda tensor: tensor.to(dtype))


def change_sizes(rng: random.Random, arguments):
    def shorten(tensor: torch.Tensor) -> torch.Tensor:
        if tensor.dim() == 0 or 0 in tensor.shape:
            return tensor
        dim = rng.randrange(tensor.dim())
        return tensor.narrow(dim, 0, rng.choice((0, 1, tensor.shape[dim] - 1)))

    changes = (
        shorten,
        lambda tensor: tensor.unsqueeze(rng.randint(0, tensor.dim())),
        lambda tensor: tensor if tensor.dim() == 0 or tensor.shape[0] == 0 else tensor[0],
        lambda tensor: tensor.reshape(-1),
    )
    return replace_one(rng, arguments, is_tensor, rng.choice(changes))


def empty_together(rng: random.Random, arguments):
    """No element along the last dimension, or the first, of all tensors of one rank."""
    tensors = [tensor for tensor in tensors_of(arguments) if tensor.dim() > 0]
    if not tensors:
        return None
    ndim, dim = rng.choice(tensors).dim(), rng.choice((0, -1))

    def visit(leaf):
        return leaf.narrow(dim, 0, 0) if is_tensor(leaf) and leaf.dim() == ndim else leaf

    return map_values(visit, arguments)


def change_number(rng: random.Random, arguments):
    def is_number(leaf) -> bool:
        return isinstance(leaf, int | float) and not isinstance(leaf, torch.SymInt)

    def visit(leaf):
        if isinstance(leaf, bool):
            return not leaf
        return rng.choice(INTS if isinstance(leaf, int) else FLOATS)

    return replace_one(rng, arguments, is_number, visit)


def add_special_values(rng: random.Random, arguments):
    def visit(tensor: torch.Tensor) -> torch.Tensor:
        if tensor.numel() == 0 or tensor.dtype == torch.bool:
            return tensor
        if tensor.is_floating_point() or tensor.is_complex():
            special = rng.choice((float("nan"), float("inf"), -float("inf"), 0.0, -0.0))
        else:
            info = torch.iinfo(tensor.dtype)
            special = rng.choice((info.min, info.max, 0, -1 if info.min else 1))
        copy = tensor.clone()
        copy.view(-1)[rng.randrange(tensor.numel())] = special if copy.is_contiguous() else 0
        return copy

    return replace_one(rng, arguments, lambda leaf: is_tensor(leaf) and leaf.is_contiguous(), visit)


def share_memory(rng: random.Random, arguments):
    """A tensor in the memory of another of its sizes and dtype: the same, or one element on."""
    tensors = [tensor for tensor in tensors_of(arguments) if tensor.numel() > 0]
    if len(tensors) < 2:
        return None
    first = rng.choice(tensors)
    alike = [
        each
        for each in tensors
        if each is not first and each.shape == first.shape and each.dtype == first.dtype
    ]
    if not alike:
        return None
    second, shift = rng.choice(alike), rng.choice((0, 1))
    memory = torch.zeros(first.numel() + 1, dtype=first.dtype)
    memory[: first.numel()] = first.reshape(-1)
    views = {
        id(first): memory[: first.numel()].view(first.shape),
        id(second): memory[shift : shift + first.numel()].view(first.shape),
    }
    return map_values(lambda leaf: views.get(id(leaf), leaf), arguments)


CHANGES = (
    change_strides,
    change_strides,
    change_dtype,
    change_sizes,
    empty_together,
    change_number,
    add_special_values,
    share_memory,
)

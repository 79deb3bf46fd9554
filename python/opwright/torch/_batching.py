"""vmap of pointwise operators: one call on tensors with the batch dimension moved to the front."""

from collections.abc import Callable

import torch


def make_pointwise_rule(overload: torch._ops.OpOverload) -> Callable:
    """Return the vmap rule of an operator that is tagged pointwise."""
    num_results = len(overload._schema.returns)

    def rank(value: object, dim: object) -> int:
        if isinstance(value, torch.Tensor):
            return value.dim() - (dim is not None)
        if isinstance(value, list | tuple):
            dims = dim if isinstance(dim, list | tuple) else [None] * len(value)
            return max((rank(v, d) for v, d in zip(value, dims, strict=True)), default=0)
        return 0

    def aligned(value: object, dim: object, wanted: int) -> object:
        if isinstance(value, list | tuple):
            dims = dim if isinstance(dim, list | tuple) else [None] * len(value)
            return [aligned(v, d, wanted) for v, d in zip(value, dims, strict=True)]
        if dim is None or not isinstance(value, torch.Tensor):
            return value
        moved = value.movedim(dim, 0)
        sizes = moved.shape
        return moved.reshape(sizes[0], *[1] * (wanted + 1 - moved.dim()), *sizes[1:])

    def rule(_info: object, in_dims: tuple, *args: object, **kwargs: object) -> tuple:
        wanted = max(map(rank, args, in_dims), default=0)
        given = [aligned(value, dim, wanted) for value, dim in zip(args, in_dims, strict=True)]
        results = overload(*given, **kwargs)
        return results, 0 if num_results == 1 else (0,) * num_results

    return rule

"""vmap of an operator without a rule: one call for each sample, as in Opwright's own vmap.

torch's own loop does not support operators that write, or lists of tensors.
"""

from collections.abc import Callable

import torch

from .. import _torch
from ._functions import Functions


def make_loop_rule(functions: Functions, overload: torch._ops.OpOverload) -> Callable:
    """Return a vmap rule that calls `overload` on one sample after the other."""
    operator = functions.operator
    written = [i for i, (_, _, is_written, _) in enumerate(operator.arguments) if is_written]

    def rule(info: object, in_dims: tuple, *args: object, **kwargs: object) -> tuple:
        _check_can_loop(functions, info)
        for i in written:
            if i < len(args) and in_dims[i] is None:
                raise RuntimeError(
                    f"{operator.name}: '{operator.arguments[i][0]}' is written with values that "
                    "differ between the samples of vmap, but it is one tensor for all of them\n"
                    "  Make one for each sample inside of the mapped function, or pass an expanded "
                    "one as an argument."
                )
        calls = [
            overload(
                *[_sample(arg, dim, i) for arg, dim in zip(args, in_dims, strict=True)], **kwargs
            )
            for i in range(info.batch_size)
        ]
        return _join(operator, calls, args, in_dims)

    return rule


def _check_can_loop(functions: Functions, info: object) -> None:
    operator = functions.operator
    if any(viewed >= 0 for _, _, viewed in operator.results):
        raise NotImplementedError(
            f"{operator.name} returns a view and has no rule for vmap\n"
            "  Register one with register_vmap."
        )
    if "nondeterministic_seeded" in functions.tags and info.randomness != "different":
        raise RuntimeError(
            f"{operator.name}: random numbers were requested inside vmap with "
            f"randomness={info.randomness!r}, and it has no rule for vmap\n"
            '  Say vmap(..., randomness="different"), or register a rule with register_vmap.'
        )


def _sample(value: object, dim: object, index: int) -> object:
    if isinstance(value, list | tuple):
        dims = dim if isinstance(dim, list | tuple) else [dim] * len(value)
        return [_sample(v, d, index) for v, d in zip(value, dims, strict=True)]
    return value if dim is None else value.select(dim, index)


def _stack(samples: list) -> tuple[object, object]:
    """Return one result for all samples and its batch dimension."""
    if isinstance(samples[0], list | tuple):
        stacked = [torch.stack(elements) for elements in zip(*samples, strict=True)]
        return stacked, [0] * len(stacked)
    if isinstance(samples[0], torch.Tensor):
        return torch.stack(samples), 0
    return samples[0], None


def _join(operator: _torch.Operator, calls: list, args: tuple, in_dims: tuple) -> tuple:
    if not operator.results:
        return None, None
    is_single = len(operator.results) == 1
    columns = [calls] if is_single else list(zip(*calls, strict=True))
    results, dims = [], []
    for (_, written, _), column in zip(operator.results, columns, strict=True):
        result, dim = (args[written], in_dims[written]) if written >= 0 else _stack(list(column))
        results.append(result)
        dims.append(dim)
    return (results[0], dims[0]) if is_single else (tuple(results), tuple(dims))

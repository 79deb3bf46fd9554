"""torch.functional: operators whose arguments PyTorch accepts in more forms than their schemas."""

from collections.abc import Sequence

import opwright as ow
from opwright import _C, Tensor

__all__ = ["broadcast_shapes", "cdist", "einsum", "tensordot", "unravel_index"]

# How cdist computes distances for p=2, as the schema counts them.
_COMPUTE_MODES = {
    "use_mm_for_euclid_dist_if_necessary": 0,
    "use_mm_for_euclid_dist": 1,
    "donot_use_mm_for_euclid_dist": 2,
}
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def einsum(*args: object, path: Sequence[int] | None = None) -> Tensor:
    """Sum products of operands over the subscripts of an equation.

    >>> import opwright.compat.torch as torch
    >>> torch.einsum("ij,j->i", torch.ones(2, 3), torch.tensor([1.0, 2.0, 3.0]))
    tensor([6., 6.])

    Instead of an equation, each operand may be followed by a list of numbers from 0 to 51.
    """
    if len(args) < 2:
        raise ValueError("einsum: there must be an equation and at least one operand")
    equation, operands = (args[0], args[1:]) if isinstance(args[0], str) else _read_sublists(args)
    if len(operands) == 1 and isinstance(operands[0], list | tuple):
        operands = operands[0]
    return ow.ops.aten.einsum(equation, list(operands), path=path)


def _read_sublists(args: tuple) -> tuple[str, tuple]:
    count = len(args) // 2
    terms = [_subscripts(each) for each in args[1 : 2 * count : 2]]
    output = f"->{_subscripts(args[-1])}" if len(args) % 2 else ""
    return ",".join(terms) + output, args[0 : 2 * count : 2]


def _subscripts(numbers: Sequence) -> str:
    text = ""
    for number in numbers:
        if number is not Ellipsis and not 0 <= number < len(_LETTERS):
            raise ValueError(
                f"einsum: subscripts in a list must be between 0 and {len(_LETTERS) - 1}, "
                f"got {number}"
            )
        text += "..." if number is Ellipsis else _LETTERS[number]
    return text


def tensordot(a: Tensor, b: Tensor, dims: int | Sequence = 2, out: Tensor | None = None) -> Tensor:
    """Sum products over dimensions of both: the last of `a` and the first of `b`, or two lists.

    >>> import opwright.compat.torch as torch
    >>> torch.tensordot(torch.ones(2, 3), torch.ones(3, 4), dims=1).shape
    (2, 4)
    """
    if isinstance(dims, Tensor):
        dims = dims.tolist()
    if isinstance(dims, int):
        if dims < 0:
            raise RuntimeError(f"tensordot: dims must not be negative, got {dims}")
        if dims > min(a.ndim, b.ndim):
            raise RuntimeError(
                f"tensordot: dims must be at most the {min(a.ndim, b.ndim)} dimensions of a and b, "
                f"got {dims}"
            )
        of_a, of_b = list(range(-dims, 0)), list(range(dims))
    else:
        of_a, of_b = ([each] if isinstance(each, int) else list(each) for each in dims)
    if out is not None:
        return ow.ops.aten.tensordot(a, b, of_a, of_b, out=out)
    return ow.ops.aten.tensordot(a, b, of_a, of_b)


def cdist(
    x1: Tensor,
    x2: Tensor,
    p: float = 2.0,
    compute_mode: str = "use_mm_for_euclid_dist_if_necessary",
) -> Tensor:
    """Return the distance of each row of `x1` from each row of `x2`.

    >>> import opwright.compat.torch as torch
    >>> torch.cdist(torch.zeros(1, 2), torch.tensor([[3.0, 4.0]]))
    tensor([[5.]])
    """
    if compute_mode not in _COMPUTE_MODES:
        raise ValueError(
            f"cdist: compute_mode must be one of {', '.join(_COMPUTE_MODES)}, got {compute_mode!r}"
        )
    return ow.ops.aten.cdist(x1, x2, float(p), _COMPUTE_MODES[compute_mode])


def unravel_index(indices: Tensor, shape: int | Sequence[int]) -> tuple[Tensor, ...]:
    """Return the coordinates of elements that `indices` counts in row-major order.

    >>> import opwright.compat.torch as torch
    >>> torch.unravel_index(torch.tensor([3, 5]), (2, 3))
    (tensor([1, 1]), tensor([0, 2]))
    """
    if indices.is_floating_point() or indices.is_complex() or indices.dtype is _C.bool:
        raise TypeError(
            f"unravel_index: expected 'indices' to be integer, but got {indices.dtype}; convert "
            "it with indices.long()"
        )
    if not isinstance(shape, (int, _C.SymInt, Sequence)):
        raise TypeError(
            f"unravel_index: expected 'shape' to be int or sequence of ints, got "
            f"{type(shape).__name__}"
        )
    sizes = list(shape) if isinstance(shape, Sequence) else [shape]
    for size in sizes:
        if not isinstance(size, (int, _C.SymInt)):
            raise TypeError(
                "unravel_index: expected 'shape' sequence to only contain ints, got "
                f"{type(size).__name__}"
            )
    if any(size < 0 for size in sizes):
        raise ValueError(
            f"unravel_index: 'shape' cannot have negative values, but got {tuple(sizes)}"
        )
    coordinates = []
    left = indices
    for size in reversed(sizes):
        coordinates.append(left % size)
        left = left.div(size, rounding_mode="floor")
    return tuple(reversed(coordinates))


def broadcast_shapes(*shapes: int | Sequence[int]) -> ow.Size:
    """Return the sizes of the result of a pointwise operator on tensors of these sizes.

    >>> import opwright.compat.torch as torch
    >>> torch.broadcast_shapes((2, 1), (3,), 1)
    (2, 3)
    """
    for index, each in enumerate(shapes):
        if not isinstance(each, (int, _C.SymInt, Sequence)):
            raise RuntimeError(
                "broadcast_shapes: Input shapes should be of type ints, a tuple of ints, or a list "
                f"of ints, got {each!r} as argument {index}"
            )
    given = [tuple(each) if isinstance(each, Sequence) else (each,) for each in shapes]
    common: list[int] = [1] * max((len(each) for each in given), default=0)
    for index, sizes in enumerate(given):
        for dim, size in enumerate(reversed(sizes), 1):
            if size < 0:
                raise ValueError(
                    f"broadcast_shapes: sizes must not be negative, got {size} in argument {index} "
                    "(Attempting to broadcast a dimension with negative length!)"
                )
            if size == 1 or common[-dim] == size:
                continue
            if common[-dim] != 1:
                raise RuntimeError(
                    f"broadcast_shapes: argument {index} has size {size} at dimension {-dim}, "
                    f"those before it have {common[-dim]} (Attempting to broadcast a dimension of "
                    f"length {size} at {-dim}!)\n  Sizes must be equal or 1, from the last "
                    "dimension on."
                )
            common[-dim] = size
    return ow.Size(common)

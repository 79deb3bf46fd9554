"""How operations change the sizes of tensor types: the rules of the gradual type checker.

A type is a TensorType, whose sizes are numbers, Dyn, variables or symbols of sympy; or it is Dyn if
nothing is known.
"""

import math
from typing import Any

from ..tensor_type import Dyn, TensorType, is_consistent, is_more_precise
from .unification import Var

__all__ = [
    "broadcast_types",
    "calculate_out_dimension",
    "conv2d_type",
    "expand_to_tensor_dim",
    "flatten_range",
    "flatten_type",
    "get_greatest_upper_bound",
    "linear_type",
    "pool2d_type",
    "reshape_type",
    "transpose_type",
]


def expand_to_tensor_dim(t: Any, n: int) -> TensorType:
    """Return a type as one of n sizes.

    >>> expand_to_tensor_dim(Dyn, 2)
    TensorType[(Dyn, Dyn)]
    """
    if t == Dyn:
        return TensorType((Dyn,) * n)
    if not isinstance(t, TensorType):
        raise TypeError(f"{t} is not the type of a tensor")
    if len(t.dims) != n:
        raise TypeError(f"{t} has {len(t.dims)} dimensions, but {n} are needed")
    return t


def broadcast_types(t1: Any, t2: Any) -> tuple[Any, Any]:
    """Return both types with the sizes that broadcasting gives them; Dyn stays.

    >>> broadcast_types(TensorType((2, 1)), TensorType((3,)))
    (TensorType[(2, 3)], TensorType[(2, 3)])
    """
    if any(each == Dyn or isinstance(each, Var) for each in (t1, t2)):
        return t1, t2
    if not isinstance(t1, TensorType) or not isinstance(t2, TensorType):
        raise TypeError(f"types {t1} and {t2} cannot be broadcast")
    length = max(len(t1.dims), len(t2.dims))
    first, second = ((1,) * (length - len(t.dims)) + tuple(t.dims) for t in (t1, t2))
    pairs = list(zip(first, second, strict=True))
    return (
        TensorType(tuple(y if x == 1 else x for x, y in pairs)),
        TensorType(tuple(x if y == 1 else y for x, y in pairs)),
    )


def get_greatest_upper_bound(type1: Any, type2: Any) -> Any:
    """Return the type that says what both say.

    >>> get_greatest_upper_bound(TensorType((1, Dyn)), TensorType((Dyn, 2)))
    TensorType[(1, 2)]
    """
    if not is_consistent(type1, type2):
        raise TypeError(f"the types {type1} and {type2} are inconsistent")
    if type1 == Dyn or type2 == Dyn:
        return type2 if type1 == Dyn else type1
    if not isinstance(type1, TensorType):
        return type1
    sizes = zip(type1.dims, type2.dims, strict=True)
    return TensorType(tuple(x if is_more_precise(x, y) else y for x, y in sizes))


def transpose_type(given: TensorType, dim1: int, dim2: int) -> TensorType:
    """Return the type with two sizes exchanged."""
    count = len(given.dims)
    if not (-count <= dim1 < count and -count <= dim2 < count):
        raise TypeError(f"dimensions {dim1} and {dim2} of {given} cannot be exchanged")
    sizes = list(given.dims)
    sizes[dim1], sizes[dim2] = sizes[dim2], sizes[dim1]
    return TensorType(tuple(sizes))


def reshape_type(given: Any, sizes: list[Any]) -> TensorType:
    """Return the type of a reshape; -1 and a computed size are Dyn.

    Without unknown sizes the number of elements must fit; with some, one of the known products
    must divide the other.
    """
    wanted = TensorType(tuple(each if type(each) is int and each >= 0 else Dyn for each in sizes))
    if given == Dyn:
        return wanted
    if not isinstance(given, TensorType):
        raise TypeError(f"{given} cannot be reshaped to {wanted}")
    known = [each for each in given.dims if type(each) is int]
    asked = [each for each in wanted.dims if type(each) is int]
    before, after = math.prod(known), math.prod(asked)
    if len(known) == len(given.dims) and len(asked) == len(sizes):
        fits = before == after
    elif len(known) == len(given.dims):
        fits = before == after if after == 0 else before % after == 0
    else:
        fits = 0 in (before, after) or before % after == 0 or after % before == 0
    if not fits:
        raise TypeError(f"{given} cannot be reshaped to {wanted}")
    return wanted


def flatten_range(given: TensorType, start_dim: int, end_dim: int) -> tuple[int, int]:
    """Return the first dimension that flatten merges, and the one after the last."""
    count = len(given.dims)
    start = start_dim + count if start_dim < 0 else start_dim
    end = end_dim + count if end_dim < 0 else end_dim
    if not 0 <= start <= end < count:
        raise TypeError(f"dimensions {start_dim} to {end_dim} of {given} cannot be flattened")
    return start, end + 1


def flatten_type(given: TensorType, start_dim: int, end_dim: int) -> TensorType:
    """Return the type with some sizes as one, which is Dyn if one of them is."""
    start, end = flatten_range(given, start_dim, end_dim)
    merged = given.dims[start:end]
    size = Dyn if Dyn in merged else math.prod(merged)
    return TensorType((*given.dims[:start], size, *given.dims[end:]))


def calculate_out_dimension(d_in: Any, module_instance: Any, index: int) -> Any:
    """Return the size that a convolution or pooling gives dimension `index` of the last two."""
    if d_in == Dyn or isinstance(module_instance.padding, str):
        is_same = module_instance.padding == "same"
        return d_in if is_same else _window_count(d_in, module_instance, index, 0)
    return _window_count(d_in, module_instance, index, _pair(module_instance.padding)[index])


def _window_count(size: Any, module: Any, index: int, padding: int) -> Any:
    if size == Dyn:
        return Dyn
    if not isinstance(size, int) and not hasattr(size, "free_symbols"):
        raise TypeError(f"{module}: a size must be a number, a symbol or Dyn, got {size}")
    stride = _pair(module.stride)[index]
    reach = _pair(module.dilation)[index] * (_pair(module.kernel_size)[index] - 1) + 1
    room = size + 2 * padding - reach
    if getattr(module, "ceil_mode", False) and isinstance(size, int):
        count = -(-room // stride) + 1
        return count - 1 if (count - 1) * stride >= size + padding else count
    return room // stride + 1


def _pair(value: Any) -> tuple[Any, Any]:
    if isinstance(value, (tuple, list)):
        return (value[0], value[0]) if len(value) == 1 else tuple(value)
    return value, value


def conv2d_type(given: TensorType, module: Any) -> TensorType:
    """Return the type of a Conv2d's result for an operand of four sizes."""
    if not is_consistent(given.dims[1], module.in_channels):
        raise TypeError(f"{module} takes {module.in_channels} channels, got {given}")
    sizes = [calculate_out_dimension(given.dims[2 + index], module, index) for index in (0, 1)]
    return TensorType((given.dims[0], module.out_channels, *sizes))


def pool2d_type(given: TensorType, sizes: list[Any], module: Any) -> TensorType:
    """Return the type with other last two sizes; the operand has three or four."""
    if len(given.dims) not in (3, 4):
        raise TypeError(f"{module} takes three or four dimensions, got {given}")
    return TensorType((*given.dims[:-2], *sizes))


def linear_type(given: TensorType, module: Any) -> TensorType:
    """Return the type of a Linear's result."""
    if not given.dims or not is_consistent(given.dims[-1], module.in_features):
        raise TypeError(f"{module} takes {module.in_features} features, got {given}")
    return TensorType((*given.dims[:-1], module.out_features))

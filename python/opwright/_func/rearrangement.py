"""func.rearrange: reshape and permute by a pattern of named dimensions."""

import math
import re
from collections.abc import Sequence
from typing import Any

from .. import _C
from .._C import Tensor

__all__ = ["rearrange"]

_ELLIPSIS = "..."
_TOKEN = re.compile(r"\s*(\.\.\.|[A-Za-z_]\w*|\d+|[()]|\S)")

# The named parts of one dimension, outermost first: ["h", "w"] for (h w), [] for a size of 1.
_Dimension = list[Any]


def rearrange(tensor: Tensor | Sequence[Tensor], pattern: str, **axes_lengths: int) -> Tensor:
    """Return a tensor with its dimensions split, permuted and merged as the pattern says.

    The pattern names the dimensions before and after `->`. Parentheses name the parts of one
    dimension, whose sizes follow from the others or are given by name; `1` is a dimension of size
    1; `...` stands for any number of dimensions. A list of tensors counts as stacked along a new
    first dimension.

    >>> import opwright as ow
    >>> images = ow.zeros(32, 30, 40, 3)
    >>> ow.func.rearrange(images, "b h w c -> b c h w").shape
    (32, 3, 30, 40)
    >>> ow.func.rearrange(images, "b (h1 h) w c -> (b h1) h w c", h1=2).shape
    (64, 15, 40, 3)
    >>> ow.func.rearrange(images, "b ... -> b (...)").shape
    (32, 3600)
    """
    if not isinstance(tensor, Tensor):
        tensor = _C.make_function("stack")(list(tensor))
    left, right = _parse(pattern)
    left, right = _expand_ellipses(pattern, left, right, tensor.ndim)
    _check_names(pattern, left, right, axes_lengths)
    sizes = _find_sizes(pattern, left, tensor, axes_lengths)
    names = [name for group in left for name in group]
    order = [names.index(name) for group in right for name in group]
    split = tensor.reshape([sizes[name] for name in names])
    merged = [math.prod(sizes[name] for name in group) for group in right]
    return split.permute(order).reshape(merged)


def _error(pattern: str, problem: str) -> ValueError:
    return ValueError(f"rearrange: {problem}, in the pattern '{pattern}'")


def _parse(pattern: str) -> tuple[list[_Dimension], list[_Dimension]]:
    left, arrow, right = pattern.partition("->")
    if not arrow or "->" in right:
        raise _error(pattern, "there must be one arrow")
    return _parse_side(pattern, left), _parse_side(pattern, right)


def _parse_side(pattern: str, side: str) -> list[_Dimension]:
    """Return the dimensions; an ellipsis outside of parentheses is [None]."""
    groups: list[_Dimension] = []
    is_inside = False
    for token in _TOKEN.findall(side):
        if token in "()":
            if (token == "(") == is_inside:
                raise _error(pattern, "parentheses must be closed and cannot be nested")
            is_inside = token == "("
            if is_inside:
                groups.append([])
        elif token == _ELLIPSIS or token.isidentifier() or token == "1":
            named = [] if token == "1" else [token]
            if is_inside:
                groups[-1] += named
            else:
                groups.append([None] if token == _ELLIPSIS else named)
        elif token.isdigit():
            raise _error(pattern, f"a dimension has a name or is 1, got {token}")
        else:
            raise _error(pattern, f"'{token}' is not the name of a dimension")
    if is_inside:
        raise _error(pattern, "parentheses must be closed and cannot be nested")
    return groups


def _expand_ellipses(
    pattern: str, left: list[_Dimension], right: list[_Dimension], ndim: int
) -> tuple[list[_Dimension], list[_Dimension]]:
    """Replace `...` by names for the dimensions that it stands for."""
    if any(_ELLIPSIS in group for group in left):
        raise _error(pattern, "'...' in parentheses stands only after the arrow")
    count = left.count([None])
    if count > 1:
        raise _error(pattern, "'...' stands at most once on each side")
    named = len(left) - count
    if ndim < named or (count == 0 and ndim != named):
        raise _error(pattern, f"the tensor has {ndim} dimensions and the left side names {named}")
    rest = [f"{_ELLIPSIS}{place}" for place in range(ndim - named)]
    if count == 0 and any(_ELLIPSIS in group or group == [None] for group in right):
        raise _error(pattern, "'...' stands on one side only")

    def expand(side: list[_Dimension]) -> list[_Dimension]:
        groups: list[_Dimension] = []
        for group in side:
            if group == [None]:
                groups += [[name] for name in rest]
            else:
                parts = [rest if name == _ELLIPSIS else [name] for name in group]
                groups.append([name for part in parts for name in part])
        return groups

    return expand(left), expand(right)


def _check_names(
    pattern: str,
    left: list[_Dimension],
    right: list[_Dimension],
    lengths: dict[str, int],
) -> None:
    sides = [[name for group in side for name in group] for side in (left, right)]
    for names in sides:
        for name in names:
            if names.count(name) > 1:
                shown = _ELLIPSIS if name.startswith(_ELLIPSIS) else name
                raise _error(pattern, f"'{shown}' stands twice on one side")
    for name in sorted(set(sides[0]) ^ set(sides[1])):
        shown = _ELLIPSIS if name.startswith(_ELLIPSIS) else name
        raise _error(pattern, f"'{shown}' stands on one side only")
    for name in lengths:
        if name not in sides[0]:
            raise _error(pattern, f"a size is given for '{name}', which the pattern does not have")


def _find_sizes(
    pattern: str, left: list[_Dimension], tensor: Tensor, lengths: dict[str, int]
) -> dict[str, Any]:
    sizes: dict[str, Any] = dict(lengths)
    for group, size in zip(left, tensor.shape, strict=True):
        unknown = [name for name in group if name not in sizes]
        if len(unknown) > 1:
            raise _error(pattern, f"the sizes of {' and '.join(unknown)} cannot both be inferred")
        known = math.prod(sizes[name] for name in group if name in sizes)
        fits = size == known if not unknown else known != 0 and size % known == 0
        if not fits:
            shown = f"({' '.join(group)})" if len(group) != 1 else group[0]
            raise _error(pattern, f"the size {size} does not fit '{shown}', a multiple of {known}")
        if unknown:
            sizes[unknown[0]] = size // known
    return sizes

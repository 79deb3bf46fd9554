"""Tables of decompositions: operators and the functions that compute them from others."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import opwright as ow
from opwright import Operator, Tensor
from opwright import export as _export


class OwnDecomposition:
    """The decomposition that an operator has itself.

    >>> from opwright.compat.torch.export import default_decompositions
    >>> import opwright.compat.torch as torch
    >>> linear = default_decompositions()[torch.ops.aten.linear.default]
    >>> linear(torch.ones(1, 2), torch.ones(3, 2))
    tensor([[2., 2., 2.]])
    """

    def __init__(self, operator: Operator) -> None:
        self.operator = operator

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.operator(*args, **kwargs)

    def __repr__(self) -> str:
        return f"OwnDecomposition({self.operator})"


class CustomDecompTable(dict[Operator, Callable[..., Any]]):
    """The result of `default_decompositions`: a dict by operator.

    Deleting an operator that is not decomposed anyway changes nothing. An operator that is defined
    later, and is composed of others, joins the table when it is used.

    >>> from opwright.compat.torch.export import default_decompositions
    >>> import opwright.compat.torch as torch
    >>> table = default_decompositions()
    >>> del table[torch.ops.aten.linear.default]
    >>> torch.ops.aten.linear.default in table
    False
    """

    def __init__(self, entries: Mapping[Operator, Callable[..., Any]] | None = None) -> None:
        super().__init__(entries or {})
        self._known = set(self)

    def __delitem__(self, operator: Operator) -> None:
        self.pop(operator, None)

    def __missing__(self, operator: Operator) -> Callable[..., Any]:
        raise KeyError(_torch_name(operator))

    def pop(self, operator: Operator, *default: Any) -> Any:
        """Remove an operator and return its decomposition; KeyError if it has none."""
        self._known.add(operator)
        if operator not in self and not default:
            raise KeyError(_torch_name(operator))
        return super().pop(operator, *default)

    def copy(self) -> CustomDecompTable:
        """Return a table that can be changed independently."""
        made = CustomDecompTable(self)
        made._known |= self._known
        return made

    @property
    def has_materialized(self) -> bool:
        """True: the table is complete from the start."""
        return True

    def materialize(self) -> dict[Operator, Callable[..., Any]]:
        """Return the table as a plain dict, with the operators that were defined since."""
        for operator in _decomposed_operators():
            if operator not in self._known:
                self._known.add(operator)
                self[operator] = OwnDecomposition(operator)
        return dict(self)


# Operators that are not in PyTorch's core set, and how that set expresses them.


def _decompose_t(self: Tensor) -> Tensor:
    return self.permute([1, 0] if self.ndim == 2 else [*range(self.ndim)])


def _decompose_transpose(self: Tensor, dim0: int, dim1: int) -> Tensor:
    dims = [*range(self.ndim)]
    if dims:
        dims[dim0], dims[dim1] = dims[dim1], dims[dim0]
    return self.permute(dims)


def _decompose_sum(self: Tensor, *, dtype: Any = None) -> Tensor:
    return ow.ops.aten.sum.dim_IntList(self, [], dtype=dtype)


def _decompose_split(self: Tensor, split_size: Any, dim: int = 0) -> Any:
    size = self.shape[dim]
    count = max((size + split_size - 1) // split_size, 1) if split_size else 1
    if not isinstance(count, int):
        return ow.ops.aten.split.Tensor(self, split_size, dim)
    sizes = [*[split_size] * (count - 1), size - split_size * (count - 1)]
    return ow.ops.aten.split_with_sizes.default(self, sizes, dim)


def _decompose_linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    if bias is None or input.ndim < 2:
        product = input.matmul(weight.t())
        return product if bias is None else product + bias
    if input.ndim == 2:
        return ow.addmm(bias, input, weight.t())
    if not input.is_contiguous():
        return input.matmul(weight.t()) + bias
    *outer, features = input.shape
    rows = math.prod(outer)
    flat = ow.addmm(bias, input.view([rows, features]), weight.t())
    return flat.view([*outer, weight.shape[0]])


def _copy_constant(self: Tensor) -> Tensor:
    return self.clone()


_CORE: dict[Operator, Callable[..., Any]] = {
    ow.ops.aten.t.default: _decompose_t,
    ow.ops.aten.transpose.int: _decompose_transpose,
    ow.ops.aten.linear.default: _decompose_linear,
    ow.ops.aten.sum.default: _decompose_sum,
    ow.ops.aten.split.Tensor: _decompose_split,
}
# What a graph without writes has instead, with every table.
_ALWAYS: dict[Operator, Callable[..., Any]] = {ow.ops.aten.lift_fresh_copy.default: _copy_constant}


def default_decompositions() -> CustomDecompTable:
    """Return the operators that `run_decompositions` decomposes by default.

    >>> from opwright.compat.torch.export import default_decompositions
    >>> import opwright.compat.torch as torch
    >>> torch.ops.aten.linear.default in default_decompositions()
    True
    """
    own = {each: OwnDecomposition(each) for each in _decomposed_operators()}
    return CustomDecompTable({**own, **_CORE})


def _decomposed_operators() -> list[Operator]:
    """Return the core's default operators without those that PyTorch's core set has."""
    return [each for each in _export.default_decompositions() if "core" not in each.tag_names]


def read_table(
    table: Mapping[Any, Callable | None] | Iterable[Any] | None, used: Iterable[_export.OperatorUse]
) -> dict[Any, Callable | None]:
    """Return a table for the core, in which None stands for an operator's own decomposition.

    `used` are the operators of the program.
    """
    if table is None:
        table = default_decompositions()
    if isinstance(table, CustomDecompTable):
        table = table.materialize()
    read = table if isinstance(table, Mapping) else dict.fromkeys(table)
    own = {
        operator: None if isinstance(function, OwnDecomposition) else function
        for operator, function in read.items()
    }
    names = {use.name for use in used}
    always = {op: function for op, function in _ALWAYS.items() if op.name in names}
    return {**always, **own}


def _torch_name(operator: Any) -> str:
    """Return the name in PyTorch's form: `aten.add.Tensor`."""
    if not isinstance(operator, Operator):
        return repr(operator)
    space, _, rest = operator.name.partition("::")
    base, _, overload = rest.partition(".")
    return f"{space}.{base}.{overload or 'default'}"

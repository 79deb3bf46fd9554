"""Tables of decompositions: operators and the functions that compute them from others."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from opwright import Operator
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

    Deleting an operator that is not decomposed anyway changes nothing.

    >>> from opwright.compat.torch.export import default_decompositions
    >>> import opwright.compat.torch as torch
    >>> table = default_decompositions()
    >>> del table[torch.ops.aten.linear.default]
    >>> torch.ops.aten.linear.default in table
    False
    """

    def __delitem__(self, operator: Operator) -> None:
        self.pop(operator, None)

    def copy(self) -> CustomDecompTable:
        """Return a table that can be changed independently."""
        return CustomDecompTable(self)

    @property
    def has_materialized(self) -> bool:
        """True: the table is complete from the start."""
        return True

    def materialize(self) -> dict[Operator, Callable[..., Any]]:
        """Return the table as a plain dict."""
        return dict(self)


def default_decompositions() -> CustomDecompTable:
    """Return the operators that `run_decompositions` decomposes by default.

    >>> from opwright.compat.torch.export import default_decompositions
    >>> import opwright.compat.torch as torch
    >>> torch.ops.aten.linear.default in default_decompositions()
    True
    """
    operators = _export.default_decompositions()
    return CustomDecompTable({each: OwnDecomposition(each) for each in operators})


def read_table(table: Mapping[Any, Callable | None]) -> dict[Any, Callable | None]:
    """Return a table for the core, in which None stands for an operator's own decomposition."""
    return {
        operator: None if isinstance(function, OwnDecomposition) else function
        for operator, function in table.items()
    }

"""torch._higher_order_ops: data-dependent control flow that a graph can represent."""

import warnings
from collections.abc import Callable
from typing import Any

from opwright import control_flow as _control_flow
from opwright import vmap as _vmap
from opwright._compile.phase import is_exporting
from opwright.compat._absent import absent
from opwright.control_flow import while_loop

__all__ = ["cond", "map", "while_loop"]


def cond(
    pred: Any,
    true_fn: Callable[..., Any],
    false_fn: Callable[..., Any],
    operands: tuple[Any, ...] | list[Any] = (),
) -> Any:
    """`opwright.cond`; an exported function keeps both branches of a condition on sizes.

    >>> import opwright.compat.torch as torch
    >>> def f(x):
    ...     return torch.cond(x.shape[0] > 4, lambda x: x.sum(), lambda x: x.sum() * 2, (x,))
    >>> sizes = ({0: torch.export.Dim("n")},)
    >>> program = torch.export.export(f, (torch.ones(6),), dynamic_shapes=sizes)
    >>> program.module()(torch.ones(3))
    tensor(6.)
    """
    if is_exporting():
        if isinstance(pred, (bool, int, float)):
            warnings.warn(
                "Pred is a Python constant. The program has only the branch that it selects; give "
                "a bool tensor or a condition on sizes to keep both",
                stacklevel=2,
            )
        pred = _control_flow.as_tensor(pred, with_sizes=True)
    return _control_flow.cond(pred, true_fn, false_fn, tuple(operands))


def map(f: Callable[..., Any], xs: Any, *args: Any) -> Any:
    """Call `f(x, *args)` for each slice of `xs` along its first dimension; stack the results.

    `xs` is a tensor, or a container of tensors of one first size. All slices are computed in one
    call, by vmap: the code of `f` cannot branch on the data of a slice.

    >>> import opwright.compat.torch as torch
    >>> from opwright.compat.torch._higher_order_ops import map
    >>> map(lambda x, y: x * y, torch.tensor([[1.0, 2.0], [3.0, 4.0]]), torch.tensor([1.0, 10.0]))
    tensor([[ 1., 20.],
            [ 3., 40.]])
    """
    in_dims = (0, *(None for _ in args))
    return _vmap(f, in_dims=in_dims, randomness="different")(xs, *args)


__getattr__ = absent(__name__)

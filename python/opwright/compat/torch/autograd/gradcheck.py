"""torch.autograd.gradcheck: derivatives against finite differences."""

from collections.abc import Callable
from typing import Any

from opwright.autograd import gradcheck as _own_gradcheck
from opwright.autograd import gradgradcheck as _own_gradgradcheck
from opwright.autograd.gradcheck import GradcheckError
from opwright.compat._absent import absent

__all__ = ["GradcheckError", "gradcheck", "gradgradcheck"]


def gradcheck(func: Callable, inputs: Any, **options: Any) -> bool:
    """Call `opwright.gradcheck`; an input that is not of double precision is a warning.

    >>> import opwright.compat.torch as torch
    >>> x = torch.ones(2, dtype=torch.float64, requires_grad=True)
    >>> torch.autograd.gradcheck(torch.sin, x)
    True
    """
    return _own_gradcheck(func, inputs, allow_coarse_dtypes=True, **options)


def gradgradcheck(func: Callable, inputs: Any, grad_outputs: Any = None, **options: Any) -> bool:
    """Call `opwright.gradgradcheck`; an input that is not of double precision is a warning.

    >>> import opwright.compat.torch as torch
    >>> x = torch.ones(2, dtype=torch.float64, requires_grad=True)
    >>> torch.autograd.gradgradcheck(torch.sin, x)
    True
    """
    return _own_gradgradcheck(func, inputs, grad_outputs, allow_coarse_dtypes=True, **options)


__getattr__ = absent(__name__)

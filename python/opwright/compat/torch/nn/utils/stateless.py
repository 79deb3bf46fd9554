"""torch.nn.utils.stateless: modules as functions, under the name before torch.func."""

import warnings
from typing import Any

from opwright import Tensor
from opwright import func as _func
from opwright.compat._absent import absent
from opwright.nn import Module

__all__ = ["functional_call"]


def functional_call(
    module: Module,
    parameters_and_buffers: dict[str, Tensor],
    args: Any = None,
    kwargs: dict[str, Any] | None = None,
    *,
    tie_weights: bool = True,
    strict: bool = False,
) -> Any:
    """Call `torch.func.functional_call`, with a warning that it moved there.

    >>> import warnings
    >>> import opwright.compat.torch as torch
    >>> layer = torch.nn.Linear(2, 1, bias=False)
    >>> with warnings.catch_warnings(action="ignore"):
    ...     functional_call(layer, {"weight": torch.ones(1, 2)}, torch.ones(2)).tolist()
    [2.0]
    """
    warnings.warn(
        "This API is deprecated as of PyTorch 2.0 and will be removed in a future version of "
        "PyTorch. Please use torch.func.functional_call instead which is a drop-in replacement.",
        FutureWarning,
        stacklevel=2,
    )
    return _func.functional_call(
        module, parameters_and_buffers, args, kwargs, tie_weights=tie_weights, strict=strict
    )


__getattr__ = absent(__name__)

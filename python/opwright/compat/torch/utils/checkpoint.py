"""torch.utils.checkpoint: trading time for memory."""

import warnings
from collections.abc import Callable
from typing import Any

from opwright.autograd import checkpointing as _own
from opwright.autograd.checkpointing import (
    CheckpointError,
    GraphExecGroup,
    noop_context_fn,
    set_checkpoint_debug_enabled,
    set_checkpoint_early_stop,
)
from opwright.autograd.selective_checkpoint import (
    CheckpointPolicy,
    SelectiveCheckpointContext,
    create_selective_checkpoint_contexts,
)
from opwright.compat._absent import absent

__all__ = [
    "CheckpointError",
    "CheckpointPolicy",
    "GraphExecGroup",
    "SelectiveCheckpointContext",
    "checkpoint",
    "checkpoint_sequential",
    "create_selective_checkpoint_contexts",
    "noop_context_fn",
    "set_checkpoint_debug_enabled",
    "set_checkpoint_early_stop",
]


def _default_form(name: str) -> bool:
    """Return PyTorch's default for `use_reentrant`, with its warning."""
    warnings.warn(
        f"torch.utils.checkpoint.{name}: the use_reentrant parameter should be passed explicitly. "
        "Without it the reentrant form is used, as in PyTorch; use_reentrant=False is recommended.",
        stacklevel=3,
    )
    return True


def checkpoint(
    function: Callable, *args: Any, use_reentrant: bool | None = None, **kwargs: Any
) -> Any:
    """Call `opwright.autograd.checkpoint`; without `use_reentrant` it warns, and means True.

    >>> import opwright.compat.torch as torch
    >>> x = torch.ones(2, requires_grad=True)
    >>> checkpoint(torch.sin, x, use_reentrant=False).sum().backward()
    """
    if use_reentrant is None:
        use_reentrant = _default_form("checkpoint")
    return _own.checkpoint(function, *args, use_reentrant=use_reentrant, **kwargs)


def checkpoint_sequential(
    functions: Any, segments: int, input: Any, use_reentrant: bool | None = None, **kwargs: Any
) -> Any:
    """Call `opwright.autograd.checkpoint_sequential`; without `use_reentrant` it means True.

    >>> import opwright.compat.torch as torch
    >>> x = torch.ones(2, requires_grad=True)
    >>> y = checkpoint_sequential([torch.sin, torch.exp], 2, x, use_reentrant=False)
    """
    if use_reentrant is None:
        use_reentrant = _default_form("checkpoint_sequential")
    return _own.checkpoint_sequential(functions, segments, input, use_reentrant, **kwargs)


__getattr__ = absent(__name__)

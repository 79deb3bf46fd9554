"""The older form of checkpoint: its backward runs the function again, with a backward inside."""

import contextlib
import warnings
from collections.abc import Callable, Sequence
from typing import Any

from .. import _C, random
from .function import Function, FunctionCtx


class _Checkpoint(Function):
    @staticmethod
    def forward(ctx: FunctionCtx, call: "_Call", *args: Any) -> Any:
        ctx.call = call
        call.keep(ctx, args)
        return call.function(*args)

    @staticmethod
    def backward(ctx: FunctionCtx, *grads: Any) -> Any:
        if _C.backward_has_targets():
            raise RuntimeError(
                "When use_reentrant=True, checkpoint is incompatible with .grad() or passing an "
                "`inputs` parameter to .backward(). To resolve this, pass use_reentrant=False"
            )
        args = ctx.call.detached_args(ctx)
        with ctx.call.as_before(), _C.enable_grad():
            outputs = ctx.call.function(*args)
        results = outputs if isinstance(outputs, tuple) else (outputs,)
        pairs = [
            (result, grad)
            for result, grad in zip(results, grads, strict=True)
            if isinstance(result, _C.Tensor) and result.requires_grad
        ]
        if not pairs:
            raise RuntimeError(
                "none of output has requires_grad=True, this checkpoint() is not necessary"
            )
        _C._backward([pair[0] for pair in pairs], [pair[1] for pair in pairs], None, False, None)
        return None, *(each.grad if isinstance(each, _C.Tensor) else None for each in args)


class _Call:
    """How to run the function again as it ran first."""

    def __init__(
        self,
        function: Callable,
        keeps_rng: bool,
        autocast: Callable[[], contextlib.ExitStack],
    ):
        self.function = function
        self._autocast = autocast
        self._rng_state = random.get_rng_state() if keeps_rng else None
        self._args: list[Any] = []
        self._places: list[int] = []

    def keep(self, ctx: FunctionCtx, args: tuple[Any, ...]) -> None:
        self._places = [i for i, each in enumerate(args) if isinstance(each, _C.Tensor)]
        self._args = [None if isinstance(each, _C.Tensor) else each for each in args]
        self._needs = [isinstance(each, _C.Tensor) and each.requires_grad for each in args]
        ctx.save_for_backward(*[args[place] for place in self._places])

    def detached_args(self, ctx: FunctionCtx) -> list[Any]:
        args = list(self._args)
        for place, tensor in zip(self._places, ctx.saved_tensors, strict=True):
            args[place] = tensor.detach().requires_grad_(self._needs[place])
        return args

    @contextlib.contextmanager
    def as_before(self) -> Any:
        state = random.get_rng_state() if self._rng_state is not None else None
        if self._rng_state is not None:
            random.set_rng_state(self._rng_state)
        try:
            with self._autocast():
                yield
        finally:
            if state is not None:
                random.set_rng_state(state)


def reentrant_checkpoint(
    function: Callable,
    args: tuple[Any, ...],
    keeps_rng: bool,
    autocast_of: Callable[[Sequence[_C.Tensor]], Callable[[], contextlib.ExitStack]],
) -> Any:
    """Run the function as one node, whose backward runs it again."""
    tensors = [each for each in args if isinstance(each, _C.Tensor)]
    if _C.is_grad_enabled() and not any(tensor.requires_grad for tensor in tensors):
        warnings.warn(
            "None of the inputs have requires_grad=True. Gradients will be None", stacklevel=3
        )
    return _Checkpoint.apply(_Call(function, keeps_rng, autocast_of(tensors)), *args)

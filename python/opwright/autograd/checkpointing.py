"""Checkpointing: recomputes saved tensors in the backward, trading time for memory."""

import contextlib
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from .. import _C, pytree, random
from ..autocast_mode import autocast, get_autocast_dtype, is_autocast_enabled
from .graph import saved_tensors_hooks
from .reentrant_checkpoint import reentrant_checkpoint

__all__ = [
    "CheckpointError",
    "checkpoint",
    "checkpoint_sequential",
    "noop_context_fn",
    "set_checkpoint_early_stop",
]

Contexts = tuple[contextlib.AbstractContextManager, contextlib.AbstractContextManager]


class CheckpointError(RuntimeError):
    """Raised when the second run of a checkpointed function is unlike the first.

    >>> issubclass(CheckpointError, RuntimeError)
    True
    """


class _AllFound(Exception):  # noqa: N818
    """Ends the second run of a function once it has saved everything that the first one saved."""


class _EarlyStop(threading.local):
    def __init__(self) -> None:
        self.is_on: bool | None = None  # None: each checkpoint decides


_early_stop = _EarlyStop()


@contextlib.contextmanager
def set_checkpoint_early_stop(enable: bool) -> Iterator[None]:
    """Set for a `with` block whether second runs stop once all saved tensors were recomputed.

    >>> import opwright as ow
    >>> x = ow.ones(2, requires_grad=True)
    >>> with set_checkpoint_early_stop(False):
    ...     y = checkpoint(lambda x: x.sin().exp(), x)
    >>> y.sum().backward()
    """
    before, _early_stop.is_on = _early_stop.is_on, bool(enable)
    try:
        yield
    finally:
        _early_stop.is_on = before


def noop_context_fn() -> Contexts:
    """Return two contexts that do nothing: the default of `context_fn`.

    >>> first, second = noop_context_fn()
    """
    return contextlib.nullcontext(), contextlib.nullcontext()


def autocast_of_now(tensors: Sequence[_C.Tensor]) -> Callable[[], contextlib.ExitStack]:
    """Return a function that makes a context with the current autocast of the tensors' devices."""
    types = sorted({"cpu", *(tensor.device.type for tensor in tensors)})
    states = [(each, get_autocast_dtype(each), is_autocast_enabled(each)) for each in types]

    def enter() -> contextlib.ExitStack:
        stack = contextlib.ExitStack()
        for device_type, dtype, is_enabled in states:
            if is_enabled or is_autocast_enabled(device_type):
                stack.enter_context(autocast(device_type, dtype, is_enabled))
        return stack

    return enter


class _Run:
    """One call of a checkpointed function: how to run it again, and what that run saved."""

    def __init__(
        self,
        function: Callable,
        args: tuple,
        kwargs: dict[str, Any],
        keeps_rng: bool,
        contexts: Contexts,
        checks_metadata: bool,
        stops_early: bool,
    ):
        self._function = function
        self._args = args
        self._kwargs = kwargs
        self._contexts = contexts
        self._checks_metadata = checks_metadata
        self._stops_early = stops_early
        self._tensors = [
            leaf for leaf in pytree.tree_leaves((args, kwargs)) if isinstance(leaf, _C.Tensor)
        ]
        self._versions = [tensor._version for tensor in self._tensors]
        self._autocast = autocast_of_now(self._tensors)
        self._rng_state = random.get_rng_state() if keeps_rng else None
        self._shapes: list[tuple] = []  # of the tensors that the first run saved
        self._found: dict[int, _C.Tensor] = {}  # saved by another run and not used yet

    def run(self) -> Any:
        with self._contexts[0], saved_tensors_hooks(self._pack, self._unpack):
            return self._function(*self._args, **self._kwargs)
        raise RuntimeError(
            "checkpoint: context_fn suppressed an exception of the function, which has no result"
        )

    def _pack(self, tensor: _C.Tensor) -> int:
        self._shapes.append((tensor.shape, tensor.dtype, tensor.device))
        return len(self._shapes) - 1

    def _unpack(self, place: int) -> _C.Tensor:
        if place not in self._found:
            self._run_again()
        return self._found.pop(place)

    def _check_versions(self) -> None:
        for tensor, version in zip(self._tensors, self._versions, strict=True):
            if tensor._version != version:
                raise CheckpointError(
                    "checkpoint: an argument was modified in place after the call, so that it "
                    f"cannot be run again: it is at version {tensor._version}, expected {version}"
                )

    def _run_again(self) -> None:
        self._check_versions()
        found: list[_C.Tensor] = []

        def pack(tensor: _C.Tensor) -> _C.Tensor:
            if len(found) == len(self._shapes):
                raise CheckpointError(
                    "checkpoint: the function is trying to save more tensors during recomputation "
                    "than during the original forward pass; it must do the same each time"
                )
            self._check_metadata(len(found), tensor)
            found.append(tensor)
            if self._stops_early and len(found) == len(self._shapes):
                raise _AllFound
            return tensor  # for a backward inside of the function

        state = random.get_rng_state() if self._rng_state is not None else None
        if self._rng_state is not None:
            random.set_rng_state(self._rng_state)
        try:
            with (
                _C.enable_grad(),
                self._autocast(),
                contextlib.suppress(_AllFound),
                self._contexts[1],
                saved_tensors_hooks(pack, lambda tensor: tensor),
            ):
                self._function(*self._args, **self._kwargs)
        finally:
            if state is not None:
                random.set_rng_state(state)
        if len(found) != len(self._shapes):
            raise CheckpointError(
                "checkpoint: A different number of tensors was saved during the original forward "
                f"({len(self._shapes)}) and recomputation ({len(found)}); the function must do "
                "the same each time"
            )
        self._found = dict(enumerate(found))

    def _check_metadata(self, place: int, tensor: _C.Tensor) -> None:
        got = (tensor.shape, tensor.dtype, tensor.device)
        if self._checks_metadata and got != self._shapes[place]:
            shape, dtype, device = self._shapes[place]
            raise CheckpointError(
                "checkpoint: Recomputed values for the following tensors have different metadata "
                f"than during the forward pass: tensor {place} was {dtype}{list(shape)} on "
                f"{device}, it is {got[1]}{list(got[0])} on {got[2]}; the function must do the "
                "same each time"
            )


def checkpoint(
    function: Callable,
    *args: Any,
    use_reentrant: bool | None = None,
    context_fn: Callable[[], Contexts] = noop_context_fn,
    determinism_check: str = "default",
    debug: bool = False,
    early_stop: bool = True,
    preserve_rng_state: bool = True,
    **kwargs: Any,
) -> Any:
    """Call `function` without saving what its backward needs; the backward runs it again.

    The function must do the same each time: the shapes, dtypes and devices that it saves are
    compared, unless `determinism_check` is "none". Random numbers repeat if `preserve_rng_state`;
    autocast is as in the first run. `context_fn` returns two context managers, for the first and
    the second run. `early_stop` ends the second run once it has saved everything.

    `use_reentrant=True` selects PyTorch's older implementation: the second run is a backward of its
    own, only arguments get gradients, and `autograd.grad` cannot go through it. `debug` is not
    supported.

    >>> import opwright as ow
    >>> x = ow.ones(2, requires_grad=True)
    >>> checkpoint(lambda x: x.sin().exp(), x).sum().backward()
    >>> expected = ow.ones(2).cos() * ow.ones(2).sin().exp()
    >>> ow.allclose(x.grad, expected)
    True
    """
    if debug:
        raise NotImplementedError("checkpoint: debug=True is not supported")
    if determinism_check not in ("default", "none"):
        raise ValueError(
            f"checkpoint: determinism_check must be 'default' or 'none', got {determinism_check!r}"
        )
    if use_reentrant:
        if kwargs:
            raise ValueError(f"Unexpected keyword arguments: {', '.join(kwargs)}")
        if context_fn is not noop_context_fn:
            raise ValueError(
                "Passing `context_fn` is only supported when use_reentrant=False: checkpoint"
            )
        return reentrant_checkpoint(function, args, preserve_rng_state, autocast_of_now)
    contexts = context_fn()
    if not _C.is_grad_enabled():
        return function(*args, **kwargs)
    stops_early = early_stop if _early_stop.is_on is None else _early_stop.is_on
    return _Run(
        function,
        args,
        kwargs,
        preserve_rng_state,
        contexts,
        determinism_check == "default",
        stops_early,
    ).run()


def checkpoint_sequential(
    functions: Any,
    segments: int,
    input: Any,
    use_reentrant: bool | None = None,
    preserve_rng_state: bool = True,
) -> Any:
    """Run functions, or a Sequential, in a row; checkpoint all but the last of `segments` parts.

    >>> import opwright as ow
    >>> from opwright import nn
    >>> model = nn.Sequential(nn.Linear(2, 2), nn.Tanh(), nn.Linear(2, 2), nn.Tanh())
    >>> x = ow.ones(1, 2, requires_grad=True)
    >>> checkpoint_sequential(model, 2, x).shape
    (1, 2)
    """
    children = getattr(functions, "children", None)
    all_functions = list(functions if children is None else children())
    size = len(all_functions) // segments

    def run(begin: int, end: int) -> Callable[[Any], Any]:
        def segment(value: Any) -> Any:
            for function in all_functions[begin:end]:
                value = function(value)
            return value

        return segment

    last = size * (segments - 1)
    for begin in range(0, last, max(size, 1)):
        input = checkpoint(
            run(begin, begin + size),
            input,
            use_reentrant=use_reentrant,
            preserve_rng_state=preserve_rng_state,
        )
    return run(last, len(all_functions))(input)

"""Checkpointing: recomputes saved tensors in the backward, trading time for memory."""

import contextlib
import threading
import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from .. import _C, pytree, random
from ..autocast_mode import autocast, get_autocast_dtype, is_autocast_enabled
from .graph import saved_tensors_hooks
from .reentrant_checkpoint import reentrant_checkpoint

__all__ = [
    "CheckpointError",
    "GraphExecGroup",
    "checkpoint",
    "checkpoint_sequential",
    "noop_context_fn",
    "set_checkpoint_debug_enabled",
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


class _Settings(threading.local):
    def __init__(self) -> None:
        self.stops_early: bool | None = None  # None: each checkpoint decides
        self.debugs: bool | None = None  # None: each checkpoint decides
        self.group: GraphExecGroup | None = None


_settings = _Settings()


@contextlib.contextmanager
def set_checkpoint_early_stop(enable: bool) -> Iterator[None]:
    """Set for a `with` block whether second runs stop once all saved tensors were recomputed.

    >>> import opwright as ow
    >>> x = ow.ones(2, requires_grad=True)
    >>> with set_checkpoint_early_stop(False):
    ...     y = checkpoint(lambda x: x.sin().exp(), x)
    >>> y.sum().backward()
    """
    before, _settings.stops_early = _settings.stops_early, bool(enable)
    try:
        yield
    finally:
        _settings.stops_early = before


@contextlib.contextmanager
def set_checkpoint_debug_enabled(enabled: bool | None) -> Iterator[None]:
    """Set `debug` of all checkpoints of a `with` block; None leaves it to each of them.

    >>> import opwright as ow
    >>> x = ow.ones(2, requires_grad=True)
    >>> with set_checkpoint_debug_enabled(True):
    ...     y = checkpoint(lambda x: x.sin().exp(), x)
    >>> y.sum().backward()
    """
    before, _settings.debugs = _settings.debugs, enabled
    try:
        yield
    finally:
        _settings.debugs = before


class GraphExecGroup:
    """Several backwards in a `with` block that run a checkpointed function again only once.

    They must not need the same saved tensor twice: each backward covers another part of the graph.

    >>> import opwright as ow
    >>> x = ow.ones(2, requires_grad=True)
    >>> y, z = checkpoint(lambda x: (x.sin(), x.sin().exp()), x)
    >>> with GraphExecGroup():
    ...     first = ow.autograd.grad(y.sum(), x)
    ...     second = ow.autograd.grad(z.sum(), x)
    """

    def __enter__(self) -> "GraphExecGroup":
        if _settings.group is not None:
            raise RuntimeError("GraphExecGroup contexts cannot be nested")
        _settings.group = self
        return self

    def __exit__(self, *error: object) -> None:
        _settings.group = None


class _Log:
    """The operators that ran in a `with` block, for `debug`."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._mode = _C.DispatchMode(self._note)

    def __enter__(self) -> None:
        self.lines.clear()
        self._mode.__enter__()

    def __exit__(self, *error: object) -> None:
        self._mode.__exit__(*error)

    def _note(self, func: _C.Operator, *args: Any, **kwargs: Any) -> Any:
        self.lines.append(f"{func.name}({', '.join(_summary(arg) for arg in args)})")
        return func(*args, **kwargs)


def _summary(value: Any) -> str:
    if not isinstance(value, _C.Tensor):
        return repr(value)
    return f"{str(value.dtype).rpartition('.')[2]}{list(value.shape)}"


class _Saved:
    """Stands for a tensor that the first run saved."""

    __slots__ = ("__weakref__", "place")

    def __init__(self, place: int):
        self.place = place


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
    """One call of a checkpointed function: how to run it again, and what that run saved.

    A backward, or a group of them, runs it again once, and reads each saved tensor once.
    """

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
        self._saved: list[weakref.ref[_Saved]] = []  # what stands for them
        self._is_complete = False  # whether the first run has ended
        # For each backward or group: what another run saved, until it is used.
        self._found: dict[Any, dict[int, _C.Tensor]] = {}

    def run(self) -> Any:
        with self._contexts[0], saved_tensors_hooks(self._pack, self._unpack):
            results = self._function(*self._args, **self._kwargs)
            self._is_complete = True
            return results
        raise RuntimeError(
            "checkpoint: context_fn suppressed an exception of the function, which has no result"
        )

    def _pack(self, tensor: _C.Tensor) -> _Saved:
        saved = _Saved(len(self._shapes))
        self._shapes.append((tensor.shape, tensor.dtype, tensor.device))
        self._saved.append(weakref.ref(saved))
        return saved

    def _unpack(self, saved: _Saved) -> _C.Tensor:
        group = _settings.group
        reader = group or _C.current_backward()
        if not reader:  # outside of a backward every read runs the function again
            return self._debugged_run()[saved.place]
        found = self._found.get(reader)
        if found is None:
            found = self._debugged_run()
            unread = {each: left for each, left in self._found.items() if left}
            self._found = {**unread, reader: found}
        if saved.place not in found:
            overlap = (
                " Performing two backward calls that overlap, which need the same saved tensor, "
                "is not allowed in a GraphExecGroup."
            )
            raise CheckpointError(
                "checkpoint: Unpack is being triggered for a tensor that was already unpacked "
                f"once.{overlap if group else ''} Read ctx.saved_tensors only once in a backward"
            )
        return found.pop(saved.place)

    def _debugged_run(self) -> dict[int, _C.Tensor]:
        first, second = self._contexts
        if not (isinstance(first, _Log) and isinstance(second, _Log)):
            return self._run_again()
        try:
            return self._run_again()
        except CheckpointError as error:
            raise CheckpointError(
                "Operators of the first run:\n  "
                + "\n  ".join(first.lines)
                + "\nOperators of the second run:\n  "
                + "\n  ".join(second.lines)
                + f"\n{error}\nYou are seeing this error because you passed `debug=True` to "
                "checkpoint and the two runs saved different tensors."
            ) from error

    def _check_versions(self) -> None:
        for tensor, version in zip(self._tensors, self._versions, strict=True):
            if tensor._version != version:
                raise CheckpointError(
                    "checkpoint: an argument was modified in place after the call, so that it "
                    f"cannot be run again: it is at version {tensor._version}, expected {version}"
                )

    def _run_again(self) -> dict[int, _C.Tensor]:
        self._check_versions()
        found: dict[int, _C.Tensor] = {}
        count = 0

        def pack(tensor: _C.Tensor) -> _C.Tensor:
            nonlocal count
            place, count = count, count + 1
            if place >= len(self._shapes):
                if not self._is_complete:  # a backward inside of the function runs it again
                    return tensor
                raise CheckpointError(
                    "checkpoint: the function is trying to save more tensors during recomputation "
                    "than during the original forward pass; it must do the same each time"
                )
            self._check_metadata(place, tensor)
            if self._saved[place]() is not None:
                found[place] = tensor
            if self._stops_early and count == len(self._shapes):
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
        if count < len(self._shapes) or (self._is_complete and count > len(self._shapes)):
            raise CheckpointError(
                "checkpoint: A different number of tensors was saved during the original forward "
                f"({len(self._shapes)}) and recomputation ({count}); the function must do "
                "the same each time"
            )
        return found

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
    own, only arguments get gradients, and `autograd.grad` cannot go through it. With `debug` an
    error lists the operators of both runs.

    >>> import opwright as ow
    >>> x = ow.ones(2, requires_grad=True)
    >>> checkpoint(lambda x: x.sin().exp(), x).sum().backward()
    >>> expected = ow.ones(2).cos() * ow.ones(2).sin().exp()
    >>> ow.allclose(x.grad, expected)
    True
    """
    debug = debug if _settings.debugs is None else _settings.debugs
    if determinism_check not in ("default", "none"):
        raise ValueError(
            f"checkpoint: determinism_check must be 'default' or 'none', got {determinism_check!r}"
        )
    if use_reentrant:
        if kwargs:
            raise ValueError(f"Unexpected keyword arguments: {', '.join(kwargs)}")
        if context_fn is not noop_context_fn or debug:
            raise ValueError(
                "Passing `context_fn` or `debug` is only supported when use_reentrant=False: "
                "checkpoint"
            )
        return reentrant_checkpoint(function, args, preserve_rng_state, autocast_of_now)
    if debug and context_fn is not noop_context_fn:
        raise ValueError("checkpoint: debug=True is incompatible with a context_fn")
    contexts = (_Log(), _Log()) if debug else context_fn()
    if not _C.is_grad_enabled():
        return function(*args, **kwargs)
    stops_early = early_stop if _settings.stops_early is None else _settings.stops_early
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

"""Checkpointing: recomputes saved tensors in the backward, trading time for memory."""

import contextlib
from collections.abc import Callable
from typing import Any

from .. import _C, pytree, random
from .graph import saved_tensors_hooks

__all__ = ["checkpoint"]


class _AllFound(Exception):  # noqa: N818
    """Ends the second run of a function once it has saved everything that the first one saved."""


class _Run:
    """One call of a checkpointed function: how to run it again, and what that run saved."""

    def __init__(self, function: Callable, args: tuple, kwargs: dict[str, Any], keeps_rng: bool):
        self._function = function
        self._args = args
        self._kwargs = kwargs
        self._tensors = [
            leaf for leaf in pytree.tree_leaves((args, kwargs)) if isinstance(leaf, _C.Tensor)
        ]
        self._versions = [tensor._version for tensor in self._tensors]
        self._rng_state = random.get_rng_state() if keeps_rng else None
        self._shapes: list[tuple] = []  # of the tensors that the first run saved
        self._found: dict[int, _C.Tensor] = {}  # saved by another run and not used yet

    def run(self) -> Any:
        with saved_tensors_hooks(self._pack, self._unpack):
            return self._function(*self._args, **self._kwargs)

    def _pack(self, tensor: _C.Tensor) -> int:
        self._shapes.append((tensor.shape, tensor.dtype, tensor.device))
        return len(self._shapes) - 1

    def _unpack(self, place: int) -> _C.Tensor:
        if place not in self._found:
            self._run_again()
        return self._found.pop(place)

    def _run_again(self) -> None:
        for tensor, version in zip(self._tensors, self._versions, strict=True):
            if tensor._version != version:
                raise RuntimeError(
                    "checkpoint: an argument was modified in place after the call, so that it "
                    f"cannot be run again: it is at version {tensor._version}, expected {version}"
                )
        found: list[_C.Tensor] = []

        def pack(tensor: _C.Tensor) -> None:
            expected = self._shapes[len(found)] if len(found) < len(self._shapes) else None
            if expected != (tensor.shape, tensor.dtype, tensor.device):
                raise RuntimeError(
                    f"checkpoint: the second run of the function saved {tensor.dtype}"
                    f"{list(tensor.shape)} as tensor {len(found)}, unlike the first; it must do "
                    "the same each time"
                )
            found.append(tensor)
            if len(found) == len(self._shapes):
                raise _AllFound

        state = random.get_rng_state() if self._rng_state is not None else None
        if self._rng_state is not None:
            random.set_rng_state(self._rng_state)
        try:
            with (
                _C.enable_grad(),
                saved_tensors_hooks(pack, _refuse),
                contextlib.suppress(_AllFound),
            ):
                self._function(*self._args, **self._kwargs)
        finally:
            if state is not None:
                random.set_rng_state(state)
        if len(found) != len(self._shapes):
            raise RuntimeError(
                f"checkpoint: the second run of the function saved {len(found)} tensors, the first "
                f"{len(self._shapes)}; it must do the same each time"
            )
        self._found = dict(enumerate(found))


def _refuse(_: object) -> _C.Tensor:
    raise RuntimeError("checkpoint: a backward inside of the second run reached into it")


def checkpoint(
    function: Callable,
    *args: Any,
    use_reentrant: bool = False,
    preserve_rng_state: bool = True,
    **kwargs: Any,
) -> Any:
    """Call `function` without saving what its backward needs; the backward runs it again.

    The function must do the same each time; random numbers repeat if `preserve_rng_state`.
    `use_reentrant=True`, PyTorch's older implementation, is not supported: this one computes the
    same gradients, and those of captured tensors too.

    >>> import opwright as ow
    >>> x = ow.ones(2, requires_grad=True)
    >>> checkpoint(lambda x: x.sin().exp(), x).sum().backward()
    >>> expected = ow.ones(2).cos() * ow.ones(2).sin().exp()
    >>> ow.allclose(x.grad, expected)
    True
    """
    if use_reentrant:
        raise ValueError("checkpoint: use_reentrant=True is not supported; remove it")
    if not _C.is_grad_enabled():
        return function(*args, **kwargs)
    return _Run(function, args, kwargs, preserve_rng_state).run()

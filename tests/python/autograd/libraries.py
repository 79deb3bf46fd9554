"""The functions that random programs need besides tensor methods: for ours, and for torch."""

import os
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Protocol

import numpy as np
import opwright as ow
import torch

BUILD = Path(os.environ.get("OPWRIGHT_BUILD", Path(__file__).parents[3] / "build" / "release"))
ow.load_library(BUILD / "operators" / "libformulas.so")


class Library(Protocol):
    """Ours or torch."""

    def grad(self, outputs: Sequence, inputs: Sequence, **options: bool) -> Sequence: ...
    def backward(self, loss: object, **options: bool) -> None: ...
    def grad_mode(self, is_recorded: bool, is_view: bool) -> AbstractContextManager: ...
    def view_of(self, x: object, is_recorded: bool) -> object: ...
    def split(self, x: object, size: int, dim: int, place: int) -> object: ...
    def unbind(self, x: object, dim: int, place: int) -> object: ...
    def ripple(self, x: object) -> object: ...
    def blend_(self, x: object, y: object) -> None: ...
    def drain_(self, x: object, y: object) -> object: ...
    def prepare(self, operation: object, x: object, a: int, y: object) -> None: ...


class Ours:
    """Ours."""

    ripple = staticmethod(ow.ops.formulas.ripple)
    blend_ = staticmethod(ow.ops.formulas.blend_)
    drain_ = staticmethod(ow.ops.formulas.drain_)

    @staticmethod
    def grad(outputs: Sequence, inputs: Sequence, **options: bool) -> Sequence:
        return ow.autograd.grad(outputs, inputs, **options)

    @staticmethod
    def backward(loss: ow.Tensor, **options: bool) -> None:
        loss.backward(**options)

    @staticmethod
    def grad_mode(is_recorded: bool, is_view: bool = False) -> AbstractContextManager:
        return nullcontext() if is_recorded else ow.no_grad()

    @staticmethod
    def view_of(x: ow.Tensor, is_recorded: bool) -> ow.Tensor:
        return x

    @staticmethod
    def split(x: ow.Tensor, size: int, dim: int, place: int) -> ow.Tensor:
        parts = x.split(size, dim)
        return parts[place % len(parts)]

    @staticmethod
    def unbind(x: ow.Tensor, dim: int, place: int) -> ow.Tensor:
        parts = x.unbind(dim)
        return parts[place % len(parts)]

    @staticmethod
    def prepare(operation: object, x: ow.Tensor, a: int, y: ow.Tensor) -> None:
        """Nothing: a view is never behind its base."""


class Torch:
    """Torch, adapted to behave comparably.

    Elements of split and unbind are made by narrow and select, since torch refuses to write to the
    former.
    """

    grad = staticmethod(torch.autograd.grad)
    backward = staticmethod(torch.Tensor.backward)

    @staticmethod
    def grad_mode(is_recorded: bool, is_view: bool = False) -> AbstractContextManager:
        return nullcontext() if is_recorded else torch.no_grad()

    @staticmethod
    def view_of(x: torch.Tensor, is_recorded: bool) -> torch.Tensor:
        """Return the base of a view."""
        return x

    @staticmethod
    def split(x: torch.Tensor, size: int, dim: int, place: int) -> torch.Tensor:
        count = max(-(-x.shape[dim] // size), 1)
        start = place % count * size
        return x.narrow(dim, start, min(size, x.shape[dim] - start))

    @staticmethod
    def unbind(x: torch.Tensor, dim: int, place: int) -> torch.Tensor:
        return x.select(dim, place % x.shape[dim])

    @staticmethod
    def ripple(x: torch.Tensor) -> torch.Tensor:
        return x * x.sin()

    @staticmethod
    def blend_(x: torch.Tensor, y: torch.Tensor) -> None:
        _require_same_sizes(x, y)
        x.copy_(x.clone() * y + y)

    @staticmethod
    def drain_(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        _require_same_sizes(x, y)
        given = x.clone() * y
        x.add_(y.sin())
        return given

    @staticmethod
    def prepare(operation: object, x: torch.Tensor, a: int, y: torch.Tensor) -> None:
        """Bring views up to date, as torch does late; refuse overlap, which it may not see."""
        if operation.writes is not None and _overlap(operation.writes(x.detach(), a), y.detach()):
            raise RuntimeError("what is written shares part of its memory")
        _ = x.grad_fn, y.grad_fn


class DetachingTorch(Torch):
    """Torch whose views do not require grad if they are made under no_grad, as all else.

    Torch itself turns them into leaves with gradients of their own.
    """

    @staticmethod
    def view_of(x: torch.Tensor, is_recorded: bool) -> torch.Tensor:
        return x if is_recorded else x.detach()

    @staticmethod
    def grad_mode(is_recorded: bool, is_view: bool = False) -> AbstractContextManager:
        return nullcontext() if is_recorded or is_view else torch.no_grad()


class RetainingTorch(DetachingTorch):
    """Torch that keeps all graphs: which of them has something to free is its own choice."""

    @staticmethod
    def grad(outputs: Sequence, inputs: Sequence, **options: bool) -> Sequence:
        return torch.autograd.grad(outputs, inputs, **(options | {"retain_graph": True}))

    @staticmethod
    def backward(loss: torch.Tensor, **options: bool) -> None:
        loss.backward(**(options | {"retain_graph": True}))


class LenientTorch(RetainingTorch):
    """Torch that saves copies, so that no write is one to what it chose to save."""

    @staticmethod
    def grad_mode(is_recorded: bool, is_view: bool = False) -> AbstractContextManager:
        return _saving_copies() if is_recorded or is_view else torch.no_grad()


def _saving_copies() -> AbstractContextManager:
    return torch.autograd.graph.saved_tensors_hooks(
        lambda saved: saved.detach().clone(), lambda saved: saved
    )


def _require_same_sizes(x: torch.Tensor, y: torch.Tensor) -> None:
    if x.shape != y.shape:
        raise RuntimeError("the sizes differ")


def _overlap(x: torch.Tensor, y: torch.Tensor) -> bool:
    """Return whether they share some elements, but not all at the same positions."""
    return layout(x) != layout(y) and np.shares_memory(x.numpy(), y.numpy())


def layout(x: torch.Tensor) -> tuple:
    """The offsets of the elements, in order."""
    dims = zip(x.shape, x.stride(), strict=True)
    return x.data_ptr(), *((size, stride) for size, stride in dims if size != 1)

"""Creates PyTorch's module of the same name and arguments, with the same weights."""

from collections.abc import Callable
from typing import Any, NamedTuple

import opwright as ow
import torch
from opwright import nn


class Case(NamedTuple):
    """A module by name, its arguments, and what makes its inputs."""

    name: str
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    inputs: Callable[[], tuple[Any, ...]]

    def __str__(self) -> str:
        given = [*map(str, self.args), *(f"{key}={value}" for key, value in self.kwargs.items())]
        return f"{self.name}({', '.join(given)})"


def to_ours(value: Any) -> Any:
    """Copy tensors, also those in tuples and dicts, from PyTorch."""
    if isinstance(value, torch.Tensor):
        return ow.from_dlpack(value.detach().contiguous().clone())
    if isinstance(value, tuple | list):
        return type(value)(map(to_ours, value))
    if isinstance(value, dict):
        return {key: to_ours(each) for key, each in value.items()}
    return value


def to_torch(value: Any) -> Any:
    if isinstance(value, ow.Tensor):
        return torch.from_dlpack(value.detach())
    if isinstance(value, tuple):
        return tuple(map(to_torch, value))
    return value


def make_twins(name: str, *args: Any, **kwargs: Any) -> tuple[nn.Module, torch.nn.Module]:
    """Make both modules; ours has the weights of PyTorch's."""
    theirs = getattr(torch.nn, name)(*args, **kwargs)
    ours = getattr(nn, name)(*to_ours(args), **to_ours(kwargs))
    ours.load_state_dict(to_ours(dict(theirs.state_dict())))
    return ours, theirs


def assert_same(ours: Any, theirs: Any) -> None:
    torch.testing.assert_close(to_torch(ours), theirs, rtol=1e-4, atol=1e-5, equal_nan=True)


def shapes_of(state: dict[str, Any]) -> list[tuple[str, tuple[int, ...]]]:
    return [(name, tuple(tensor.shape)) for name, tensor in state.items()]

"""Brings the sample operators into torch and calls them in the core."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import opwright as ow
import opwright.torch
import torch

from . import python_samples
from .samples import BINARIES, FROM_BINARIES, Sample, Tensors

ROOT = Path(__file__).resolve().parents[3]
BUILD = Path(os.environ.get("OPWRIGHT_BUILD", ROOT / "build" / "release")).resolve()
SAMPLES = [*FROM_BINARIES, *python_samples.FROM_PYTHON]


def binary(name: str) -> str:
    return str(BUILD / "operators" / f"lib{name}.so")


def load_samples() -> list[opwright.torch.Loaded]:
    binaries = [opwright.torch.load(binary(f"torch_{name}")) for name in BINARIES]
    return [*binaries, *map(opwright.torch.register, python_samples.OPERATORS)]


def torch_operator(sample: Sample) -> Any:
    """Return the overload of a sample in torch.ops."""
    namespace, name = sample.name.split("::")
    return getattr(getattr(torch.ops, namespace), name).default


def core_operator(sample: Sample) -> Any:
    namespace, name = sample.name.split("::")
    return getattr(getattr(ow.ops, namespace), name).default


def to_core(value: Any) -> Any:
    """Give the core's value for one of torch, sharing memory."""
    if isinstance(value, torch.Tensor):
        return ow.from_dlpack(value)
    if isinstance(value, list | tuple):
        return type(value)(map(to_core, value))
    if isinstance(value, dict):
        return {key: to_core(element) for key, element in value.items()}
    if isinstance(value, torch.dtype | torch.memory_format):
        return getattr(ow, str(value).removeprefix("torch."))
    return ow.device(str(value)) if isinstance(value, torch.device) else value


def to_torch(value: Any) -> Any:
    if isinstance(value, ow.Tensor):
        return torch.from_dlpack(value)
    if isinstance(value, list | tuple):
        return type(value)(map(to_torch, value))
    return value


def in_core(sample: Sample) -> Callable[..., Any]:
    """Wrap the core's operator to take and return torch's values."""
    op = core_operator(sample)
    return lambda *args, **kwargs: to_torch(op(*to_core(args), **to_core(kwargs)))


def call_of(sample: Sample, tensors: Tensors) -> tuple[tuple, dict]:
    """Give the arguments that the sample calls its operator with."""
    calls = []
    sample.run(lambda *args, **kwargs: calls.append((args, kwargs)), *tensors)
    return calls[0]

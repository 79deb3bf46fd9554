"""What programs of other processes import: a data set and a module that call sample operators."""

import opwright.torch
import torch

from .sample_hosts import binary


def load_training() -> opwright.torch.Loaded:
    return opwright.torch.load(binary("torch_training"))


class Cubes(torch.utils.data.Dataset):
    """Cubes of numbers, computed on access."""

    def __len__(self) -> int:
        return 8

    def __getitem__(self, index: int) -> torch.Tensor:
        load_training()
        return torch.ops.samples_training.cube(torch.full((2,), float(index)))


class Limited(torch.nn.Module):
    """A layer with a parameter whose result is limited."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(3))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.ops.samples_training.soft_limit(x * self.weight, 2.0)

"""Writes archives with torch.export.save, and the results of torch: torch_models.py FOLDER.

For each case <case>.pt2, and <case>.npz with the inputs and results of two calls. It runs in a
process of its own, so that the process that reads the archives has no torch.
"""

import sys
from collections import OrderedDict, namedtuple
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.export import Dim, export, save
from torch.utils import _pytree

Pair = namedtuple("Pair", ["left", "right"])
_pytree._register_namedtuple(Pair, serialized_type_name="models.Pair")


class Branch(nn.Module):
    """Buffers that are written, a captured constant, a dict of results, a size as a result."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 8)
        self.register_buffer("calls", torch.zeros(()))
        self.constant = torch.arange(3.0)

    def forward(self, x, extra, factor=2):
        self.calls.add_(1)
        y = self.layer(x).relu() * factor
        left, right = y.view(x.shape[0] * 2, 4).split(2, 1)
        return {
            "sum": left.sum() + extra["bias"].float().mean() + self.calls,
            "y": y + self.constant.sum() + right.mean(),
            "size": x.shape[0],
        }


class Structures(nn.Module):
    def forward(self, pair, listed, *, scale=None):
        total = pair.left + pair.right * listed[0]
        return OrderedDict(total=total, none=None, pair=Pair(total * 2, [total - 1]))


class Modes(nn.Module):
    """Autocast, no_grad and a checked size inside of the graph."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(8, 8)

    def forward(self, x):
        with torch.no_grad():
            mean = x.mean(-1, keepdim=True)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            y = self.layer(x)
        torch._check(x.shape[0] < 100)
        return y.float() - mean


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(50, 16)
        self.block = nn.TransformerEncoderLayer(16, 2, 32, batch_first=True, dropout=0.0)
        self.head = nn.Linear(16, 50, bias=False)
        self.head.weight = self.embedding.weight  # tied

    def forward(self, tokens):
        return self.head(self.block(self.embedding(tokens)))


class Convolution(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Conv2d(3, 8, 3, padding=1, bias=False), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2)
        )
        self.head = nn.Linear(8, 5)

    def forward(self, images):
        return self.head(self.layers(images).mean((2, 3)))


def cases():
    batch = Dim("batch", min=2, max=64)
    bias = torch.tensor([1, 2, 3])
    yield (
        "branch",
        Branch(),
        [(torch.randn(n, 4), {"bias": bias}) for n in (6, 3)],
        (
            {0: batch},
            {"bias": None},
        ),
    )
    pairs = [(Pair(torch.randn(3), torch.randn(3)), [torch.randn(3)]) for _ in range(2)]
    yield "structures", Structures(), pairs, None
    yield "modes", Modes(), [(torch.randn(n, 8),) for n in (4, 7)], ({0: batch},)
    length = Dim("length", min=2, max=32)
    tokens = [(torch.randint(50, (2, n)),) for n in (5, 9)]
    yield "attention", Attention().eval(), tokens, ({1: length},)
    images = [(torch.randn(n, 3, 8, 8),) for n in (2, 5)]
    yield "convolution", Convolution().eval(), images, ({0: batch},)


def flat(values):
    leaves = _pytree.tree_leaves(values)
    return [
        np.asarray(leaf.detach()) if isinstance(leaf, torch.Tensor) else leaf for leaf in leaves
    ]


def write(folder, name, model, calls, shapes, is_decomposed=True):
    program = export(model, calls[0], dynamic_shapes=shapes)
    save(program, folder / f"{name}.pt2")
    if is_decomposed:
        save(program.run_decompositions(), folder / f"{name}_decomposed.pt2")
    arrays = {}
    module = program.module()
    for index, call in enumerate(calls):
        for kind, values in (("input", call), ("result", module(*call))):
            for number, leaf in enumerate(leaf for leaf in flat(values) if leaf is not None):
                arrays[f"{kind}{index}_{number}"] = np.asarray(leaf)
    np.savez(folder / f"{name}.npz", **arrays)


def main():
    torch.manual_seed(0)
    folder = Path(sys.argv[1])
    for name, model, calls, shapes in cases():
        write(folder, name, model, calls, shapes)


if __name__ == "__main__":
    main()

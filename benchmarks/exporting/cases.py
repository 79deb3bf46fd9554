"""The exported programs: chains of sin, multiplication and addition.

A chain is a module that loops over one tensor of four elements, whose only dimension is dynamic.
"""

from dataclasses import dataclass, field
from itertools import cycle, islice
from pathlib import Path

from harness import find_peer
from tracing.timing import Case

LENGTHS = (10, 100, 1000)
SAVED_LENGTHS = (100, 1000)


def chain_of(package, length):
    """Return a module that runs `length` operators."""
    steps = (package.sin, lambda x: x * 2.0, lambda x: x + x)
    chain = tuple(islice(cycle(steps), length))

    class Chain(package.nn.Module):
        def forward(self, x):
            for step in chain:
                x = step(x)
            return x

    return Chain()


@dataclass
class Side:
    """The cases of one package by name, and its saved files by length."""

    cases: dict[tuple[str, int], Case]
    files: dict[int, Path] = field(default_factory=dict)


def side_of(package, export, folder, ending):
    """Return the side of `package`; `export` is its export module, `folder` gets the files."""
    example = package.ones(4)

    def export_chain(length):
        shapes = {"x": {0: export.Dim("batch")}}
        return export.export(chain_of(package, length), (example,), dynamic_shapes=shapes)

    def run_case(path, length):
        module = export.load(path).module()
        return Case(lambda: module(example), parts=length)

    side = Side({("export", n): Case(lambda n=n: export_chain(n), parts=n) for n in LENGTHS})
    for length in SAVED_LENGTHS:
        path = folder / f"chain_{length}.{ending}"
        program = export_chain(length)
        export.save(program, path)
        side.files[length] = path
        side.cases["save", length] = Case(lambda p=path, e=program: export.save(e, p), parts=1)
        side.cases["load", length] = Case(lambda p=path: export.load(p), parts=1)
        side.cases["run", length] = run_case(path, length)
    return side


def our_side(opwright, folder):
    return side_of(opwright, opwright.export, folder, "opw")


def torch_side(folder):
    """Return the side of torch; None without torch."""
    if find_peer("torch") is None:
        return None
    import torch

    torch.set_num_threads(1)
    return side_of(torch, torch.export, folder, "pt2")

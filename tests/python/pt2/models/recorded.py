"""What torch computed: the calls of a program, its inputs and results, and how far ours may be."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import opwright as ow
from opwright import pytree


@dataclass
class RecordedCall:
    inputs: list[np.ndarray]  # the leaves of the arguments
    results: list[np.ndarray]


class Recorded:
    """A program's archive, and torch's calls of it."""

    def __init__(self, folder: Path, name: str) -> None:
        self.path = folder / f"{name}.pt2"
        self._arrays = np.load(folder / f"{name}.npz")
        self.tolerance = float(self._arrays["tolerance"])

    def calls(self, title: str = "call") -> list[RecordedCall]:
        """The first two have the exported sizes and other values, later ones have other sizes."""
        return list(self._read(title))

    def _read(self, title: str) -> Iterator[RecordedCall]:
        number = 0
        while f"{title}{number}_result0" in self._arrays:
            lists = [self._leaves(f"{title}{number}_{kind}") for kind in ("input", "result")]
            yield RecordedCall(*lists)
            number += 1

    def _leaves(self, prefix: str) -> list[np.ndarray]:
        leaves: list[np.ndarray] = []
        while f"{prefix}{len(leaves)}" in self._arrays:
            leaves.append(self._arrays[f"{prefix}{len(leaves)}"])
        return leaves

    def spread(self) -> float:
        """How far the results of the first two calls are apart: the least of all results."""
        first, second = self.calls()[:2]
        pairs = zip(first.results, second.results, strict=True)
        return min(difference(a, b) for a, b in pairs)


def difference(found: np.ndarray, wanted: np.ndarray) -> float:
    """The largest difference over the largest value."""
    assert found.shape == wanted.shape
    if wanted.size == 0:
        return 0.0
    found, wanted = (each.astype(np.float64) for each in (found, wanted))
    assert np.isfinite(found).all() == np.isfinite(wanted).all()
    finite = np.isfinite(wanted)
    np.testing.assert_array_equal(found[~finite], wanted[~finite])
    largest = np.abs(wanted[finite]).max(initial=1e-30)
    return float(np.abs(found[finite] - wanted[finite]).max(initial=0) / largest)


def to_array(leaf: object) -> np.ndarray:
    """A result or input as an array."""
    if not isinstance(leaf, ow.Tensor):
        return np.asarray(leaf)
    return leaf.detach().numpy()


def call_with_leaves(function, spec, inputs: list) -> list:
    """Call a program's module with the leaves of its arguments; give the leaves of its result."""
    args, kwargs = pytree.tree_unflatten(inputs, spec)
    return [leaf for leaf in pytree.tree_leaves(function(*args, **kwargs)) if leaf is not None]


def assert_close(found: list, wanted: list[np.ndarray], tolerance: float) -> None:
    assert len(found) == len(wanted)
    for ours, theirs in zip(found, wanted, strict=True):
        assert difference(to_array(ours), theirs) <= tolerance

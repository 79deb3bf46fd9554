"""The models with their inputs: how each is called, at which sizes, and which are dynamic."""

import functools
import os
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
import opwright as ow
import torch

from . import (
    decoder,
    limited_net,
    point_filter,
    recurrent_loop,
    recurrent_net,
    residual_net,
    vision_transformer,
)

ROOT = Path(__file__).resolve().parents[4]
BUILD = Path(os.environ.get("OPWRIGHT_BUILD", ROOT / "build" / "release")).resolve()
OPERATORS = BUILD / "operators"

Sizes = tuple[int, ...]


class Case(NamedTuple):
    """A model and its calls. `inputs` makes NumPy arrays in the structure of the arguments."""

    name: str
    make: Callable[[ModuleType], Any]
    inputs: Callable[..., tuple[Any, ...]]
    exported: Sizes
    others: tuple[Sizes, ...]
    # Given opwright.export.Dim: dynamic_shapes of the export.
    dynamic_shapes: Callable[[Any], dict[str, Any]]
    libraries: tuple[str, ...] = ()
    operators: tuple[str, ...] = ()  # one of each library

    def __str__(self) -> str:
        return self.name

    def make_twins(self) -> tuple[Any, Any]:
        """Give our model and torch's, for inference; ours has the weights of torch's."""
        for library in self.libraries:
            ow.load_library(OPERATORS / library)
        torch.manual_seed(20261116)
        theirs = self.make(torch)
        perturb_statistics(theirs)
        ours = self.make(ow)
        ours.load_state_dict({name: to_ours(value) for name, value in theirs.state_dict().items()})
        return ours.eval(), theirs.eval()

    def arguments(self, sizes: Sizes) -> tuple[Any, ...]:
        return map_arrays(to_ours, self.inputs(*sizes))


def perturb_statistics(model: Any) -> None:
    """Give batch norms statistics that are not those of a new one."""
    for name, buffer in model.named_buffers():
        if name.endswith("running_mean"):
            buffer.normal_(0, 0.1)
        elif name.endswith("running_var"):
            buffer.uniform_(0.5, 1.5)


def map_arrays(convert: Callable[[Any], Any], tree: Any) -> Any:
    if isinstance(tree, tuple):
        return tuple(map_arrays(convert, each) for each in tree)
    return convert(tree)


def to_ours(value: Any) -> Any:
    array = value.detach().numpy() if isinstance(value, torch.Tensor) else value
    return ow.from_numpy(array.copy())


def to_torch(array: np.ndarray) -> torch.Tensor:
    return torch.from_numpy(array.copy())


def random_of(*sizes: int) -> np.random.Generator:
    """Numbers that depend on the sizes only."""
    return np.random.default_rng(list(sizes))


def floats(random: np.random.Generator, *sizes: int) -> np.ndarray:
    return random.standard_normal(sizes).astype(np.float32)


def image_inputs(batch: int, rows: int, columns: int) -> tuple[Any, ...]:
    return (floats(random_of(batch, rows, columns), batch, 3, rows, columns),)


def patch_inputs(batch: int, rows: int) -> tuple[Any, ...]:
    patch = vision_transformer.PATCH
    return image_inputs(batch, patch * rows, patch * vision_transformer.COLUMNS)


def step_inputs(batch: int, steps: int, begin: int = 0) -> tuple[Any, ...]:
    tokens = random_of(batch, steps, begin).integers(0, 19, (batch, steps))
    return tokens, np.arange(begin, begin + steps)


def tagger_inputs(batch: int) -> tuple[Any, ...]:
    random = random_of(batch)
    state_sizes = (recurrent_net.LAYERS * recurrent_net.DIRECTIONS, batch, recurrent_net.HIDDEN)
    tokens = random.integers(0, 11, (batch, 4))
    return tokens, (floats(random, *state_sizes), floats(random, *state_sizes))


def sequence_inputs(batch: int, length: int) -> tuple[Any, ...]:
    return (random_of(batch, length).integers(0, 11, (batch, length)),)


def point_inputs(points: int, groups: int) -> tuple[Any, ...]:
    random = random_of(points, groups)
    return floats(random, points, 4), random.integers(0, 5, groups)


def pair_inputs(batch: int) -> tuple[Any, ...]:
    random = random_of(batch)
    return floats(random, batch, 4), floats(random, batch, 4)


def image_shapes(dim: Any) -> dict[str, Any]:
    return {
        "image": {
            0: dim("batch", min=1, max=32),
            2: dim("rows", min=4, max=64),
            3: dim("columns", min=4, max=64),
        }
    }


def patch_shapes(dim: Any) -> dict[str, Any]:
    rows = dim("rows", min=1, max=vision_transformer.MOST_ROWS)
    return {"image": {0: dim("batch", min=1, max=32), 2: vision_transformer.PATCH * rows}}


def step_shapes(dim: Any) -> dict[str, Any]:
    batch = dim("batch", min=1, max=decoder.MOST_BATCH)
    steps = dim("steps", min=1, max=decoder.MOST_TOKENS)
    return {"tokens": {0: batch, 1: steps}, "positions": {0: steps}}


def tagger_shapes(dim: Any) -> dict[str, Any]:
    batch = dim("batch", min=1, max=32)
    return {"tokens": {0: batch}, "state": ({1: batch}, {1: batch})}


def sequence_shapes(dim: Any) -> dict[str, Any]:
    return {"tokens": {0: dim("batch", min=1, max=32), 1: dim("length", min=1, max=64)}}


def point_shapes(dim: Any) -> dict[str, Any]:
    return {
        "points": {0: dim("points", min=1, max=100)},
        "counts": {0: dim("groups", min=1, max=9)},
    }


def pair_shapes(dim: Any) -> dict[str, Any]:
    batch = dim("batch", min=1, max=32)
    return {"x": {0: batch}, "y": {0: batch}}


CASES = (
    Case(
        "residual_net",
        residual_net.make,
        image_inputs,
        exported=(3, 12, 14),
        others=((1, 12, 14), (2, 9, 11), (5, 4, 4), (4, 16, 12), (7, 13, 20)),
        dynamic_shapes=image_shapes,
    ),
    Case(
        "vision_transformer",
        vision_transformer.make,
        patch_inputs,
        exported=(3, 4),
        others=((1, 4), (2, 2), (5, 1), (4, 7), (7, 3)),
        dynamic_shapes=patch_shapes,
    ),
    Case(
        "decoder",
        decoder.make,
        step_inputs,
        exported=(3, 5),
        others=((1, 5), (2, 1), (1, 1), (6, 9), (5, 24)),
        dynamic_shapes=step_shapes,
    ),
    Case(
        "recurrent_net",
        recurrent_net.make,
        tagger_inputs,
        exported=(3,),
        others=((1,), (2,), (4,), (7,), (12,)),
        dynamic_shapes=tagger_shapes,
    ),
    Case(
        "recurrent_loop",
        recurrent_loop.make,
        sequence_inputs,
        exported=(3, 6),
        others=((1, 6), (2, 1), (4, 3), (7, 12), (1, 31)),
        dynamic_shapes=sequence_shapes,
    ),
    Case(
        "point_filter",
        point_filter.make,
        point_inputs,
        exported=(12, 3),
        others=((1, 3), (5, 1), (20, 2), (33, 4), (64, 7)),
        dynamic_shapes=point_shapes,
    ),
    Case(
        "limited_net",
        limited_net.make,
        pair_inputs,
        exported=(3,),
        others=((1,), (2,), (5,), (8,), (31,)),
        dynamic_shapes=pair_shapes,
        libraries=limited_net.LIBRARIES,
        operators=limited_net.OPERATORS,
    ),
)
by_name = functools.cache(lambda name: next(case for case in CASES if case.name == name))

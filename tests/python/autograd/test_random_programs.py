"""Random programs that train agree with torch, or both raise; nothing differs silently."""

import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import opwright as ow
import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from libraries import LenientTorch, Library, Ours, Torch
from training_programs import NAMES, Instruction, Outcome, Step, plan, run

IS_LONG = os.environ.get("OPWRIGHT_ALL") == "1"
EXAMPLES = 3_000 if IS_LONG else 500

small = st.integers(0, 8)
instructions = st.tuples(
    st.integers(0, len(NAMES) - 1), small, small, st.integers(0, 400), st.integers(0, 7)
)
programs = st.lists(instructions, min_size=2, max_size=16)

# What torch does and ours tells that it does not.
REFUSALS: tuple[str, ...] = (
    "shares part of its memory",
)
# Errors of torch about its own choice of what to save; the lenient one has none of them.
OWN_CHOICES = ("version", "freed")
KINDS = {
    "leaf": ("leaf",),
    "version": ("modified by an in",),
    "view of no_grad": ("no_grad",),
    "freed": ("freed",),
    "no history": ("does not require grad",),
    "memory": ("memory",),
}


def kind_of(error: str) -> str:
    return next((kind for kind, texts in KINDS.items() if any(t in error for t in texts)), error)


def leaves() -> list[tuple[np.ndarray, bool]]:
    """Give the inputs of all programs, and whether they require grad."""
    counted = np.arange(12.0).reshape(3, 4)
    return [
        (np.sin(counted), True),
        (np.cos(counted[0]), True),
        (0.1 * counted - 0.5, False),
        (np.sin(1 + counted[:, 0]), False),
    ]


def torch_leaves() -> list[torch.Tensor]:
    return [torch.tensor(data, requires_grad=needs) for data, needs in leaves()]


def our_leaves() -> list[ow.Tensor]:
    return [ow.tensor(data, requires_grad=needs) for data, needs in leaves()]


class Shown(NamedTuple):
    """All that is compared of a tensor; None: not there, or it cannot be asked for."""

    values: np.ndarray | None = None
    requires_grad: bool | None = None
    is_leaf: bool | None = None
    gradient: np.ndarray | None = None


def numbers(tensor: object) -> np.ndarray | None:
    return None if tensor is None else np.array(tensor.detach().tolist())


def shown(tensor: object) -> Shown:
    if tensor is None:
        return Shown()
    try:
        is_leaf = tensor.is_leaf
        gradient = tensor.grad if is_leaf else None
        return Shown(numbers(tensor), tensor.requires_grad, is_leaf, numbers(gradient))
    except RuntimeError:  # a view made under no_grad that is behind its base
        return Shown(numbers(tensor))


def equal(ours: object, theirs: object) -> bool:
    if isinstance(ours, np.ndarray) and isinstance(theirs, np.ndarray):
        return np.shape(ours) == np.shape(theirs) and np.allclose(ours, theirs, 1e-7, 1e-9)
    return type(ours) is type(theirs) and ours == theirs


def differing_field(ours: Shown, theirs: Shown) -> str:
    """Name the first field that differs; empty: none."""
    can_be_asked = ours.is_leaf is not None and theirs.is_leaf is not None
    for field in Shown._fields if can_be_asked else ["values"]:
        if not equal(getattr(ours, field), getattr(theirs, field)):
            return f"{field} is {getattr(ours, field)}, torch has {getattr(theirs, field)}"
    return ""


def is_large(value: Shown) -> bool:
    numbers = [value.values, value.gradient]
    return any(n is not None and not np.all(np.abs(n) < 1e8) for n in numbers)


class Tally(Counter):
    """How many programs ended in which way."""

    def differing(self, steps: Sequence[Step], ours: Outcome, theirs: Outcome) -> str:
        """Give what differs; empty: nothing, and it is counted."""
        for place, (mine, other) in enumerate(zip(ours.errors, theirs.errors, strict=False)):
            at = f"step {place} ({steps[place] if place < len(steps) else 'the last backward'})"
            if mine and other:
                same = kind_of(mine) == kind_of(other)
                self[f"step raises in both: {kind_of(other)}" if same else "other kind"] += 1
                if not same:
                    self[f"  other: {kind_of(other)[:40]} / {kind_of(mine)[:60]}"] += 1
            elif mine and any(text in mine for text in REFUSALS):
                self["refused by ours"] += 1
                return ""
            elif mine:
                return f"{at}: only ours raises {mine}"
            elif other:
                return f"{at}: only torch raises {other}"
        if theirs.errors[-1]:
            self["equal until a backward raises in both"] += 1
            return ""
        for place, pair in enumerate(zip(ours.pool, theirs.pool, strict=True)):
            mine, other = map(shown, pair)
            if is_large(other):
                self["unchecked: large values"] += 1
                return ""
            difference = differing_field(mine, other)
            if difference:
                return f"value {place}: {difference}"
        self["equal"] += 1
        return ""

    def compare(self, steps: Sequence[Step], ours: Callable[[], Outcome]) -> str:
        """Run on both."""
        mine = ours()
        problem = self.differing(steps, mine, run(steps, Torch, torch_leaves()))
        if "only torch raises" in problem and kind_of(problem) in OWN_CHOICES:
            problem = self.differing(steps, mine, run(steps, LenientTorch, torch_leaves()))
            self["checked by torch that saves copies"] += not problem
        if "only torch raises" in problem and kind_of(problem) in ("view of no_grad",):
            self[f"unchecked: torch refuses, {kind_of(problem)}"] += 1
            return ""
        return problem


@pytest.fixture(scope="module")
def tallies() -> Iterator[dict[str, Tally]]:
    """Show how the programs ended, with pytest -s."""
    counted: dict[str, Tally] = {}
    yield counted
    for mode, tally in counted.items():
        print(f"\n{mode}")
        for what, count in sorted(tally.items(), key=lambda item: -item[1]):
            print(f"  {count:6} {what}")


def text(steps: Sequence[Step]) -> str:
    return "\n".join(map(str, steps))


@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
@given(program=programs)
def test_a_random_program_agrees_with_torch(
    tallies: dict[str, Tally], program: list[Instruction]
) -> None:
    steps = plan(program, torch_leaves())

    problem = tallies.setdefault("eager", Tally()).compare(
        steps, lambda: run(steps, Ours, our_leaves())
    )

    assert not problem, f"{text(steps)}\n{problem}"

"""Random programs that train agree with torch, or both raise; nothing differs silently."""

import os
from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import opwright as ow
import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from opwright.func import functionalize
from opwright.tracing import make_fx

from tests.python.functionalize.programs import REFUSALS as FUNCTIONALIZE_REFUSALS

from .libraries import DetachingTorch, LenientTorch, Ours, RetainingTorch, Torch
from .training_programs import (
    INSTRUCTIONS,
    OF_HISTORIES,
    Instruction,
    Outcome,
    Step,
    plan,
    run,
    run_steps,
    train,
    without_refused_writes,
)

IS_LONG = os.environ.get("OPWRIGHT_ALL") == "1"

programs = st.lists(INSTRUCTIONS, min_size=2, max_size=16)

# What torch supports and ours reports as unsupported.
REFUSALS = (
    "shares part of its memory",  # torch sees only some of these
    "are the same memory",  # likewise, and some operators write to such a tensor all the same
    "made under no_grad",  # a view; the torch that is not lenient refuses most of these
    "returns multiple views",  # split, unbind: the torch of the programs calls narrow, select
    "is a detached alias",  # functionalize cannot give it its own history
    "has fewer dimensions than the tensor's",  # x[0] = y, of which a symbolic size happens to be 1
    "formulas::drain_: 'y', saved for its backward",  # torch's is made of operators, some unused
    *FUNCTIONALIZE_REFUSALS,
)
KINDS = {
    "no history": ("does not require grad",),
    "leaf": ("leaf",),
    "version": ("modified by an in",),
    "view of no_grad": ("no_grad",),
    "freed": ("freed",),
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
    """Everything that is compared of a tensor; None if missing or not available."""

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


def differing_field(ours: Shown, theirs: Shown, fields: Sequence[str]) -> str:
    """Name the first field that differs; empty: none."""
    can_be_asked = ours.is_leaf is not None and theirs.is_leaf is not None
    for field in fields if can_be_asked else ["values"]:
        if not equal(getattr(ours, field), getattr(theirs, field)):
            return f"{field} is {getattr(ours, field)}, torch has {getattr(theirs, field)}"
    return ""


def is_large(value: Shown) -> bool:
    numbers = [value.values, value.gradient]
    return any(n is not None and not np.all(np.abs(n) < 1e8) for n in numbers)


class Tally(Counter):
    """How many programs ended in which way."""

    refusals = REFUSALS
    sees_memory = True  # whether writes to partly shared memory can be detected

    def fields_of(self, place: int) -> Sequence[str]:
        """Name the compared property of a value."""
        return Shown._fields

    def differing(self, steps: Sequence[Step], ours: Outcome, theirs: Outcome) -> str:
        """Give what differs; empty: nothing, and it is counted."""
        for place, (mine, other) in enumerate(zip(ours.errors, theirs.errors, strict=False)):
            at = f"step {place} ({steps[place] if place < len(steps) else 'the last backward'})"
            if mine and other:
                same = kind_of(mine) == kind_of(other)
                self[f"step raises in both: {kind_of(other)}" if same else "other kind"] += 1
                if not same:
                    self[f"  other: {kind_of(other)[:40]} / {kind_of(mine)[:60]}"] += 1
            elif mine and any(text in mine for text in self.refusals):
                self["refused by ours"] += 1
                return ""
            elif mine:
                return f"{at}: only ours raises {mine}"
            elif kind_of(other) == "memory" and not self.sees_memory:
                self["unchecked: memory that a trace without data does not have"] += 1
                return ""
            elif other and kind_of(other) == kind_of(ours.late_error):
                self[f"raises in both, in ours at the end: {kind_of(other)}"] += 1
                return ""
            elif other:
                return f"{at}: only torch raises {other}"
        if ours.late_error:
            is_refused = any(text in ours.late_error for text in self.refusals)
            self["refused by ours at the end"] += is_refused
            return "" if is_refused else f"at the end ours raises {ours.late_error}"
        if theirs.errors[-1]:
            self["equal until a backward raises in both"] += 1
            return ""
        for place, pair in enumerate(zip(ours.pool, theirs.pool, strict=True)):
            mine, other = map(shown, pair)
            if is_large(other):
                self["unchecked: large values"] += 1
                return ""
            difference = differing_field(mine, other, self.fields_of(place))
            if difference:
                return f"value {place}: {difference}"
        self["equal"] += 1
        return ""

    def text(self) -> str:
        return "".join(f"\n  {count:6} {what}" for what, count in self.most_common())

    def plan(self, program: Sequence[Instruction]) -> list[Step]:
        return plan(program, torch_leaves())

    def compare(self, steps: Sequence[Step], ours: Callable[[], Outcome]) -> str:
        """Run on both."""
        mine = ours()
        for referee in (Torch, DetachingTorch, RetainingTorch, LenientTorch):
            problem = self.differing(steps, mine, run(steps, referee, torch_leaves()))
            if not problem:
                self[f"referee is {referee.__name__}"] += 1
                return ""
        return problem


def run_eagerly(steps: Sequence[Step]) -> Outcome:
    return run(steps, Ours, our_leaves())


def run_inside(transform: Callable) -> Callable[[Sequence[Step]], Outcome]:
    """Run a program inside of a transform, which gets the function and example inputs."""

    def run_transformed(steps: Sequence[Step]) -> Outcome:
        errors = []

        def program(*inputs: ow.Tensor) -> list[ow.Tensor | None]:
            outcome = run(steps, Ours, inputs)
            errors[:] = outcome.errors
            return outcome.pool

        inputs = our_leaves()
        try:
            transformed = transform(program, our_leaves())
            if errors[-1]:
                return Outcome(errors, [])
            values = transformed(*inputs)
        except RuntimeError as error:
            return Outcome(errors, [], str(error))
        return Outcome(errors, [*inputs, *values[len(inputs) :]])

    return run_transformed


def traced(**options: object) -> Callable:
    return run_inside(lambda program, examples: make_fx(program, **options)(*examples))


class GraphTally(Tally):
    """For graphs, which return values and the gradients of their inputs."""

    def fields_of(self, place: int) -> Sequence[str]:
        return ("values", "gradient") if place < len(leaves()) else ("values",)


class FunctionalTally(Tally):
    """Of programs inside of functionalize, whose tensors have no histories: those are below.

    An input that is written was not known as such when values of it were saved.
    """

    refusals = (*REFUSALS, "modified by an in-place operation")

    def plan(self, program: Sequence[Instruction]) -> list[Step]:
        """Also skip what is rejected only at the end, for the entire program."""
        steps = plan(program, torch_leaves(), left_out=OF_HISTORIES)
        return without_refused_writes(steps, torch_leaves())


class SymbolicTally(GraphTally):
    """Of traces without data."""

    sees_memory = False


def run_functionalized(steps: Sequence[Step]) -> Outcome:
    """Run without the backward inside of functionalize, and then the backward of its results."""
    errors = []

    def program(*inputs: ow.Tensor) -> list[ow.Tensor | None]:
        outcome = run_steps(steps, Ours, inputs)
        errors[:] = outcome.errors
        return outcome.pool

    inputs = our_leaves()
    try:
        values = functionalize(program)(*inputs)
    except RuntimeError as error:
        return Outcome(errors, [], str(error))
    return train(Ours, Outcome(errors, [*inputs, *values[len(inputs) :]]))


MODES: dict[str, tuple[Callable[[Sequence[Step]], Outcome], type[Tally], int]] = {
    "eager": (run_eagerly, Tally, 500),
    "functionalize": (run_functionalized, FunctionalTally, 200),
    "make_fx": (traced(tracing_mode="real"), GraphTally, 150),
    "make_fx, symbolic": (traced(tracing_mode="symbolic"), SymbolicTally, 100),
    "make_fx, functional": (traced(tracing_mode="real", functional=True), GraphTally, 100),
    "make_fx, functionalized later": (
        run_inside(lambda program, examples: make_fx(program)(*examples).functionalize()),
        GraphTally,
        100,
    ),
    "make_fx, symbolic, functional": (
        traced(tracing_mode="symbolic", functional=True),
        SymbolicTally,
        100,
    ),
}


@pytest.mark.parametrize("mode", MODES)
def test_random_programs_agree_with_torch(mode: str) -> None:
    run_ours, tally_type, count = MODES[mode]
    tally = tally_type()

    @settings(
        max_examples=3_000 if IS_LONG else count,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(program=programs)
    def agrees(program: list[Instruction]) -> None:
        steps = tally.plan(program)
        problem = tally.compare(steps, lambda: run_ours(steps))
        assert not problem, "\n".join([*map(str, steps), problem])

    try:
        agrees()
    finally:
        print(f"\n{mode}: {tally.text()}")

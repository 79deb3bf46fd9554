"""Random programs of views, writes and gradients train compiled as they do eagerly."""

import os
from collections import Counter
from collections.abc import Sequence

import numpy as np
import opwright as ow
import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.python.autograd.libraries import Ours
from tests.python.autograd.training_programs import (
    INSTRUCTIONS,
    Instruction,
    Outcome,
    Step,
    plan,
    run,
    run_steps,
    train,
)

IS_LONG = os.environ.get("OPWRIGHT_ALL") == "1"

programs = st.lists(INSTRUCTIONS, min_size=2, max_size=14)

# What a compiled function reports as unsupported.
REFUSALS = (
    "reads or sets the history of a tensor",  # x.grad = None
    "requires_grad_",  # of an input, or a leaf that it made and returns
    "leaf that requires grad and that it made itself",
    "detached its input",
    "create_graph=True differentiates it by running it again",
    "is a detached alias",
    "made under no_grad",
    "as_strided",
    "shares memory with another tensor",
    "are the same memory",
    "cannot be written under functionalize",
    "reached a tensor that was computed outside",
    "assigns the gradient",
)
# Errors that need memory to detect: the trace of such a program is a different one.
MEMORY = ("shares part of its memory", "are the same memory")


def leaves(requires: Sequence[bool] = (True, True, False, False)) -> list[np.ndarray]:
    counted = np.arange(12.0).reshape(3, 4)
    data = [np.sin(counted), np.cos(counted[0]), 0.1 * counted - 0.5, np.sin(1 + counted[:, 0])]
    return list(zip(data, requires, strict=True))


def our_leaves() -> list[ow.Tensor]:
    return [ow.tensor(data, requires_grad=needs) for data, needs in leaves()]


def run_compiled(steps: Sequence[Step], backend: str) -> tuple[Outcome, list[ow.Tensor]]:
    def program(*inputs: ow.Tensor) -> tuple[list[ow.Tensor | None], list[str]]:
        outcome = run_steps(steps, Ours, inputs)
        if outcome.has_ended:
            raise RuntimeError(outcome.errors[-1])
        return outcome.pool, outcome.errors

    inputs = our_leaves()
    try:
        pool, errors = ow.compile(program, fullgraph=True, backend=backend)(*inputs)
    except RuntimeError as error:
        return Outcome([], [], str(error)), inputs
    return train(Ours, Outcome(errors, pool)), inputs


def shown(tensor: ow.Tensor | None) -> tuple | None:
    if tensor is None:
        return None
    try:
        gradient = tensor.grad if tensor.is_leaf else None
        known = (tensor.requires_grad, tensor.is_leaf, tuple(tensor.shape))
    except RuntimeError:  # a view made under no_grad that is behind its base
        return None
    return (
        *known,
        *(None if t is None else np.array(t.detach().tolist()) for t in (tensor, gradient)),
    )


def equal(a: object, b: object) -> bool:
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(map(equal, a, b))
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        return np.allclose(a, b, 1e-6, 1e-8, equal_nan=True) or not np.all(np.abs(b) < 1e8)
    return type(a) is type(b) and a == b


def difference(steps: Sequence[Step], backend: str, tally: Counter) -> str:
    eager_inputs = our_leaves()
    eager = run(steps, Ours, eager_inputs)
    if any(text in error for text in MEMORY for error in eager.errors):
        tally["refused for its memory"] += 1
        return ""
    compiled, inputs = run_compiled(steps, backend)
    if compiled.late_error:
        if any(text in compiled.late_error for text in REFUSALS):
            tally["refused"] += 1
            return ""
        if eager.errors[-1]:
            tally["raises in both"] += 1
            return ""
        return f"only the compiled one raises {compiled.late_error}"
    if compiled.errors[-1] or eager.errors[-1]:
        if compiled.errors[-1] and eager.errors[-1]:
            tally["raises in both"] += 1
            return ""
        if any(text in compiled.errors[-1] for text in REFUSALS):
            tally["refused"] += 1
            return ""
        return f"compiled: {compiled.errors[-1]!r}, eager: {eager.errors[-1]!r}"
    pairs = zip([*inputs, *compiled.pool], [*eager_inputs, *eager.pool], strict=True)
    for place, (mine, other) in enumerate(pairs):
        a, b = shown(mine), shown(other)
        if not equal(a, b):
            return f"value {place - len(inputs)}: compiled {a}, eager {b}"
    tally["equal"] += 1
    return ""


@pytest.mark.parametrize("backend", ["plan", "llvm"])
def test_random_programs_train_as_eager(backend: str) -> None:
    tally = Counter()

    @settings(
        max_examples=2_000 if IS_LONG else 100,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(program=programs)
    def agrees(program: list[Instruction]) -> None:
        steps = plan(program, [torch.tensor(data) for data, _ in leaves()])
        problem = difference(steps, backend, tally)
        assert not problem, "\n".join([*map(str, steps), problem])

    try:
        agrees()
    finally:
        print(f"\n{backend}: {dict(tally)}")
    assert tally["equal"] > tally["refused"]

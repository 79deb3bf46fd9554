"""Random programs equal eager in outputs, in the final inputs, and in what aliases what."""

import os
from collections.abc import Callable

import opwright as ow
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st
from opwright.func import functionalize
from opwright.tracing import make_fx

from .programs import OPERATIONS, REFUSALS, Instruction, run, text

EXAMPLES = 20_000 if os.environ.get("OPWRIGHT_ALL") == "1" else 1_200

numbers = st.integers(0, 40)
instructions = st.tuples(st.integers(0, len(OPERATIONS) - 1), numbers, numbers, numbers)
programs = st.lists(instructions, min_size=1, max_size=12)

# Ways to make inputs; those of one list may share memory.
INPUTS: dict[str, Callable[[], list[ow.Tensor]]] = {
    "matrix": lambda: [counted(3, 4)],
    "cube and row": lambda: [counted(2, 3, 2), counted(2)],
    "transposed": lambda: [counted(3, 4).t()],
    "with gaps": lambda: [counted(4, 6)[:, ::2]],
    "ones": lambda: [counted(1, 3, 1), counted(3)],
    "whole and part": lambda: parts(lambda x: [x, x[1:]]),
    "part and whole": lambda: parts(lambda x: [x[1], x]),
    "whole and transposed": lambda: parts(lambda x: [x, x.t()]),
    "apart": lambda: parts(lambda x: [x[:2], x[2:]]),
    "twice": lambda: parts(lambda x: [x, x]),
    "through DLPack": lambda: parts(lambda x: [x, ow.from_dlpack(x)]),
    "a part through DLPack": lambda: parts(lambda x: [x, ow.from_dlpack(x)[1:]]),
    "DLPack of a part": lambda: parts(lambda x: [ow.from_dlpack(x[1:]), x]),
}


def counted(*sizes: int) -> ow.Tensor:
    return ow.arange(float(ow.zeros(sizes).numel())).reshape(sizes)


def parts(make: Callable) -> list[ow.Tensor]:
    return make(counted(3, 4))


def shown(tensors: list[ow.Tensor]) -> list:
    return [(t.dtype, t.shape, t.tolist()) for t in tensors]


def outcome(function: Callable, program: list[Instruction], make: Callable) -> object:
    """Run; return outputs, inputs, and how both change when one after the other is written."""
    ow.manual_seed(1)
    inputs = make()
    try:
        outputs = function(program, inputs)
    except Exception as error:
        return error
    after_run = shown([*outputs, *inputs])
    state = ow.get_rng_state().tolist()
    later = []
    for number, tensor in enumerate(outputs):
        try:
            tensor.add_(number + 1)
        except RuntimeError:  # elements that are the same memory
            continue
        later.append(shown([*outputs, *inputs]))
    return after_run, state, later


@settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
@given(program=programs, inputs=st.sampled_from(sorted(INPUTS)))
def test_a_random_program_equals_eager(program: list[Instruction], inputs: str) -> None:
    expected = outcome(run, program, INPUTS[inputs])
    actual = outcome(functionalize(run), program, INPUTS[inputs])

    if isinstance(expected, Exception):
        event("raises")
        assert isinstance(actual, Exception), f"{text(program)}: eager raises {expected!r}"
    else:
        is_refused = isinstance(actual, Exception) and any(r in str(actual) for r in REFUSALS)
        event("refused" if is_refused else "runs")
        assert is_refused or actual == expected, text(program)


TRACES = 5_000 if os.environ.get("OPWRIGHT_ALL") == "1" else 300


def traced(mode: str) -> Callable:
    """Trace a program as a graph with writes only at the end; run it on other inputs."""

    def trace_and_run(program: list[Instruction], inputs: list[ow.Tensor]) -> list[ow.Tensor]:
        examples = [each.clone() if each.is_contiguous() else each for each in inputs]
        state = ow.get_rng_state()
        graph = make_fx(run, tracing_mode=mode, functional=True)(program, examples)
        ow.set_rng_state(state)
        return graph(program, inputs)

    return trace_and_run


@settings(max_examples=TRACES, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    program=programs,
    inputs=st.sampled_from(["matrix", "cube and row", "ones"]),
    mode=st.sampled_from(["real", "fake"]),
)
def test_a_traced_program_equals_eager(program: list[Instruction], inputs: str, mode: str) -> None:
    expected = outcome(run, program, INPUTS[inputs])
    actual = outcome(traced(mode), program, INPUTS[inputs])

    if isinstance(actual, Exception):  # also what needs data, or a fake kernel that is not there
        event("raises")
    else:
        event("runs")
        assert not isinstance(expected, Exception), f"{text(program)}: eager raises {expected!r}"
        assert actual[:2] == expected[:2], text(program)

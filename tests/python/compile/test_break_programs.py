"""Random programs with graph breaks: values, writes and gradients are those of an eager run."""

from functools import partial

import opwright as ow
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from .eager_meaning import bytes_of, compiled

pytestmark = pytest.mark.filterwarnings("ignore")

# Each takes the values so far and two numbers that choose among them.
STEPS = {
    "multiply": lambda v, i, j: v.append(pick(v, i) * pick(v, j)),
    "add": lambda v, i, j: v.append(pick(v, i) + pick(v, j).mean()),
    "sine": lambda v, i, j: v.append(ow.sin(pick(v, i))),
    "row": lambda v, i, j: v.append(pick(v, i)[j % 2 : j % 2 + 1]),
    "transposed": lambda v, i, j: v.append(pick(v, i).t().t()),
    "detached": lambda v, i, j: v.append(pick(v, i).detach()),
    "cloned": lambda v, i, j: v.append(pick(v, i).clone()),
    "write": lambda v, i, j: pick(v, i).mul_(1.5),
    "write a row": lambda v, i, j: pick(v, i)[0].add_(pick(v, j).sum()),
    "write unseen": lambda v, i, j: without_grad(pick(v, i)),
    "random": lambda v, i, j: v.append(pick(v, i) + ow.rand(1)),
    "forget": lambda v, i, j: v.pop() if len(v) > 3 else None,
    "read": lambda v, i, j: pick(v, i).sum().item(),
    "branch": lambda v, i, j: v.append(pick(v, j) * 2 if pick(v, i).sum() > 0 else pick(v, j)),
    "backward": lambda v, i, j: pick(v, i).sum().backward(retain_graph=True),
}


def pick(values, number):
    return values[number % len(values)]


def without_grad(tensor):
    with ow.no_grad():
        tensor.add_(0.25)


def make_inputs():
    leaf = ow.arange(6, dtype=ow.float32).reshape(2, 3).div(4).requires_grad_()
    return leaf, leaf * 2, ow.full((2, 3), 0.5)


def run(program, call):
    """All that can be seen afterwards, or the error."""

    def f(leaf, computed, plain):
        values = [leaf, computed, plain]
        for name, i, j in program:
            STEPS[name](values, i, j)
        return values

    ow.manual_seed(1)
    inputs = make_inputs()
    try:
        values = call(f)(*inputs)
        sum(value.sum() for value in values).backward()
    except (IndexError, RuntimeError, ValueError) as error:
        return type(error)
    versions = [t._version for t in (*inputs, *values)]
    return versions, [
        None if t is None else (bytes_of(t), t.shape, t.stride(), t.requires_grad)
        for t in (*inputs, *values, inputs[0].grad, ow.rand(1))
    ]


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    st.lists(
        st.tuples(st.sampled_from(list(STEPS)), st.integers(0, 7), st.integers(0, 7)),
        min_size=1,
        max_size=10,
    )
)
def test_a_program_with_breaks_means_what_it_does_eagerly(program):
    broken = [*program, ("read", 0, 0), *program[:3]]
    expected = run(broken, lambda f: f)

    assert run(broken, compiled) == expected
    assert run(broken, partial(compiled, dynamic=True)) == expected

"""Random programs with views and writes: vmap matches a loop over the samples."""

import os
import warnings
from collections.abc import Callable, Sequence

import opwright as ow
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from opwright import Tensor, vmap
from opwright.func import functionalize

from .samples import counted

BATCH = 3
IN_DIMS = (0, 1, None)
SHARED_IS_WRITTEN = "is written with values that differ between the samples of vmap"
# Of a sample with one dimension less than what is written; in the batch both have as many.
OVERLAPS = "is written and shares part of its memory"

# Each takes two values; those that end with an underscore write the first.
STEPS: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "add": lambda a, b: a + b,
    "mul": lambda a, b: a * b,
    "maximum": lambda a, b: ow.maximum(a, b),
    "where": lambda a, b: ow.where(a > b, a, b * 2),
    "scale": lambda a, b: a * 0.5 - 1,
    "sum": lambda a, b: a.sum(),
    "sum of rows": lambda a, b: a.sum(-1, keepdim=True),
    "largest": lambda a, b: a.amax(0),
    "transpose": lambda a, b: a.transpose(0, -1),
    "select": lambda a, b: a.select(0, 1),
    "last": lambda a, b: a[..., -1],
    "slice": lambda a, b: a[1:],
    "unsqueeze": lambda a, b: a.unsqueeze(-1),
    "squeeze": lambda a, b: a.squeeze(),
    "expand": lambda a, b: a.unsqueeze(0).expand(2, *a.shape),
    "flatten": lambda a, b: a.reshape(-1),
    "flip": lambda a, b: a.flip(0),
    "cat": lambda a, b: ow.cat([a, b], 0),
    "stack": lambda a, b: ow.stack([a, b], -1),
    "matmul": lambda a, b: a @ b,
    "softmax": lambda a, b: ow.softmax(a, -1),
    "sort": lambda a, b: ow.sort(a, -1)[0],
    "clone": lambda a, b: a.clone(),
    "zeros": lambda a, b: a.new_zeros(2, 3),
    "detach": lambda a, b: a.detach(),
    "add_": lambda a, b: a.add_(b),
    "mul_": lambda a, b: a.mul_(0.5),
    "copy_": lambda a, b: a.copy_(b),
    "fill part_": lambda a, b: (a[0].fill_(7), a)[1],
    "add to part_": lambda a, b: (a.select(-1, 0).add_(1), a)[1],
    "put_": lambda a, b: (a.__setitem__(slice(1, None), b), a)[1],
}
STEP = st.tuples(st.sampled_from(sorted(STEPS)), st.integers(0, 9), st.integers(0, 9))


def run(program: list[tuple[str, int, int]], values: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """Run the steps on values picked by index, modulo their number, from those so far."""
    values = list(values)
    for name, left, right in program:
        values.append(STEPS[name](values[left % len(values)], values[right % len(values)]))
    return tuple(values)


def inputs() -> tuple[Tensor, Tensor, Tensor]:
    """Two batches, of matrices in front and of vectors behind, and a tensor for all samples."""
    return counted(BATCH, 2, 3) - 4, counted(3, BATCH) * 0.5, counted(3) + 1


def run_by_sample(program: list[tuple[str, int, int]]) -> list[Tensor] | Exception:
    matrices, vectors, shared = inputs()
    samples = []
    for i in range(BATCH):
        try:
            values = run(program, [matrices[i], vectors[:, i], shared.clone()])
        except (RuntimeError, ValueError, TypeError, IndexError) as error:
            return error
        samples.append(values)
    return [ow.stack(list(each)) for each in zip(*samples, strict=True)] + [matrices, vectors]


def run_mapped(
    program: list[tuple[str, int, int]], transform: Callable[[Callable], Callable]
) -> list[Tensor] | Exception:
    matrices, vectors, shared = inputs()
    try:
        values = transform(lambda *args: run(program, args))(matrices, vectors, shared)
    except (RuntimeError, ValueError, TypeError, IndexError, NotImplementedError) as error:
        return error
    return [*values, matrices, vectors]


def check(program: list[tuple[str, int, int]], transform: Callable[[Callable], Callable]) -> None:
    expected = run_by_sample(program)
    with warnings.catch_warnings():
        warnings.simplefilter("error", ow.PerformanceWarning)
        actual = run_mapped(program, transform)
    if isinstance(actual, Exception):
        assert isinstance(expected, Exception) or SHARED_IS_WRITTEN in str(actual), actual
        return
    if isinstance(expected, Exception):
        assert OVERLAPS in str(expected), expected
        return
    for one, other in zip(actual, expected, strict=True):
        assert one.shape == other.shape
        assert ow.allclose(one, other, equal_nan=True)


ALL = bool(os.environ.get("OPWRIGHT_ALL"))
TRIALS = settings(
    max_examples=2000 if ALL else 200,
    deadline=None,
    derandomize=not ALL,
    suppress_health_check=list(HealthCheck),
)


@TRIALS
@given(st.lists(STEP, min_size=1, max_size=8))
def test_vmap_gives_what_a_loop_over_the_samples_gives(program):
    check(program, lambda f: vmap(f, in_dims=IN_DIMS))


@TRIALS
@given(st.lists(STEP, min_size=1, max_size=6))
def test_the_same_around_functionalize(program):
    check(program, lambda f: vmap(functionalize(f), in_dims=IN_DIMS))


@TRIALS
@given(st.lists(STEP, min_size=1, max_size=6))
def test_the_same_inside_of_functionalize(program):
    check(program, lambda f: functionalize(vmap(f, in_dims=IN_DIMS)))


@TRIALS
@given(st.lists(STEP, min_size=1, max_size=6))
def test_the_same_traced(program):
    def traced(f):
        def run_traced(*args):
            copies = [each.clone() for each in args]
            return ow.make_fx(vmap(f, in_dims=IN_DIMS))(*copies)(*args)

        return run_traced

    check(program, traced)

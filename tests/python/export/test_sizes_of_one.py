"""A program with dynamic sizes matches eager where some of them are 1, or 2, or more."""

from collections.abc import Callable

import opwright as ow
from hypothesis import given, settings
from hypothesis import strategies as st
from opwright.export import Dim, export

NDIM = 4
LEAST_ONE = [Dim(f"size{dim}", min=1, max=9) for dim in range(NDIM)]

STEPS: dict[str, Callable[[ow.Tensor, int], ow.Tensor]] = {
    "transpose": lambda x, at: x.transpose(at % x.ndim, -1),
    "flatten": lambda x, at: x.flatten(at % x.ndim) if x.ndim > 2 else x,
    "flatten front": lambda x, at: x.flatten(0, at % x.ndim) if x.ndim > 2 else x,
    "join two": lambda x, at: x.flatten(at % x.ndim - 1, at % x.ndim) if at % x.ndim else x,
    "insert a one": lambda x, at: x.unsqueeze(at % x.ndim),
    "contiguous": lambda x, at: x.contiguous(),
    "sine": lambda x, at: ow.sin(x),
    "add to a sum": lambda x, at: x + x.sum(at % x.ndim, keepdim=True),
    "add the last": lambda x, at: x + x[..., :1],
    "double": lambda x, at: ow.cat([x, x], at % x.ndim),
    "softmax": lambda x, at: ow.softmax(x, at % x.ndim),
    "square": lambda x, at: ow.tanh(x @ x.transpose(-2, -1)) if x.ndim > 1 else x,
    "add in place": lambda x, at: x.clone().add_(1),
    "write a part": lambda x, at: write_part(x.clone(), at % x.ndim),
}


def write_part(x: ow.Tensor, dim: int) -> ow.Tensor:
    x.select(dim, 0).mul_(2)
    return x


def run(x: ow.Tensor, steps: list[tuple[str, int]]) -> ow.Tensor:
    for name, at in steps:
        x = STEPS[name](x, at)
    return x


SIZES = st.lists(st.integers(1, 4), min_size=NDIM, max_size=NDIM)


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from([*STEPS]), st.integers(0, 3)), min_size=1, max_size=6),
    st.lists(st.integers(2, 4), min_size=NDIM, max_size=NDIM),
    st.lists(SIZES, min_size=3, max_size=3),
)
def test_a_program_gives_what_eager_gives_at_sizes_of_one(steps, example, others):
    shapes = {"x": dict(enumerate(LEAST_ONE))}
    program = export(
        lambda x: run(x, steps), (ow.randn(example, dtype=ow.float64),), dynamic_shapes=shapes
    )

    for sizes in [example, [1] * NDIM, *others]:
        x = ow.randn(sizes, dtype=ow.float64)
        assert ow.allclose(program(x), run(x, steps), rtol=1e-9, atol=1e-9)

"""What values of transforms print."""

import opwright as ow
import opwright.compat.torch as compat
import pytest
import torch

PROGRAMS = {
    "grad": lambda library, f: library.func.grad(f),
    "vmap": lambda library, f: library.func.vmap(f, in_dims=1),
    "vmap of grad": lambda library, f: library.func.vmap(library.func.grad(f)),
    "grad of grad": lambda library, f: library.func.grad(
        lambda x: library.func.grad(f)(x).sum(),
    ),
    "jvp": lambda library, f: lambda x: library.func.jvp(f, (x,), (x,)),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_value_of_a_transform_prints_its_level_and_what_is_inside_as_in_torch(name):
    def run(library):
        texts = []

        def f(x):
            texts.append(repr(x))
            return (x * x).sum()

        PROGRAMS[name](library, f)(library.tensor([[1.0, 2.0], [3.0, 4.0]]))
        return texts

    assert run(compat) == run(torch)


def test_a_value_that_escaped_prints_its_sizes():
    kept = []
    ow.vmap(lambda x: kept.append(x) or x)(ow.ones(2, 3))

    assert repr(kept[0]) == "tensor(..., size=(3,), inside='vmap')"

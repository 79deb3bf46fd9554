"""Small exports compared with torch.export: outputs, kinds of inputs and outputs, errors."""

import opwright as ow
import pytest
from opwright.export import Dim, export

torch = pytest.importorskip("torch")


class Both:
    """Names of either library, so that one function is exported by both."""

    def __init__(self, library, dim, export_with):
        self.library = library
        self.Dim = dim
        self.export = export_with

    def tensor(self, data):
        return self.library.tensor(data)


def export_functional(*args, **kwargs):
    """torch's programs write in place until they are decomposed."""
    return torch.export.export(*args, **kwargs).run_decompositions({})


OURS = Both(ow, Dim, export)
THEIRS = Both(torch, torch.export.Dim, export_functional)


def kinds(program):
    specs = program.graph_signature
    inputs = [(spec.kind.name, spec.target) for spec in specs.input_specs]
    # A user input has no target in torch; ours is its path in the call.
    inputs = [(kind, None if kind == "USER_INPUT" else target) for kind, target in inputs]
    return inputs, [spec.kind.name for spec in specs.output_specs]


def module_of(both, forward, **tensors):
    """A module with a parameter `w`, a buffer `b` and this forward."""

    class Model(both.library.nn.Module):
        def __init__(self):
            super().__init__()
            self.w = both.library.nn.Parameter(both.tensor([1.0, 2.0, 3.0]))
            self.register_buffer("b", both.tensor([0.5, 0.5, 0.5]))

        def forward(self, *args, **kwargs):
            return forward(both, self, *args, **kwargs)

    return Model()


CASES = {
    "pointwise": (lambda both, self, x: x * 2 + 1, [[1.0, 2.0, 3.0]]),
    "parameter": (lambda both, self, x: x * self.w, [[1.0, 2.0, 3.0]]),
    "buffer": (lambda both, self, x: x * self.w + self.b, [[1.0, 2.0, 3.0]]),
    "written buffer": (lambda both, self, x: x * self.b.add_(1), [[1.0, 2.0, 3.0]]),
    "written input": (lambda both, self, x: (x.mul_(self.w), x.sum())[1], [[1.0, 2.0, 3.0]]),
    "two inputs": (lambda both, self, x, y: x - y, [[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]]),
    "two outputs": (lambda both, self, x: (x + self.w, x - self.w), [[1.0, 2.0, 3.0]]),
    "nested outputs": (lambda both, self, x: {"a": [x + 1], "b": x * self.w}, [[1.0, 2.0, 3.0]]),
    "view": (lambda both, self, x: x.view(3, 1) * self.w, [[1.0, 2.0, 3.0]]),
    "reduction": (lambda both, self, x: (x * self.w).sum(), [[1.0, 2.0, 3.0]]),
    "softmax": (lambda both, self, x: (x * self.w).softmax(0), [[1.0, 2.0, 3.0]]),
    "indexing": (lambda both, self, x: x[1:] * self.w[:2], [[1.0, 2.0, 3.0]]),
    "cat": (lambda both, self, x: both.library.cat([x, self.w]), [[1.0, 2.0, 3.0]]),
}


def flat(result):
    if isinstance(result, dict):
        return [each for value in result.values() for each in flat(value)]
    if isinstance(result, (tuple, list)):
        return [each for value in result for each in flat(value)]
    return [result.detach().reshape(-1).tolist()]


@pytest.mark.parametrize("name", CASES)
def test_outputs_and_kinds_are_those_of_torch(name):
    forward, data = CASES[name]
    found = []
    for both in (OURS, THEIRS):
        program = both.export(module_of(both, forward), tuple(map(both.tensor, data)))
        result = program.module()(*map(both.tensor, data))
        found.append((flat(result), kinds(program)))

    (ours, our_kinds), (theirs, their_kinds) = found
    assert our_kinds == their_kinds
    for our, their in zip(ours, theirs, strict=True):
        assert our == pytest.approx(their, rel=1e-6)


def sum_of(x, y):
    return x + y


REFUSED = {
    "another size": (
        lambda both: both.export(lambda_module(both, sum_of), ones(both, 3, 3)),
        lambda both, program: program.module()(*ones(both, 4, 4)),
    ),
    "another number of arguments": (
        lambda both: both.export(lambda_module(both, sum_of), ones(both, 3, 3)),
        lambda both, program: program.module()(*ones(both, 3)),
    ),
    "out of range": (
        lambda both: both.export(
            lambda_module(both, lambda x: x + 1),
            ones(both, 4),
            dynamic_shapes=({0: both.Dim("n", max=8)},),
        ),
        lambda both, program: program.module()(*ones(both, 9)),
    ),
    "unequal sizes of one Dim": (
        lambda both: both.export(
            lambda_module(both, sum_of), ones(both, 4, 4), dynamic_shapes=both_dims(both)
        ),
        lambda both, program: program.module()(*ones(both, 5, 6)),
    ),
}


def both_dims(both):
    n = both.Dim("n")
    return ({0: n}, {0: n})


def ones(both, *sizes):
    return tuple(both.library.ones(size) for size in sizes)


def lambda_module(both, function):
    class OfOne(both.library.nn.Module):
        def forward(self, x):
            return function(x)

    class OfTwo(both.library.nn.Module):
        def forward(self, x, y):
            return function(x, y)

    return OfTwo() if function is sum_of else OfOne()


@pytest.mark.parametrize("name", REFUSED)
def test_calls_that_torch_refuses_are_refused(name):
    make, call = REFUSED[name]
    for both in (OURS, THEIRS):
        program = make(both)
        with pytest.raises(Exception) as error:  # noqa: PT011
            call(both, program)
        assert str(error.value)


@pytest.mark.parametrize(
    "shapes",
    [
        lambda both: ({0: both.Dim("n"), 1: both.Dim("m")},),
        lambda both: {"y": {0: both.Dim("n")}},
        lambda both: ({0: "n"},),
        lambda both: (both.Dim("n"),),
    ],
)
def test_dynamic_shapes_that_torch_refuses_are_refused(shapes):
    def matrix(x):
        return x @ x.new_ones(3, 2)

    for both in (OURS, THEIRS):

        class Model(both.library.nn.Module):
            def forward(self, x):
                return matrix(x)

        with pytest.raises(Exception) as error:  # noqa: PT011
            both.export(Model(), (both.library.ones(4, 3),), dynamic_shapes=shapes(both))
        assert str(error.value)


def test_the_same_tensor_twice_stays_two_inputs_where_torch_drops_one():
    x = ow.ones(3)

    program = export(sum_of, (x, x))

    assert program(ow.ones(3), ow.full([3], 5.0)).tolist() == [6.0, 6.0, 6.0]

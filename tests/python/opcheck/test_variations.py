"""Variations of calls, as Python values."""

import itertools

import opwright as ow
import pytest
from opwright import _C

aten = ow.ops.aten


def vary(op, args: tuple, count: int, **options) -> list:
    return list(itertools.islice(_C.vary(op, args, {}, **options), count))


def test_values_are_those_of_all_arguments_of_the_schema():
    ((values, change),) = vary(aten.add.Tensor, (ow.ones(2, 3), ow.ones(2, 3)), 1)

    assert [tuple(value.shape) for value in values[:2]] == [(0, 3), (0, 3)]
    assert values[2] == 1
    assert change == "self: sizes [2, 3] became [0, 3]; other: sizes [2, 3] became [0, 3]"


def test_the_given_tensors_stay_as_they_are():
    x = ow.arange(6).reshape(2, 3)

    examples = vary(aten.mul_.Tensor, (x, x.clone()), 100)
    for written in (values[0] for values, _ in examples if values[0] is not x):
        written.fill_(7)

    assert x.tolist() == [[0, 1, 2], [3, 4, 5]]


def test_an_operator_written_in_python_has_its_fake_kernel_asked():
    @ow.library.custom_op("variations::outer", mutates_args=())
    def outer(x: ow.Tensor, y: ow.Tensor) -> ow.Tensor:
        return x[:, None] * y

    @outer.register_fake
    def _(x, y):
        return x.new_empty((x.shape[0], y.shape[0]))

    examples = vary(ow.ops.variations.outer.default, (ow.ones(4), ow.ones(4)), 20)

    assert any(values[0].shape != values[1].shape for values, _ in examples)


def test_what_is_no_operator_is_refused():
    with pytest.raises(TypeError, match="vary: the first argument must be an operator, got"):
        _C.vary(lambda: None, (), {})

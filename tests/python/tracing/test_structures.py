"""Arguments and results of any nesting."""

import dataclasses
from typing import NamedTuple

import opwright as ow
import pytest
from opwright import make_fx


@dataclasses.dataclass
class Pair:
    left: ow.Tensor
    right: ow.Tensor | None


class Point(NamedTuple):
    x: ow.Tensor
    y: ow.Tensor


def test_dicts_lists_and_tuples_go_in_and_out():
    def f(batch, scale):
        x, (y, z) = batch["x"], batch["rest"]
        return [x + y, {"z": (z * scale,)}]

    batch = {"x": ow.ones(2), "rest": [ow.ones(2), ow.full([2], 3.0)]}
    traced = make_fx(f, tracing_mode="symbolic")(batch, scale=2.0)

    result = traced(batch, scale=2.0)
    assert ow.equal(result[0], ow.full([2], 2.0))
    assert ow.equal(result[1]["z"][0], ow.full([2], 6.0))


def test_dataclasses_go_in_and_out():
    traced = make_fx(lambda pair: Pair(pair.left + 1, pair.right))(Pair(ow.ones(2), None))

    result = traced(Pair(ow.zeros(2), None))

    assert isinstance(result, Pair)
    assert ow.equal(result.left, ow.ones(2))
    assert result.right is None


def test_named_tuples_go_in_and_out():
    traced = make_fx(lambda p: Point(p.y, p.x))(Point(ow.ones(1), ow.zeros(1)))

    assert isinstance(traced(Point(ow.ones(1), ow.zeros(1))), Point)


def test_constants_are_returned_as_they_were():
    traced = make_fx(lambda x: (x, 3, "text", None, 2.5, True))(ow.ones(2))

    assert traced(ow.ones(2))[1:] == (3, "text", None, 2.5, True)


def test_sizes_can_be_returned():
    traced = make_fx(lambda x: (x.shape[0] * 2, x), tracing_mode="symbolic")(ow.ones(3))

    assert traced(ow.ones(5))[0] == 10


def test_another_structure_is_refused():
    traced = make_fx(lambda pair: pair[0] + pair[1])((ow.ones(2), ow.ones(2)))

    with pytest.raises(TypeError) as error:
        traced([ow.ones(2), ow.ones(2)])
    assert str(error.value) == (
        "the traced function: the argument 'pair' has another structure: pair is a list of 2, "
        "expected a tuple of 2"
    )


def test_an_operator_may_give_a_list_of_nothing():
    with ow.library.Library("structures_of_nothing", "FRAGMENT") as lib:
        lib.define("doubled(Tensor[] xs) -> Tensor[]")
        lib.impl("doubled", lambda xs: [x * 2 for x in xs], "CPU")
        doubled = ow.ops.structures_of_nothing.doubled

        traced = ow.make_fx(lambda x: (doubled([]), x))(ow.ones(2))

        nothing, x = traced(ow.ones(2))
        assert nothing == []
        assert x.tolist() == [1.0, 1.0]

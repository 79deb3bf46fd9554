"""Functionalize over values that autograd records: what views and writes do to their histories."""

import os
from pathlib import Path

import opwright as ow
import pytest
from opwright import make_fx
from opwright.func import functionalize

BUILD = Path(os.environ.get("OPWRIGHT_BUILD", Path(__file__).parents[3] / "build" / "release"))
ow.load_library(BUILD / "operators" / "libformulas.so")


def leaf(*values: float) -> ow.Tensor:
    return ow.tensor(list(values), requires_grad=True)


def double_detached(x: ow.Tensor) -> ow.Tensor:
    x.detach().mul_(2)
    return x * x


def test_a_write_through_detach_to_a_leaf_is_written_back_without_history() -> None:
    x = leaf(1.0, 2.0)

    functionalize(double_detached)(x)

    assert x.detach().tolist() == [2.0, 4.0]
    assert x.is_leaf


def test_a_graph_writes_back_to_a_leaf_what_was_written_through_detach() -> None:
    graph = make_fx(double_detached, functional=True)(leaf(1.0, 2.0))
    x = leaf(3.0, 4.0)

    result = graph(x)

    assert x.detach().tolist() == [6.0, 8.0]
    assert result.tolist() == [36.0, 64.0]


def test_a_view_made_under_no_grad_is_not_written_with_grad_mode_on() -> None:
    def write(x: ow.Tensor) -> ow.Tensor:
        y = x * 1
        with ow.no_grad():
            view = y[0:1]
        view[0] = 5
        return y

    with pytest.raises(RuntimeError, match="'self' is a view that aten::slice.Tensor made under"):
        functionalize(write)(leaf(1.0, 2.0))


def test_as_strided_of_a_detached_view_has_no_gradient() -> None:
    x = leaf(1.0, 2.0)

    result = functionalize(lambda x: (x * 1).detach().as_strided([1], [1], 1))(x)

    assert not result.requires_grad


def test_as_strided_does_not_reach_gradients_that_its_argument_does_not_show() -> None:
    with pytest.raises(RuntimeError, match="that self does not show, and that have gradients"):
        functionalize(lambda x: (x * 1)[:1].as_strided([2], [1]))(leaf(1.0, 2.0))


def test_a_custom_operator_that_writes_is_trained_through_its_own_formula() -> None:
    x, y = leaf(2.0), leaf(3.0)

    def blend(x: ow.Tensor, y: ow.Tensor) -> ow.Tensor:
        result = x * 1
        ow.ops.formulas.blend_(result, y)
        return result

    functionalize(blend)(x, y).backward()

    assert (x.grad.tolist(), y.grad.tolist()) == ([3.0], [3.0])

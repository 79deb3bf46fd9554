"""Functionalize over values that autograd records: what views and writes do to their histories."""

import os
from collections.abc import Callable
from pathlib import Path

import opwright as ow
import pytest
from opwright import make_fx
from opwright.func import functionalize, grad, vmap

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

    with pytest.raises(RuntimeError, match=r"'self' is a view that aten::slice\.Tensor made under"):
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


# ---- backward inside: torch.func.functionalize refuses it ----

HIDDEN = (
    "backward: called inside {level} on an {what} whose history continues outside, where the "
    "gradients do not arrive\n  Call it outside, on the results of the transformed function; or "
    "name inputs from inside: backward(inputs=...), autograd.grad; or detach tensors from outside."
)


def message_of(function: Callable[[], object]) -> str:
    with pytest.raises(RuntimeError) as failure:
        function()
    return str(failure.value)


@pytest.mark.parametrize(
    ("level", "transform"), [("functionalize", functionalize), ("vmap", vmap), ("grad", grad)]
)
def test_a_backward_inside_that_a_leaf_outside_would_miss_is_refused(
    level: str, transform: Callable
) -> None:
    outside = leaf(3.0)

    def train(x: ow.Tensor) -> ow.Tensor:
        inside = ow.ones(1, requires_grad=True)
        (x * inside * outside).sum().backward()
        return inside.grad.sum()

    assert message_of(lambda: transform(train)(ow.ones(1, 1))) == HIDDEN.format(
        level=level, what="output"
    )
    assert outside.grad is None


def test_a_backward_inside_of_what_only_a_leaf_outside_has_a_part_in_is_refused() -> None:
    def train(x: ow.Tensor) -> ow.Tensor:
        loss = (x * x).sum()
        loss.backward()
        return loss

    text = message_of(lambda: functionalize(train)(leaf(2.0)))

    assert text == HIDDEN.format(level="functionalize", what="output")


def test_a_gradient_inside_for_a_leaf_outside_is_refused() -> None:
    x = leaf(2.0)

    text = message_of(
        lambda: functionalize(lambda y: ow.autograd.grad((x * y).sum(), x))(leaf(1.0))
    )

    assert text == HIDDEN.format(level="functionalize", what="input")


def test_a_backward_inside_to_named_inputs_leaves_the_leaf_outside_alone() -> None:
    outside = leaf(3.0)

    def train(x: ow.Tensor) -> ow.Tensor:
        inside = ow.ones(1, requires_grad=True)
        (x * inside * outside).sum().backward(inputs=[inside])
        return inside.grad

    assert functionalize(train)(ow.ones(1)).tolist() == [3.0]
    assert outside.grad is None


def test_a_view_inside_that_is_behind_its_base_is_seen_to_have_a_history_outside() -> None:
    outside = leaf(3.0, 4.0)

    def train(x: ow.Tensor) -> ow.Tensor:
        base = x * ow.ones(2, requires_grad=True)
        view = base[:1]
        base.mul_(outside)
        view.backward(gradient=ow.ones(1))
        return base

    text = message_of(lambda: functionalize(train)(ow.ones(2)))

    assert text == HIDDEN.format(level="functionalize", what="output")

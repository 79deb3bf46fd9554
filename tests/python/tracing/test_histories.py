"""Traces of functions that differentiate: leaves, gradients as effects, unseen writes."""

import opwright as ow
import pytest
from opwright import make_fx
from opwright.func import functionalize


def ones_that_require_grad(*sizes: int) -> ow.Tensor:
    return ow.ones(*sizes).requires_grad_()


def loss_of(x: ow.Tensor, weight: ow.Tensor) -> ow.Tensor:
    loss = (x * weight).sin().sum()
    loss.backward()
    return loss


@pytest.mark.parametrize("mode", ["real", "fake", "symbolic"])
def test_backward_in_a_traced_function_is_an_effect_of_the_graph(mode: str) -> None:
    x, weight = ow.tensor([1.0, 2.0]), ow.tensor([3.0, 0.5]).requires_grad_()
    graph = make_fx(loss_of, tracing_mode=mode)(x, weight)
    weight.grad = None

    loss = graph(x, weight)

    loss_of(x, expected := weight.detach().requires_grad_())
    assert loss.item() == pytest.approx((x * weight).sin().sum().item())
    assert weight.grad.tolist() == pytest.approx(expected.grad.tolist())
    graph(x, weight)
    assert weight.grad.tolist() == pytest.approx((expected.grad * 2).tolist())


def test_a_captured_leaf_gets_its_gradient_too() -> None:
    weight = ow.tensor([3.0, 0.5]).requires_grad_()
    graph = make_fx(lambda x: loss_of(x, weight), tracing_mode="fake")(ow.tensor([1.0, 2.0]))
    assert weight.grad is None

    graph(ow.tensor([0.0, 0.0]))

    assert weight.grad.tolist() == [0.0, 0.0]


def test_a_gradient_that_was_there_is_written_in_place() -> None:
    weight = ow.tensor([3.0, 0.5]).requires_grad_()
    weight.grad = ow.ones(2)
    kept = weight.grad
    graph = make_fx(lambda x: loss_of(x, weight), tracing_mode="fake")(ow.tensor([1.0, 2.0]))

    graph(ow.tensor([0.0, 1.0]))

    assert weight.grad is kept
    assert kept.tolist() == pytest.approx([1.0, 1.0 + ow.tensor(0.5).cos().item()])


def test_the_gradient_of_a_captured_leaf_can_be_read_in_the_function() -> None:
    weight = ow.tensor([3.0, 0.5]).requires_grad_()

    def gradient(x: ow.Tensor) -> ow.Tensor:
        loss_of(x, weight)
        return weight.grad * 2

    graph = make_fx(gradient, tracing_mode="fake")(ow.tensor([1.0, 2.0]))

    x = ow.tensor([2.0, 1.0])
    assert graph(x).tolist() == pytest.approx((2 * (x * weight.detach()).cos() * x).tolist())


def test_backward_into_a_history_outside_is_refused() -> None:
    outside = ones_that_require_grad(2) * 2

    with pytest.raises(RuntimeError, match="reached a tensor that was computed outside"):
        make_fx(lambda x: loss_of(x, outside), tracing_mode="fake")(ow.ones(2))


def test_a_graph_is_differentiated_where_it_is_run() -> None:
    graph = make_fx(lambda x: (x * x).sum())(ow.ones(2))
    x = ow.tensor([1.0, 3.0]).requires_grad_()

    graph(x).backward()

    assert x.grad.tolist() == [2.0, 6.0]


def test_a_captured_view_is_a_view_of_the_captured_root() -> None:
    root = ones_that_require_grad(2, 3) * 2
    view = root[0]

    def write(factor: ow.Tensor) -> ow.Tensor:
        view.mul_(factor)
        return (root * factor).sum()

    graph = make_fx(write, tracing_mode="fake")(ow.ones(3))

    names = [node.target.name for node in graph.graph.nodes if node.op == "call_function"]
    assert names == ["aten::select.int", "aten::mul_.Tensor", "aten::mul.Tensor", "aten::sum"]


def scale_unseen(x: ow.Tensor) -> ow.Tensor:
    y = x * 2
    with ow.no_grad():
        y.mul_(3)
    return (y * y).sum()


def scale_through_detach(x: ow.Tensor) -> ow.Tensor:
    y = x * 2
    y.detach().mul_(3)
    return (y * y).sum()


@pytest.mark.parametrize("function", [scale_unseen, scale_through_detach])
def test_a_write_that_autograd_does_not_see_keeps_the_history(function) -> None:
    def gradient_of(run) -> list[float]:
        x = ow.tensor([1.0, 2.0]).requires_grad_()
        run(x).backward()
        return x.grad.tolist()

    expected = gradient_of(function)
    assert expected == [24.0, 48.0]
    assert gradient_of(functionalize(function)) == expected
    assert gradient_of(make_fx(functionalize(function))(ow.ones(2))) == expected
    assert gradient_of(make_fx(function)(ow.ones(2)).functionalize()) == expected


def test_a_tracked_value_through_a_detached_alias_is_refused_by_functionalize() -> None:
    factor = ones_that_require_grad(2)

    def write(x: ow.Tensor) -> ow.Tensor:
        alias = x.detach()
        alias.mul_(factor)
        return alias.sum()

    with pytest.raises(RuntimeError, match="'self' is a detached alias, and the value that is"):
        functionalize(write)(ow.ones(2))

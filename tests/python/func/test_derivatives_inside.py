"""Derivatives that a function computes itself, under transforms; and the code around them."""

import opwright as ow
import pytest
from opwright import make_fx, vmap
from opwright.func import grad

from .programs import assert_same

MODES = ["real", "fake", "symbolic"]


@pytest.mark.parametrize("mode", MODES)
def test_make_fx_of_a_function_that_calls_backward(mode):
    def f(x):
        y = x.detach().requires_grad_()
        (y * y * y).sum().backward()
        return y.grad

    traced = make_fx(f, tracing_mode=mode)(ow.tensor([1.0, 2.0]))

    x = ow.tensor([3.0, 4.0])
    assert_same(traced(x), 3 * x * x)


@pytest.mark.parametrize("mode", MODES)
def test_make_fx_of_a_function_that_calls_autograd_grad(mode):
    def f(x):
        y = x.detach().requires_grad_()
        return ow.autograd.grad((y.sin() * x).sum(), y)[0]

    traced = make_fx(f, tracing_mode=mode)(ow.tensor([1.0, 2.0]))

    x = ow.tensor([3.0, 4.0])
    assert_same(traced(x), x.cos() * x)


@pytest.mark.parametrize("mode", MODES)
def test_make_fx_of_a_double_backward(mode):
    def f(x):
        y = x.detach().requires_grad_()
        (first,) = ow.autograd.grad((y**4).sum(), y, create_graph=True)
        return ow.autograd.grad(first.sum(), y)[0]

    traced = make_fx(f, tracing_mode=mode)(ow.tensor([1.0, 2.0]))

    x = ow.tensor([3.0, 4.0])
    assert_same(traced(x), 12 * x * x)


@pytest.mark.parametrize("mode", MODES)
def test_make_fx_with_a_captured_parameter(mode):
    weight = ow.tensor([2.0, 3.0], requires_grad=True)

    def f(x):
        return ow.autograd.grad((weight * weight * x).sum(), weight)[0]

    traced = make_fx(f, tracing_mode=mode)(ow.ones(2))

    x = ow.tensor([5.0, 6.0])
    assert_same(traced(x), 2 * weight.detach() * x)


@pytest.mark.parametrize("mode", MODES)
def test_the_gradient_of_a_captured_parameter_is_an_effect_of_the_graph(mode):
    weight = ow.tensor([2.0, 3.0], requires_grad=True)

    def f(x):
        loss = (weight * weight * x).sum()
        loss.backward()
        return loss.detach()

    traced = make_fx(f, tracing_mode=mode)(ow.ones(2))
    weight.grad = None
    x = ow.tensor([5.0, 6.0])
    traced(x)

    assert_same(weight.grad, 2 * weight.detach() * x)


def test_requires_grad_inside_of_vmap():
    def f(x):
        y = x.detach().requires_grad_()
        return ow.autograd.grad((y * y * y).sum(), y)[0]

    x = ow.tensor([[1.0, 2.0], [3.0, 4.0]])

    assert_same(vmap(f)(x), 3 * x * x)


def test_vmap_over_a_closed_over_tensor_that_requires_grad():
    weight = ow.tensor([2.0, 3.0], requires_grad=True)
    x = ow.tensor([[1.0, 2.0], [3.0, 4.0]])

    vmap(lambda row: (weight * weight * row).sum())(x).sum().backward()

    assert_same(weight.grad, 2 * weight.detach() * x.sum(0))


def test_grad_under_vmap_of_a_closed_over_tensor_that_requires_grad():
    weight = ow.tensor(2.0, requires_grad=True)
    x = ow.tensor([1.0, 2.0])

    vmap(grad(lambda x: weight * x * x))(x).sum().backward()

    assert_same(weight.grad, ow.tensor(6.0))


def test_autocast_around_grad_gives_gradients_of_the_dtype_of_the_input():
    x, w = ow.ones(2, 3), ow.ones(3, 2)

    with ow.autocast("cpu", dtype=ow.bfloat16):
        by_x, by_w = grad(lambda x, w: (x @ w).float().sum(), argnums=(0, 1))(x, w)

    assert by_x.dtype == by_w.dtype == ow.float32
    assert_same(by_x, 2 * ow.ones(2, 3))


def test_autocast_inside_of_grad():
    def f(x):
        with ow.autocast("cpu", dtype=ow.bfloat16):
            y = x @ x
        assert y.dtype == ow.bfloat16
        return y.float().sum()

    found = grad(f)(ow.ones(2, 2))

    assert_same(found, 4 * ow.ones(2, 2))


def test_a_traced_gradient_is_a_graph_that_can_be_differentiated():
    traced = make_fx(grad(lambda x: (x * x * x).sum()))(ow.ones(2))

    x = ow.tensor([1.0, 2.0])
    assert_same(grad(lambda x: traced(x).sum())(x), 6 * x)

"""Compiled functions whose tensors require grad."""

import opwright as ow
import pytest
from opwright import nn


def test_gradients_of_arguments_and_parameters_are_eagers():
    model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 2))
    compiled = ow.compile(model)
    x = ow.randn(5, 4, requires_grad=True)
    parameters = list(model.parameters())

    for _ in range(2):
        ours = ow.autograd.grad(compiled(x).pow(2).sum(), [x, *parameters])
        theirs = ow.autograd.grad(model(x).pow(2).sum(), [x, *parameters])
        for mine, expected in zip(ours, theirs, strict=True):
            assert ow.allclose(mine, expected, rtol=1e-4, atol=1e-6)

    assert compiled.num_compiles == 1


def test_requires_grad_is_guarded():
    compiled = ow.compile(lambda x: x * x)

    assert not compiled(ow.ones(2)).requires_grad
    x = ow.ones(2, requires_grad=True)
    y = compiled(x)
    assert y.requires_grad
    y.sum().backward()
    assert x.grad.tolist() == [2.0, 2.0]
    assert compiled.recompile_reasons == ["x requires grad, it did not"]


def test_nothing_is_recorded_under_no_grad():
    layer = nn.Linear(3, 3)
    compiled = ow.compile(layer)
    with ow.no_grad():
        assert not compiled(ow.ones(1, 3)).requires_grad
    assert compiled(ow.ones(1, 3)).requires_grad
    assert compiled.num_compiles == 2


def test_a_training_loop_compiles_once_and_learns():
    ow.manual_seed(0)
    model = nn.Linear(2, 1)
    optimizer = ow.optim.SGD(model.parameters(), lr=0.1)
    inputs = ow.randn(32, 2)
    targets = inputs @ ow.tensor([[2.0], [-1.0]]) + 0.5

    @ow.compile(fullgraph=True)
    def loss_of(x, y):
        return ((model(x) - y) ** 2).mean()

    losses = []
    for _ in range(60):
        optimizer.zero_grad()
        loss = loss_of(inputs, targets)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())

    assert losses[-1] < 0.01 * losses[0]
    assert loss_of.num_compiles == 1


def test_a_gradient_that_the_function_reads_is_guarded():
    x = ow.ones(2, requires_grad=True)
    x.grad = ow.full([2], 3.0)

    @ow.compile
    def f(x):
        return x.detach() + x.grad

    assert f(x).tolist() == [4.0, 4.0]
    x.grad = ow.full([2], 5.0)
    assert f(x).tolist() == [6.0, 6.0]


def test_a_leaf_that_the_function_makes_is_a_break():
    def f(x):
        return (x * 2).detach().requires_grad_()

    x = ow.ones(2, requires_grad=True)
    compiled = ow.compile(f)
    with pytest.warns(ow.PerformanceWarning):
        result = compiled(x)
    assert result.requires_grad
    assert result.is_leaf

"""The node of a compiled function on the tape: hooks, saved values, threads, second derivatives."""

import threading

import opwright as ow
import pytest
from opwright import nn
from opwright.autograd import gradcheck, gradgradcheck
from opwright.nn import functional

from .training_checks import close, leaf, train

# ---- The tape ----


def test_hooks_outside_run(compile):
    w = leaf(3)
    seen = []
    w.register_hook(lambda gradient: seen.append(gradient.clone()))
    out = compile(lambda x: x * w)(ow.ones(3))
    out.register_hook(lambda gradient: gradient * 5)

    out.sum().backward()

    close(seen[0], ow.full((3,), 5.0))
    close(w.grad, ow.full((3,), 5.0))


def test_saved_values_that_are_written_are_noticed(compile):
    x, w = leaf(3), leaf(3)
    out = compile(lambda x, w: x * w)(x, w)
    with ow.no_grad():
        w.mul_(2)

    with pytest.raises(RuntimeError, match="saved for its backward, was modified by an in-place"):
        out.sum().backward()


def test_saved_values_are_freed(compile):
    x = leaf(3)
    out = compile(lambda x: (x * x).sum())(x)

    out.backward(retain_graph=True)
    out.backward()

    close(x.grad, 4 * x.detach())
    with pytest.raises(RuntimeError, match="freed by an earlier backward"):
        out.backward()


def test_saved_tensor_hooks_see_what_is_saved(compile):
    x, w = leaf(3), leaf(3)
    compiled = compile(lambda x, w: ow.sin(x) * w)
    compiled(x, w)
    packed = []

    def pack(tensor):
        packed.append(tensor)
        return tensor * 1

    with ow.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        out = compiled(x, w)
    gradients = ow.autograd.grad(out.sum(), [x, w])

    assert packed
    close(gradients[0], ow.cos(x) * w)
    close(gradients[1], ow.sin(x))


def test_threads_share_a_compiled_function(compile):
    w = leaf(8, 8)
    compiled = compile(lambda x: ow.tanh(x @ w).sum())
    compiled(ow.ones(4, 8)).backward()
    expected = w.grad.clone()
    w.grad = None

    def work():
        for _ in range(10):
            compiled(ow.ones(4, 8)).backward()

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    close(w.grad, expected * 30, rtol=1e-4)


def test_nothing_is_recorded_under_no_grad(compile):
    compiled = compile(lambda x: x * 2)

    with ow.no_grad():
        assert not compiled(leaf(3)).requires_grad
    assert compiled(leaf(3)).requires_grad


# ---- Sizes, dtypes, strides ----


def test_batch_sizes_change(compile):
    model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.LayerNorm(8), nn.Linear(8, 2))
    compiled = compile(lambda x: model(x).mean(), dynamic=True)
    for rows in [2, 3, 7, 16]:
        x = leaf(rows, 4)
        targets = [x, *model.parameters()]
        expected = ow.autograd.grad(model(x).mean(), targets)
        actual = ow.autograd.grad(compiled(x), targets)
        for gradient, wanted in zip(actual, expected, strict=True):
            close(gradient, wanted)


@pytest.mark.parametrize("dtype", [ow.float32, ow.float64, ow.float16, ow.bfloat16])
def test_dtypes_are_eagers(compile, dtype):
    function = lambda x, w: (ow.tanh(x) * w).sum(0)  # noqa: E731
    x, w = leaf(3, 4, dtype=dtype), leaf(4, dtype=dtype)
    compiled = compile(function)

    expected, wanted = train(function, (x, w), [x, w])
    actual, gradients = train(compiled, (x, w), [x, w])

    tolerance = {ow.float16: 4e-3, ow.bfloat16: 4e-2}.get(dtype, 1e-5)
    close(actual[0], expected[0], rtol=tolerance, atol=tolerance)
    for gradient, each in zip(gradients, wanted, strict=True):
        close(gradient, each, rtol=tolerance, atol=tolerance)


def test_strides_of_inputs_and_gradients_may_be_any(compile):
    x = ow.randn(4, 3).t().requires_grad_()
    compiled = compile(lambda x: x * x)

    out = compiled(x)
    out.sum().backward()
    first = x.grad.clone()
    x.grad = None
    compiled(x).backward(ow.ones(4, 3).t())

    close(first, 2 * x.detach())
    close(x.grad, 2 * x.detach())


# ---- Second derivatives ----


def test_gradcheck_and_gradgradcheck_hold(compile):
    compiled = compile(lambda x, w: ow.tanh(x @ w) * x.sum())
    inputs = (leaf(2, 3, dtype=ow.float64), leaf(3, 2, dtype=ow.float64))

    assert gradcheck(compiled, inputs)
    assert gradgradcheck(compiled, inputs)


def test_second_derivatives_are_eagers(compile):
    model = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1))

    def penalty(function):
        x = ow.ones(4, 3).requires_grad_()
        y = function(x * 2).sum()
        (slope,) = ow.autograd.grad(y, x, create_graph=True)
        return ow.autograd.grad((slope**2).sum() + y, list(model.parameters()))

    for gradient, wanted in zip(penalty(compile(lambda x: model(x))), penalty(model), strict=True):
        close(gradient, wanted)


def test_second_derivatives_use_the_mask_of_the_first(compile):
    def penalty(function):
        ow.manual_seed(9)
        x = ow.arange(1.0, 33.0).requires_grad_()
        y = function(x)
        ow.randn(3)
        (slope,) = ow.autograd.grad(y.sum(), x, create_graph=True)
        return ow.autograd.grad((slope**2).sum(), x)[0]

    function = lambda x: functional.dropout(x * x, 0.5, training=True) * x  # noqa: E731

    close(penalty(compile(function)), penalty(function))


def test_second_derivatives_of_a_written_input_are_refused(compile):
    def function(buffer, w):
        buffer.mul_(w)
        return buffer.sum()

    w = leaf(3)
    out = compile(function)(ow.ones(3), w)

    with pytest.raises(NotImplementedError, match="Call the function uncompiled"):
        ow.autograd.grad(out, w, create_graph=True)


def test_batched_gradients_are_mapped(compile):
    x = leaf(3)
    compiled = compile(lambda x: ow.sin(x) * x)
    out = compiled(x)

    (jacobian,) = ow.autograd.grad(out, x, ow.eye(3), is_grads_batched=True)

    close(jacobian, ow.eye(3) * (ow.cos(x) * x + ow.sin(x)).detach())

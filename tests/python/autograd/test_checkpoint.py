"""checkpoint: the backward recomputes what a function saves."""

import contextlib
import gc

import opwright as ow
import pytest
from opwright import _C
from opwright.autograd import checkpoint
from opwright.autograd.checkpointing import (
    CheckpointError,
    GraphExecGroup,
    set_checkpoint_debug_enabled,
    set_checkpoint_early_stop,
)


def layers(x, weight):
    return (x * weight).sin().exp().tanh()


def leaf(*values):
    return ow.tensor([float(value) for value in values], requires_grad=True)


def test_gradients_are_the_same():
    x, weight = leaf(0.1, 0.2), leaf(1.5, 2.5)
    layers(x, weight).sum().backward()
    expected = x.grad, weight.grad
    x.grad = weight.grad = None

    checkpoint(layers, x, weight).sum().backward()

    assert ow.equal(x.grad, expected[0])
    assert ow.equal(weight.grad, expected[1])


def test_captured_tensors_get_gradients():
    weight = leaf(2)

    checkpoint(lambda x: x * weight, ow.ones(1)).sum().backward()

    assert weight.grad.tolist() == [1.0]


def test_the_function_runs_once_more_for_a_backward():
    calls = []

    def function(x):
        calls.append(1)
        return x.sin().cos()

    x = leaf(1)
    y = checkpoint(function, x).sum()
    assert len(calls) == 1
    y.backward()

    assert len(calls) == 2


def test_what_is_computed_in_between_is_freed():
    x = leaf(*range(8))
    gc.collect()
    before = _C.live_counts()[0]

    plain = layers(x, x)
    gc.collect()
    held = _C.live_counts()[0] - before
    del plain
    kept = checkpoint(layers, x, x, preserve_rng_state=False)
    gc.collect()
    held_less = _C.live_counts()[0] - before

    assert held_less == 1 < held
    kept.sum().backward()


def test_random_numbers_are_drawn_the_same():
    x = ow.ones(64, requires_grad=True)

    y = checkpoint(lambda x: x * ow.rand(64), x)
    ow.rand(1)
    y.sum().backward()

    assert ow.equal(x.grad, y.detach())


def test_a_backward_leaves_the_random_state_as_it_was():
    x = ow.ones(4, requires_grad=True)
    y = checkpoint(lambda x: x * ow.rand(4), x).sum()

    state = ow.get_rng_state()
    y.backward()

    assert ow.equal(ow.get_rng_state(), state)


def test_checkpoints_nest():
    def outer(x):
        return checkpoint(lambda x: x.sin().exp(), x * 2).tanh()

    x = leaf(0.3)
    outer(x).sum().backward()
    expected = x.grad
    x.grad = None

    checkpoint(outer, x).sum().backward()

    assert ow.allclose(x.grad, expected)


def test_double_backward_through_a_checkpoint():
    x = leaf(0.5)

    (first,) = ow.autograd.grad(checkpoint(lambda x: x.sin(), x).sum(), x, create_graph=True)
    (second,) = ow.autograd.grad(first.sum(), x)

    assert ow.allclose(second, -x.detach().sin())


def test_a_function_that_does_something_else_the_second_time_is_told():
    calls = []

    def function(x):
        calls.append(1)
        return x.sin() if len(calls) == 1 else x[0:1].sin()

    y = checkpoint(function, leaf(1, 2)).sum()

    with pytest.raises(
        RuntimeError, match=r"different metadata .*; the function must do the same each time"
    ):
        y.backward()


def test_an_argument_that_was_written_is_told():
    x = leaf(1, 2)
    argument = x * 1
    y = checkpoint(lambda x: x.sin(), argument).sum()

    argument.add_(1)

    with pytest.raises(RuntimeError, match="an argument was modified in place after the call"):
        y.backward()


def test_the_second_run_has_the_autocast_of_the_first():
    layer = ow.nn.Linear(4, 4)
    x = ow.ones(2, 4, requires_grad=True)

    with ow.autocast("cpu", dtype=ow.bfloat16):
        y = checkpoint(lambda x: layer(x).relu(), x)
        expected = layer(x).relu()
    y.sum().backward()
    (wanted,) = ow.autograd.grad(expected.sum(), x)

    assert y.dtype == ow.bfloat16
    assert x.grad.tolist() == wanted.tolist()


def test_the_reentrant_form_computes_the_gradients_of_its_arguments():
    x = ow.tensor([1.0, 2.0], requires_grad=True)

    checkpoint(lambda x: (x * x).sin(), x, use_reentrant=True).sum().backward()

    assert x.grad.tolist() == (2 * x * (x * x).cos()).tolist()


def test_the_reentrant_form_refuses_autograd_grad():
    x = ow.ones(2, requires_grad=True)
    y = checkpoint(lambda x: x.sin(), x, use_reentrant=True).sum()

    with pytest.raises(RuntimeError, match=r"incompatible with .grad\(\)"):
        ow.autograd.grad(y, x)


def test_context_fn_surrounds_both_runs():
    seen = []

    @contextlib.contextmanager
    def note(name):
        seen.append(name)
        yield
        seen.append(f"end of {name}")

    x = ow.ones(2, requires_grad=True)
    y = checkpoint(lambda x: x.sin(), x, context_fn=lambda: (note("first"), note("second")))
    y.sum().backward()

    assert seen[:3] == ["first", "end of first", "second"]


def test_without_early_stop_the_second_run_is_complete():
    seen = []

    def function(x):
        y = x.sin()
        seen.append("after the last saved tensor")
        return y

    x = ow.ones(2, requires_grad=True)
    with set_checkpoint_early_stop(False):
        y = checkpoint(function, x)
    y.sum().backward()

    assert len(seen) == 2


def test_a_sequence_is_checkpointed_in_segments():
    model = ow.nn.Sequential(ow.nn.Linear(2, 2), ow.nn.Tanh(), ow.nn.Linear(2, 2))
    x = ow.ones(1, 2, requires_grad=True)

    y = ow.autograd.checkpoint_sequential(model, 2, x)
    y.sum().backward()
    (expected,) = ow.autograd.grad(model(x).sum(), x)

    assert x.grad.tolist() == expected.tolist()


def test_a_saved_tensor_is_read_once_in_a_backward():
    texts = []

    class ReadsTwice(ow.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x * 2)
            return x * 2

        @staticmethod
        def backward(ctx, gradient):
            (first,) = ctx.saved_tensors
            with pytest.raises(CheckpointError, match="already unpacked once") as raised:
                ctx.saved_tensors  # noqa: B018
            texts.append(str(raised.value))
            return gradient * first

    checkpoint(ReadsTwice.apply, leaf(1)).sum().backward()

    assert len(texts) == 1


def test_a_backward_inside_of_the_function_may_come_without_early_stop():
    def function(x):
        inner = (x * x).sin()
        (gradient,) = ow.autograd.grad(inner.sum(), x, create_graph=True)
        return (gradient * x).exp()

    x = leaf(0.5)
    expected = ow.autograd.grad(function(x).sum(), x)

    with set_checkpoint_early_stop(False):
        actual = ow.autograd.grad(checkpoint(function, x).sum(), x)

    assert ow.allclose(actual[0], expected[0])


def test_backwards_of_a_group_run_the_function_again_once():
    calls = []

    def function(x):
        calls.append(x)
        y = x.sin().cos()
        return y, y.sin().cos()

    x = leaf(0.5)
    y, z = checkpoint(function, x)

    with GraphExecGroup():
        (gradient,) = ow.autograd.grad(z.sum(), y)
        ow.autograd.grad(y, x, gradient)

    assert len(calls) == 2


def test_backwards_of_a_group_must_not_overlap():
    y = checkpoint(lambda x: x.sin().cos(), leaf(0.5))

    with GraphExecGroup():
        y.sum().backward(retain_graph=True)
        with pytest.raises(CheckpointError, match="two backward calls that overlap"):
            y.sum().backward()


def differing_runs():
    runs = []

    def function(x):
        runs.append(x)
        return x.sin().exp() if len(runs) == 1 else x.sin() * ow.tensor([1.0, 2.0])

    return function


def test_debug_lists_the_operators_of_both_runs():
    with pytest.raises(CheckpointError, match="you passed `debug=True`") as raised:
        checkpoint(differing_runs(), leaf(0.5), debug=True).sum().backward()

    first, second = str(raised.value).split("Operators of the second run:")
    assert "aten::exp(float32[1])" in first
    assert "aten::mul.Tensor(float32[1], float32[2])" in second


def test_debug_can_be_set_for_a_block():
    with (
        set_checkpoint_debug_enabled(True),
        pytest.raises(CheckpointError, match="you passed `debug=True`"),
    ):
        checkpoint(differing_runs(), leaf(0.5)).sum().backward()


def test_a_tensor_without_history_is_saved_as_itself():
    seen = []

    class Keeps(ow.autograd.Function):
        @staticmethod
        def forward(ctx, x, constant):
            ctx.save_for_backward(constant)
            return x * 1

        @staticmethod
        def backward(ctx, gradient):
            seen.extend(ctx.saved_tensors)
            return gradient, None

    constant = ow.ones(1)
    checkpoint(Keeps.apply, leaf(1), constant).sum().backward()

    assert seen[0] is constant

"""Hooks before and after a forward pass."""

import opwright as ow
import pytest
from opwright import nn


class Scale(nn.Module):
    def forward(self, x, factor=1.0):
        return x * factor


class Broken(nn.Module):
    def forward(self, x):
        raise ValueError("broken")


def test_a_pre_hook_may_replace_the_arguments():
    layer = Scale()
    layer.register_forward_pre_hook(lambda module, args: args[0] + 1)

    assert layer(ow.zeros(2)).tolist() == [1.0, 1.0]


def test_a_pre_hook_with_kwargs_may_replace_both():
    layer = Scale()

    def double(module, args, kwargs):
        return args, {"factor": kwargs["factor"] * 2}

    layer.register_forward_pre_hook(double, with_kwargs=True)

    assert layer(ow.ones(2), factor=3.0).tolist() == [6.0, 6.0]


def test_a_pre_hook_with_kwargs_must_return_both():
    layer = Scale()
    layer.register_forward_pre_hook(lambda module, args, kwargs: 3, with_kwargs=True)

    with pytest.raises(
        RuntimeError, match=r"must return None or the tuple \(args, kwargs\), got 3"
    ):
        layer(ow.ones(2))


def test_a_hook_sees_arguments_and_output_and_may_replace_it():
    layer, seen = Scale(), []

    def hook(module, args, output):
        seen.append((module, args[0].tolist(), output.tolist()))
        return output + 1

    layer.register_forward_hook(hook)

    assert layer(ow.ones(1), 5.0).tolist() == [6.0]
    assert seen == [(layer, [1.0], [5.0])]


def test_a_hook_with_kwargs_gets_them():
    layer, seen = Scale(), []
    layer.register_forward_hook(
        lambda module, args, kwargs, output: seen.append(kwargs), with_kwargs=True
    )

    layer(ow.ones(1), factor=2.0)

    assert seen == [{"factor": 2.0}]


def test_hooks_run_in_order_and_a_prepended_one_first():
    layer, order = Scale(), []
    layer.register_forward_hook(lambda *_: order.append("first"))
    layer.register_forward_hook(lambda *_: order.append("second"))
    layer.register_forward_hook(lambda *_: order.append("before"), prepend=True)

    layer(ow.ones(1))

    assert order == ["before", "first", "second"]


def test_a_removed_hook_is_not_called():
    layer, seen = Scale(), []
    handle = layer.register_forward_hook(lambda *_: seen.append(1))

    handle.remove()
    handle.remove()
    layer(ow.ones(1))

    assert seen == []


def test_a_hook_that_is_always_called_is_called_after_an_error():
    layer, seen = Broken(), []
    layer.register_forward_hook(lambda *_: seen.append("usual"))
    layer.register_forward_hook(lambda *_: seen.append("always"), always_call=True)

    with pytest.raises(ValueError, match="broken"):
        layer(ow.ones(1))

    assert seen == ["always"]


def test_a_hook_may_remove_itself():
    layer, seen = Scale(), []

    def once(module, args, output):
        seen.append(1)
        handle.remove()

    handle = layer.register_forward_hook(once)
    layer(ow.ones(1))
    layer(ow.ones(1))

    assert seen == [1]

"""Backward hooks of modules and hooks of all modules, with torch as the referee."""

import opwright as ow
import opwright.compat.torch as compat
import pytest
import torch
from opwright import nn


def shown(gradients):
    return [None if each is None else each.tolist() for each in gradients]


def full_hooks(library):
    seen = []
    layer = library.nn.Sigmoid()
    layer.register_full_backward_pre_hook(lambda module, grads: (grads[0] * 2,))

    def hook(module, grad_input, grad_output):
        seen.append((shown(grad_input), shown(grad_output)))
        return (grad_input[0] * 3,)

    layer.register_full_backward_hook(hook)
    x = library.zeros(2, requires_grad=True)
    layer(x).sum().backward()
    return seen, x.grad.tolist()


def hooks_of_all_modules(library):
    seen = []
    registered = library.nn.modules.module
    handles = [
        registered.register_module_forward_pre_hook(lambda *_: seen.append("forward pre")),
        registered.register_module_forward_hook(lambda *_: seen.append("forward")),
        registered.register_module_full_backward_pre_hook(lambda *_: seen.append("backward pre")),
        registered.register_module_full_backward_hook(lambda *_: seen.append("backward")),
    ]
    library.nn.Sigmoid()(library.zeros(2, requires_grad=True)).sum().backward()
    for handle in handles:
        handle.remove()
    library.nn.Sigmoid()(library.zeros(2, requires_grad=True)).sum().backward()
    return seen


def several_arguments(library):
    class Pair(library.nn.Module):
        def forward(self, number, x, y):
            return x * y, number

    seen = []
    layer = Pair()
    layer.register_full_backward_hook(
        lambda module, given, got: seen.append((shown(given), shown(got)))
    )
    x = library.tensor([2.0], requires_grad=True)
    layer(7, x, library.tensor([3.0]))[0].sum().backward()
    return seen


@pytest.mark.parametrize("program", [full_hooks, hooks_of_all_modules, several_arguments])
def test_hooks_see_and_change_what_they_do_in_torch(program):
    assert program(compat) == program(torch)


def test_a_module_without_differentiable_inputs_warns_and_runs_its_hook():
    seen = []
    layer = nn.Linear(2, 1)
    layer.register_full_backward_hook(lambda module, given, got: seen.append(given))

    with pytest.warns(UserWarning, match="no inputs require gradients"):
        layer(ow.ones(1, 2)).sum().backward()

    assert seen == [(None,)]


def test_a_wrong_number_of_gradients_is_refused():
    layer = nn.Sigmoid()
    layer.register_full_backward_hook(lambda module, given, got: ())

    with pytest.raises(RuntimeError, match="invalid number of grad_input, got 0, but expected 1"):
        layer(ow.ones(2, requires_grad=True)).sum().backward()


def test_inputs_and_outputs_of_a_hooked_module_cannot_be_written():
    layer = nn.Sigmoid()
    layer.register_full_backward_hook(lambda module, given, got: None)
    output = layer(ow.ones(2, requires_grad=True))

    with pytest.raises(RuntimeError, match="is a view and is being modified inplace"):
        output.mul_(2)


def test_two_kinds_of_backward_hooks_do_not_mix():
    layer = nn.Sigmoid()
    layer.register_backward_hook(lambda *_: None)

    with pytest.raises(RuntimeError, match="Cannot use both"):
        layer.register_full_backward_hook(lambda *_: None)


def test_registration_hooks_see_parameters_buffers_and_modules():
    seen = []

    def note(module, name, value):
        seen.append(name)

    hooks = nn.global_hooks
    with (
        hooks.register_module_parameter_registration_hook(note),
        hooks.register_module_buffer_registration_hook(note),
        hooks.register_module_module_registration_hook(note),
    ):
        nn.Sequential(nn.BatchNorm1d(1))

    assert seen == ["weight", "bias", "running_mean", "running_var", "num_batches_tracked", "0"]

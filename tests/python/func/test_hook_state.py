"""Saved-tensor hooks around and inside of transforms, as in torch."""

from contextlib import nullcontext

import opwright as ow
import opwright.compat.torch as compat
import pytest
import torch


def double(x):
    return (x * x).sum()


REVERSE = {
    "grad": lambda library, f, x: library.func.grad(f)(x),
    "vjp": lambda library, f, x: library.func.vjp(f, x),
    "jacrev": lambda library, f, x: library.func.jacrev(f)(x),
    "hessian": lambda library, f, x: library.func.hessian(f)(x),
}


@pytest.mark.parametrize("name", REVERSE)
@pytest.mark.parametrize("is_inside", [False, True])
def test_reverse_mode_refuses_saved_tensor_hooks_as_torch_does(name, is_inside):
    def run(library):
        def hooked(x):
            with library.autograd.graph.save_on_cpu():
                return double(x)

        function = hooked if is_inside else double
        around = nullcontext() if is_inside else library.autograd.graph.save_on_cpu()
        with around, pytest.raises(RuntimeError, match="saved tensor hooks"):
            REVERSE[name](library, function, library.ones(2))

    run(torch)
    run(compat)


def test_forward_mode_takes_saved_tensor_hooks():
    with ow.autograd.graph.save_on_cpu():
        _, tangent = ow.func.jvp(double, (ow.ones(2),), (ow.ones(2),))

    assert tangent.item() == 4


def test_after_a_refusal_hooks_work_again():
    with pytest.raises(RuntimeError, match="saved tensor hooks"), ow.autograd.graph.save_on_cpu():
        ow.func.grad(double)(ow.ones(2))

    assert ow.func.grad(double)(ow.ones(2)).tolist() == [2, 2]
    x = ow.ones(2, requires_grad=True)
    with ow.autograd.graph.save_on_cpu():
        double(x).backward()
    assert x.grad.tolist() == [2, 2]


def test_hooks_cannot_be_disabled_while_they_are_active():
    with (
        ow.autograd.graph.save_on_cpu(),
        pytest.raises(RuntimeError, match="no hooks here"),
        ow.autograd.graph.disable_saved_tensors_hooks("no hooks here"),
    ):
        pass

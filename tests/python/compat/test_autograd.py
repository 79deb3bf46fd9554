"""torch.autograd under opwright.compat.torch: names and defaults that differ from Opwright's."""

import opwright.compat.torch as torch
import pytest
from opwright.compat.torch.autograd.gradcheck import GradcheckError
from opwright.compat.torch.utils import checkpoint as checkpoint_module


def test_checkpoint_warns_without_use_reentrant_and_takes_the_reentrant_form():
    x = torch.ones(2, requires_grad=True)

    with pytest.warns(UserWarning, match="use_reentrant parameter should be passed explicitly"):
        y = checkpoint_module.checkpoint(torch.sin, x)

    with pytest.raises(RuntimeError, match="use_reentrant=True, checkpoint is incompatible"):
        torch.autograd.grad(y.sum(), x)


def test_checkpoint_sequential_warns_without_use_reentrant():
    x = torch.ones(2, requires_grad=True)

    with pytest.warns(UserWarning, match="use_reentrant parameter should be passed explicitly"):
        checkpoint_module.checkpoint_sequential([torch.sin, torch.exp], 2, x)


def test_gradcheck_warns_of_coarse_dtypes():
    x = torch.ones(2, requires_grad=True)

    with (
        pytest.warns(UserWarning, match="Input #0 requires gradient and is not a double"),
        pytest.raises(GradcheckError, match="Jacobian mismatch for output 0"),
    ):
        torch.autograd.gradcheck(torch.sin, x)


def test_gradcheck_is_a_function_and_a_module():
    assert callable(torch.autograd.gradcheck)
    assert torch.autograd.GradcheckError is GradcheckError


def test_profiles_have_torchs_names():
    with torch.autograd.profiler.profile(use_kineto=torch.autograd.kineto_available()) as recorded:
        torch.ones(2).sin()

    assert isinstance(recorded.function_events, torch.autograd.profiler_util.EventList)


def test_an_in_place_function_is_a_function():
    class Doubles(torch.autograd.function.InplaceFunction):
        @staticmethod
        def forward(ctx, x):
            ctx.mark_dirty(x)
            return x.mul_(2)

        @staticmethod
        def backward(ctx, gradient):
            return gradient * 2

    x = torch.ones(2, requires_grad=True)
    Doubles.apply(x.clone()).sum().backward()

    assert x.grad.tolist() == [2.0, 2.0]

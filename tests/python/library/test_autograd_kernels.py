"""Kernels under PyTorch's Autograd keys: they run in place of recording the call."""

import opwright as ow
import pytest
from opwright import library
from opwright._library.key_set import fallthrough_kernel


@pytest.fixture
def lib():
    with library.Library("trial_wrap", "FRAGMENT") as lib:
        lib.define("triple(Tensor x) -> Tensor")
        yield lib


def call(x):
    return ow.ops.trial_wrap.triple(x)


class Triple(ow.autograd.Function):
    """Its gradient is marked, so that a test sees that it ran."""

    @staticmethod
    def forward(ctx, x):
        return call(x)

    @staticmethod
    def backward(ctx, grad):
        return grad * 30


@pytest.mark.parametrize("key", ["Autograd", "AutogradCPU"])
def test_the_apply_of_a_function_is_the_autograd_of_the_operator(lib, key):
    lib.impl("triple", lambda x: x * 3, "CPU")
    lib.impl("triple", Triple.apply, key)
    x = ow.ones(2, requires_grad=True)

    y = call(x)
    y.sum().backward()

    assert y.tolist() == [3.0, 3.0]
    assert x.grad.tolist() == [30.0, 30.0]


def test_a_call_of_the_operator_inside_its_autograd_kernel_is_not_recorded(lib):
    calls = []
    lib.impl("triple", lambda x: x * 3, "CPU")
    lib.impl("triple", lambda x: (calls.append(1), call(x) + x)[1], "Autograd")
    x = ow.ones(2, requires_grad=True)

    y = call(x)
    y.sum().backward()

    assert calls == [1]
    assert y.tolist() == [4.0, 4.0]
    assert x.grad.tolist() == [1.0, 1.0]


def test_without_a_kernel_the_autograd_kernel_is_the_operator(lib):
    lib.impl("triple", lambda x: x * 3, "Autograd")

    assert call(ow.ones(2)).tolist() == [3.0, 3.0]


def test_a_kernel_for_another_device_leaves_the_call_to_the_formula(lib):
    lib.impl("triple", lambda x: x * 3, "CPU")
    lib.impl("triple", Triple.apply, "AutogradCUDA")
    x = ow.ones(2, requires_grad=True)

    with pytest.raises(NotImplementedError, match="trial_wrap::triple has no backward formula"):
        call(x).sum().backward()
    library.register_autograd("trial_wrap::triple", lambda ctx, grad: grad * 3, lib=lib)
    call(x).sum().backward()

    assert x.grad.tolist() == [3.0, 3.0]


def test_a_composite_may_apply_a_function(lib):
    class Six(ow.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 6

        @staticmethod
        def backward(ctx, grad):
            return grad * 60

    lib.impl("triple", Six.apply, "CompositeImplicitAutograd")
    x = ow.ones(2, requires_grad=True)

    call(x).sum().backward()

    assert x.grad.tolist() == [60.0, 60.0]


class TripleAtEveryLevel(ow.autograd.Function):
    """The same for transforms."""

    @staticmethod
    def forward(x):
        return call(x)

    @staticmethod
    def setup_context(ctx, inputs, output):
        pass

    @staticmethod
    def backward(ctx, grad):
        return grad * 30


def test_grad_uses_the_autograd_kernel(lib):
    lib.impl("triple", lambda x: x * 3, "CPU")
    lib.impl("triple", TripleAtEveryLevel.apply, "Autograd")
    x = ow.ones(3)

    gradient = ow.func.grad(lambda x: call(x).sum())(x)

    assert gradient.tolist() == [30.0, 30.0, 30.0]


def test_a_removed_library_removes_its_autograd_kernel():
    with library.Library("trial_wrap_gone", "FRAGMENT") as outer:
        outer.define("f(Tensor x) -> Tensor")
        outer.impl("f", lambda x: x * 3, "CPU")
        with library.Library("trial_wrap_gone", "IMPL") as inner:
            inner.impl("f", Triple.apply, "Autograd")
        x = ow.ones(2, requires_grad=True)

        with pytest.raises(RuntimeError, match="no backward formula"):
            ow.ops.trial_wrap_gone.f(x).sum().backward()


def test_a_kernel_with_a_key_set_gets_the_keys_first(lib):
    seen = []
    lib.impl("triple", lambda keys, x: (seen.append(keys), x * 3)[1], "CPU", with_keyset=True)

    call(ow.ones(2))

    assert seen[0].has("CPU")


class Six(ow.autograd.Function):
    """Another function, to tell two kernels apart."""

    @staticmethod
    def forward(ctx, x):
        return x * 6

    @staticmethod
    def backward(ctx, grad):
        return grad * 60


def gradient_of(x):
    call(x).sum().backward()
    return x.grad.tolist()


@pytest.mark.parametrize(
    "kernels",
    [
        {"AutogradCPU": Triple, "AutogradCUDA": Six},
        {"AutogradCUDA": Six, "AutogradCPU": Triple},
        {"AutogradCPU": Triple, "Autograd": Six},
        {"Autograd": Six, "AutogradCPU": Triple},
        {"Autograd": Triple, "AutogradCUDA": Six},
    ],
)
def test_the_kernel_of_the_device_comes_before_that_of_every_device(lib, kernels):
    lib.impl("triple", lambda x: x * 3, "CPU")
    for key, function in kernels.items():
        lib.impl("triple", function.apply, key)

    assert gradient_of(ow.ones(2, requires_grad=True)) == [30.0, 30.0]


def test_kernels_of_two_libraries_add_up_until_one_is_removed(lib):
    lib.impl("triple", lambda x: x * 3, "CPU")
    lib.impl("triple", Six.apply, "Autograd")
    with library.Library("trial_wrap", "IMPL") as other:
        other.impl("triple", Triple.apply, "AutogradCPU")
        assert gradient_of(ow.ones(1, requires_grad=True)) == [30.0]
    assert gradient_of(ow.ones(1, requires_grad=True)) == [60.0]


def test_keys_are_overridden_and_removed_one_by_one(lib):
    lib.impl("triple", lambda x: x * 3, "CPU")
    lib.impl("triple", Triple.apply, "AutogradCPU", allow_override=False)
    lib.impl("triple", Six.apply, "Autograd", allow_override=False)

    with pytest.raises(RuntimeError, match="already a kernel registered for AutogradCPU"):
        lib.impl("triple", Six.apply, "AutogradCPU", allow_override=False)
    assert gradient_of(ow.ones(1, requires_grad=True)) == [30.0]
    lib.impl("triple", fallthrough_kernel, "AutogradCPU")
    assert gradient_of(ow.ones(1, requires_grad=True)) == [60.0]


def test_levels_below_run_the_kernel_for_themselves(lib):
    class Exp(ow.autograd.Function):
        @staticmethod
        def forward(x):
            return call(x)

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_backward(output)

        @staticmethod
        def backward(ctx, grad):
            (y,) = ctx.saved_tensors
            return grad * y

    lib.impl("triple", lambda x: x.exp(), "CPU")
    lib.impl("triple", Exp.apply, "Autograd")
    x = ow.tensor(1.0, dtype=ow.float64)

    second = ow.func.grad(ow.func.grad(call))(x)

    assert second.item() == pytest.approx(x.exp().item())

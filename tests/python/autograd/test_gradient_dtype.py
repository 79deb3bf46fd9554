"""Tensor.grad_dtype: the dtype of the .grad of a leaf, to which backward converts."""

import opwright as ow
import pytest


class ToDouble(ow.autograd.Function):
    """The identity, whose gradient has another dtype than its input."""

    @staticmethod
    def forward(ctx, x):
        return x * 1

    @staticmethod
    def backward(ctx, gradient):
        return gradient.to(ow.float64)


def leaf(*values: float, dtype=ow.float32) -> ow.Tensor:
    return ow.tensor(values, dtype=dtype, requires_grad=True)


def test_it_is_the_dtype_of_the_leaf_until_it_is_set():
    x = leaf(1, 2)
    assert x.grad_dtype == ow.float32
    x.data = ow.ones(2, dtype=ow.float64)
    assert x.grad_dtype == ow.float64

    x.grad_dtype = ow.float16
    assert x.grad_dtype == ow.float16
    x.data = ow.ones(2)
    assert x.grad_dtype == ow.float16
    x.grad_dtype = None
    assert x.grad_dtype is None


def test_a_leaf_without_gradient_has_it_and_a_computed_tensor_does_not():
    assert ow.ones(2, dtype=ow.int64).grad_dtype == ow.int64
    y = leaf(1, 2) * 2

    with pytest.raises(RuntimeError, match="grad_dtype can only be accessed on leaf tensors"):
        _ = y.grad_dtype
    with pytest.raises(RuntimeError, match="grad_dtype can only be set on leaf tensors"):
        y.grad_dtype = ow.float16


def test_backward_converts_each_gradient_to_it():
    x = leaf(1, 2, dtype=ow.bfloat16)
    y = x * 3
    x.grad_dtype = ow.float32

    y.sum().backward()
    first = x.grad
    (x * x).sum().backward()

    assert x.grad is first
    assert (x.grad.dtype, x.grad.tolist()) == (ow.float32, [5.0, 7.0])


@pytest.mark.parametrize("dtype", [ow.float16, ow.float64, None])
def test_the_gradient_that_grad_returns_has_it(dtype):
    x = leaf(1, 2)
    x.grad_dtype = dtype

    (gradient,) = ow.autograd.grad(ToDouble.apply(x).sum(), x)

    assert gradient.dtype == (dtype or ow.float64)


def test_the_leaf_itself_as_output_gets_it():
    x = leaf(2.0)
    x.grad_dtype = ow.float64

    x.backward()
    x.backward(ow.tensor([3.0]))

    assert (x.grad.dtype, x.grad.tolist()) == (ow.float64, [4.0])


def test_zeros_for_an_unused_input_have_the_dtype_of_the_input():
    x, unused = leaf(1, 2), leaf(3)
    unused.grad_dtype = ow.float64

    gradients = ow.autograd.grad(x.sum(), [x, unused], allow_unused=True, materialize_grads=True)

    assert (gradients[1].dtype, gradients[1].tolist()) == (ow.float32, [0.0])


def test_with_none_the_first_gradient_decides_about_those_that_are_added():
    x = leaf(1, 2)
    x.grad_dtype = None

    ToDouble.apply(x).sum().backward()
    assert x.grad.dtype == ow.float64
    x.grad = x.grad.to(ow.bfloat16)
    (x * 2).sum().backward()

    assert (x.grad.dtype, x.grad.tolist()) == (ow.bfloat16, [3.0, 3.0])


def test_a_gradient_of_another_dtype_cannot_be_assigned():
    x = leaf(1, 2)
    x.grad_dtype = ow.float16

    with pytest.raises(
        RuntimeError,
        match="attempting to assign a gradient with dtype 'float32' to a tensor with "
        "grad_dtype 'float16'; convert the gradient, or set grad_dtype, to None for any dtype",
    ):
        x.grad = ow.ones(2)
    x.grad_dtype = None
    x.grad = ow.ones(2, dtype=ow.float64)

    assert x.grad.dtype == ow.float64


def test_it_cannot_contradict_a_gradient_that_exists():
    x = leaf(1, 2)
    x.grad = ow.ones(2)
    x.grad_dtype = ow.float32

    with pytest.raises(
        RuntimeError,
        match="Cannot set grad_dtype to 'float16' because there is already a gradient with dtype "
        r"'float32'; clear the gradient first \(.grad = None\)",
    ):
        x.grad_dtype = ow.float16
    x.grad_dtype = None
    x.grad = None
    x.grad_dtype = ow.float16

    assert x.grad_dtype == ow.float16


def test_only_a_dtype_or_none_is_accepted():
    x = leaf(1, 2)

    with pytest.raises(TypeError, match="dtype"):
        x.grad_dtype = "half of it"
    with pytest.raises(TypeError, match="grad_dtype cannot be deleted; None allows any dtype"):
        del x.grad_dtype


@pytest.mark.parametrize("dtype", [ow.float32, None])
def test_fake_tensors_keep_it(dtype):
    x = leaf(1, 2, dtype=ow.bfloat16)
    x.grad_dtype = dtype

    assert ow.FakeTensorMode().from_tensor(x).grad_dtype == dtype


@pytest.mark.parametrize("mode", ["real", "fake", "symbolic"])
def test_a_traced_gradient_is_converted_in_the_graph(mode):
    def gradient_of_sum(x):
        return ow.autograd.grad((x.float() * 2).sum(), x)[0]

    x = leaf(1, 2, dtype=ow.bfloat16)
    x.grad_dtype = ow.float32

    graph = ow.make_fx(gradient_of_sum, tracing_mode=mode)(x)

    assert graph(x).dtype == gradient_of_sum(x).dtype == ow.float32


def test_a_compiled_function_gives_the_leaf_its_dtype():
    @ow.compile
    def scaled(x):
        return x * 3

    x = leaf(1, 2, dtype=ow.bfloat16)
    x.grad_dtype = ow.float32
    scaled(x).sum().backward()

    assert (x.grad.dtype, x.grad.tolist()) == (ow.float32, [3.0, 3.0])


def test_a_compiled_function_that_is_differentiated_twice_gives_the_leaf_its_dtype():
    @ow.compile
    def cubed(x):
        return x * x * x

    x = leaf(2.0)
    x.grad_dtype = ow.float64
    (first,) = ow.autograd.grad(cubed(x).sum(), x, create_graph=True)
    first.sum().backward()

    assert (first.dtype, first.tolist()) == (ow.float64, [12.0])
    assert (x.grad.dtype, x.grad.tolist()) == (ow.float64, [12.0])

"""custom_fwd and custom_bwd: Functions with a backward of their own under autocast."""

import opwright as ow
import pytest
import torch


def make_product(library, amp, seen, cast_inputs):
    """Make a Function of ours or torch's that notes the dtypes that it and its products have."""

    class Product(library.autograd.Function):
        @staticmethod
        @amp.custom_fwd(device_type="cpu", cast_inputs=cast_inputs)
        def forward(ctx, x, y):
            ctx.save_for_backward(x, y)
            seen.append(("forward", x.dtype, (x @ y).dtype))
            return x @ y

        @staticmethod
        @amp.custom_bwd(device_type="cpu")
        def backward(ctx, grad):
            x, y = ctx.saved_tensors
            seen.append(("backward", x.dtype, (x @ x).dtype))
            return grad.to(y.dtype) @ y.t(), x.t() @ grad.to(x.dtype)

    return Product


def dtypes_of_training(library, amp, dtype, is_enabled, cast_inputs):
    seen = []
    cast_inputs = cast_inputs and getattr(library, cast_inputs)
    product = make_product(library, amp, seen, cast_inputs)
    x = library.ones(2, 2, dtype=getattr(library, dtype), requires_grad=True)
    y = library.ones(2, 2, dtype=getattr(library, dtype), requires_grad=True)
    with library.autocast("cpu", enabled=is_enabled):
        result = product.apply(x, y)
    result.sum().backward()
    seen.append(("results", result.dtype, x.grad.dtype))
    return [tuple(str(each).split(".")[-1] for each in line) for line in seen]


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float64"])
@pytest.mark.parametrize("is_enabled", [True, False], ids=["on", "off"])
@pytest.mark.parametrize("cast_inputs", [None, "float32", "bfloat16"])
def test_a_function_runs_and_is_trained_in_the_dtypes_of_torch(dtype, is_enabled, cast_inputs):
    ours = dtypes_of_training(ow, ow.autograd, dtype, is_enabled, cast_inputs)

    assert ours == dtypes_of_training(torch, torch.amp, dtype, is_enabled, cast_inputs)


def test_lists_and_dicts_of_tensors_are_cast_and_ints_are_not():
    @ow.autograd.custom_fwd(device_type="cpu", cast_inputs=ow.bfloat16)
    def dtypes(tensors, *, named):
        return [each.dtype for each in (*tensors, named["index"])]

    with ow.autocast("cpu"):
        found = dtypes([ow.ones(1)], named={"index": ow.tensor([1])})

    assert found == [ow.bfloat16, ow.int64]


def test_a_function_with_setup_context_notes_its_autocast_there():
    class Product(ow.autograd.Function):
        @staticmethod
        @ow.autograd.custom_fwd(device_type="cpu", cast_inputs=ow.float32)
        def forward(x, y):
            return x @ y

        @staticmethod
        @ow.autograd.custom_fwd(device_type="cpu", cast_inputs=ow.float32)
        def setup_context(ctx, inputs, output):
            ctx.save_for_backward(*inputs)

        @staticmethod
        @ow.autograd.custom_bwd(device_type="cpu")
        def backward(ctx, grad):
            x, y = ctx.saved_tensors
            return grad @ y.t(), x.t() @ grad

    x = ow.full((1, 1), 3.0, requires_grad=True)
    y = ow.full((1, 1), 1.001953125, requires_grad=True)  # which bfloat16 cannot hold
    with ow.autocast("cpu"):
        result = Product.apply(x, y)
        result.sum().backward()

    assert (result.item(), x.grad.item()) == (3.005859375, 1.001953125)


def test_a_backward_whose_forward_noted_nothing_is_refused():
    class Double(ow.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        @ow.autograd.custom_bwd(device_type="cpu")
        def backward(ctx, grad):
            return grad * 2

    with pytest.raises(RuntimeError) as failure:
        Double.apply(ow.ones(1, requires_grad=True)).backward()

    assert "is not decorated with custom_fwd, so its autocast is not known" in str(failure.value)
    assert "Decorate forward, or setup_context where there is one." in str(failure.value)

"""A Function's own vmap and jvp, keyword arguments, and its outputs that are views."""

import opwright as ow
import opwright.compat.torch as compat
import pytest
import torch
from opwright.autograd import Function


def make_scale(library):
    class Scale(library.autograd.Function):
        generate_vmap_rule = True

        @staticmethod
        def forward(x, factor=3.0):
            return x * factor

        @staticmethod
        def setup_context(ctx, inputs, output):
            x, ctx.factor = inputs
            ctx.save_for_backward(x)

        @staticmethod
        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            return grad * ctx.factor * x.sign() * 10, None

    return Scale


def test_apply_takes_defaults_and_keywords_as_in_torch():
    def run(library):
        scale = make_scale(library)
        x = library.tensor([1.0, -2.0], requires_grad=True)
        (scale.apply(x) + scale.apply(x, factor=2.0)).sum().backward()
        return x.grad.tolist()

    assert run(compat) == run(torch)


def test_keywords_are_arguments_of_a_forward_with_a_ctx():
    class Product(Function):
        @staticmethod
        def forward(ctx, x, factor=1.0):
            ctx.factor = factor
            return x * factor

        @staticmethod
        def backward(ctx, grad):
            return grad * ctx.factor, None

    x = ow.ones(2, requires_grad=True)
    Product.apply(factor=4.0, x=x).sum().backward()

    assert x.grad.tolist() == [4.0, 4.0]


@pytest.mark.parametrize("in_dims", [0, 1])
def test_a_generated_vmap_uses_the_own_backward_as_in_torch(in_dims):
    def run(library):
        scale = make_scale(library)
        x = library.tensor([[1.0, -2.0], [3.0, -4.0]], requires_grad=True)
        shared = library.tensor([2.0, -2.0], requires_grad=True)

        def sample(row):
            return scale.apply(row).sum() + scale.apply(shared).sum()

        library.func.vmap(sample, in_dims=in_dims)(x).sum().backward()
        return x.grad.tolist(), shared.grad.tolist()

    assert run(compat) == run(torch)


def test_an_own_vmap_gets_batches_and_dims_as_in_torch():
    def run(library):
        class Product(library.autograd.Function):
            @staticmethod
            def forward(x, y):
                return x * y

            @staticmethod
            def setup_context(ctx, inputs, output):
                ctx.save_for_backward(*inputs)

            @staticmethod
            def backward(ctx, grad):
                x, y = ctx.saved_tensors
                return grad * y, grad * x

            @staticmethod
            def vmap(info, in_dims, x, y):
                assert in_dims == (0, None)
                assert info.batch_size == 2
                return Product.apply(x, y) + 1, 0

        x = library.tensor([1.0, 2.0])
        return library.func.vmap(Product.apply, in_dims=(0, None))(x, library.tensor(3.0)).tolist()

    assert run(compat) == run(torch)


def test_vmap_refuses_a_function_without_a_rule():
    class Plain(Function):
        @staticmethod
        def forward(x):
            return x * 2

        @staticmethod
        def setup_context(ctx, inputs, output):
            pass

    with pytest.raises(RuntimeError, match="Plain, but it does not have vmap support"):
        ow.func.vmap(Plain.apply)(ow.ones(2))


def test_an_own_jvp_reads_what_was_saved_for_forward_as_in_torch():
    def run(library):
        class Square(library.autograd.Function):
            @staticmethod
            def forward(x):
                return x * x

            @staticmethod
            def setup_context(ctx, inputs, output):
                ctx.save_for_backward(*inputs)
                ctx.save_for_forward(*inputs)

            @staticmethod
            def backward(ctx, grad):
                return grad * 0

            @staticmethod
            def jvp(ctx, tangent):
                (x,) = ctx.saved_tensors
                return 2 * x * tangent * 10

        x = library.tensor([1.0, 2.0])
        output, tangent = library.func.jvp(Square.apply, (x,), (library.ones(2),))
        return output.tolist(), tangent.tolist()

    assert run(compat) == run(torch)


def test_jvp_refuses_a_function_without_a_rule():
    scale = make_scale(ow)

    with pytest.raises(NotImplementedError, match="must implement the jvp function"):
        ow.func.jvp(scale.apply, (ow.ones(2),), (ow.ones(2),))


def test_vjp_is_another_name_of_backward():
    class Triple(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 3

        @staticmethod
        def vjp(ctx, grad):
            return grad * 3

    x = ow.ones(2, requires_grad=True)
    Triple.apply(x).sum().backward()

    assert x.grad.tolist() == [3.0, 3.0]


def test_a_view_made_by_a_function_cannot_be_used_after_a_write_to_its_base():
    class First(Function):
        @staticmethod
        def forward(ctx, x):
            return x[:1]

        @staticmethod
        def backward(ctx, grad):
            return ow.cat([grad, grad * 0])

    base = ow.ones(2, requires_grad=True).clone()
    view = First.apply(base)
    base.mul_(2)

    with pytest.raises(RuntimeError, match="its base or another view of its base"):
        view * 2

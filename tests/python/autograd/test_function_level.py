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


def make_straight_through(library):
    class Rounded(library.autograd.Function):
        generate_vmap_rule = True

        @staticmethod
        def forward(x):
            return x.round()

        @staticmethod
        def setup_context(ctx, inputs, output):
            pass

        @staticmethod
        def backward(ctx, grad):
            return grad

    return Rounded


@pytest.mark.parametrize("is_recorded", [False, True])
def test_every_level_of_grad_uses_the_own_backward_as_in_torch(is_recorded):
    def run(library):
        rounded = make_straight_through(library)

        def f(x):
            return rounded.apply(x) ** 3

        x = library.tensor(1.6, requires_grad=is_recorded)
        first = library.func.grad(f)(x)
        second = library.func.grad(library.func.grad(f))(x)
        third = library.autograd.grad(second, x)[0] if is_recorded else x
        return [round(each.item(), 3) for each in (first, second, third)]

    assert run(compat) == run(torch)


def test_a_function_inside_vmap_and_grad_uses_its_backward_as_in_torch():
    def run(library):
        rounded = make_straight_through(library)
        x = library.tensor([1.2, 2.7])
        square = library.func.grad(lambda x: rounded.apply(x) ** 2)
        return (
            library.func.vmap(square)(x).tolist(),
            library.func.grad(lambda x: library.func.vmap(square)(x).sum())(x).tolist(),
        )

    assert run(compat) == run(torch)


def test_the_forward_of_a_function_gets_plain_tensors_inside_grad_as_in_torch():
    def run(library):
        class Cube(library.autograd.Function):
            @staticmethod
            def forward(x):
                return library.tensor(x.numpy() ** 3), x.numpy()

            @staticmethod
            def setup_context(ctx, inputs, output):
                ctx.array = output[1]

            @staticmethod
            @library.autograd.function.once_differentiable
            def backward(ctx, grad, _):
                return library.tensor(3 * ctx.array**2) * grad

        x = library.tensor(2.0, requires_grad=True)
        _, pull_back = library.func.vjp(lambda x: Cube.apply(x)[0], x)
        (gradient,) = pull_back(library.tensor(1.0, requires_grad=True))
        with pytest.raises(RuntimeError, match="marked with @once_differentiable"):
            gradient.backward()
        return gradient.item()

    assert run(compat) == run(torch)


@pytest.mark.parametrize("transform", ["grad", "vmap", "jacrev", "jacfwd", "functionalize"])
def test_transforms_refuse_a_forward_with_a_ctx_as_torch_does(transform):
    def run(library):
        class Sine(library.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.save_for_backward(x)
                return x.sin()

            @staticmethod
            def backward(ctx, grad):
                return grad * ctx.saved_tensors[0].cos()

        with pytest.raises(RuntimeError, match="must override the setup_context staticmethod"):
            getattr(library.func, transform)(lambda x: Sine.apply(x).sum())(library.ones(3))

    run(torch)
    run(compat)


def test_vmap_calls_a_forward_with_a_ctx_that_gets_no_batch():
    class Sine(ow.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x.sin()

        @staticmethod
        def backward(ctx, grad):
            return grad * ctx.saved_tensors[0].cos()

    x = ow.tensor(0.0, requires_grad=True)
    ow.vmap(lambda y: y * Sine.apply(x))(ow.tensor([1.0, 2.0])).sum().backward()

    assert x.grad.item() == 3.0


@pytest.mark.parametrize("mode", ["save_for_backward", "save_for_forward"])
def test_an_input_that_is_returned_cannot_be_saved_as_in_torch(mode):
    def run(library):
        class Same(library.autograd.Function):
            @staticmethod
            def forward(x):
                return x

            @staticmethod
            def setup_context(ctx, inputs, output):
                getattr(ctx, mode)(output)

            @staticmethod
            def backward(ctx, grad):
                return grad

        for call in (Same.apply, library.func.grad(Same.apply)):
            with pytest.raises(RuntimeError, match="An input that has been returned as-is"):
                call(library.tensor(2.0))

    run(torch)
    run(compat)


def make_doubled_in_place(library):
    class Doubled(library.autograd.Function):
        @staticmethod
        def forward(x):
            return x.mul_(2)

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.mark_dirty(inputs[0])

        @staticmethod
        def backward(ctx, grad):
            return grad * 2

        @staticmethod
        def jvp(ctx, tangent):
            return tangent.mul_(2)

    return Doubled


def test_an_input_that_a_function_writes_is_its_output_in_forward_mode_as_in_torch():
    def run(library):
        doubled = make_doubled_in_place(library)
        tangent = library.ones(2)
        with library.autograd.forward_ad.dual_level():
            x = library.autograd.forward_ad.make_dual(library.tensor([1.0, 2.0]), tangent.clone())
            y = doubled.apply(x)
            shown = library.autograd.forward_ad.unpack_dual(x)
        return y is x, shown.primal.tolist(), shown.tangent.tolist()

    assert run(compat) == run(torch)


def test_a_function_that_writes_inside_transforms_leaves_the_given_tangent_as_it_is():
    doubled = make_doubled_in_place(ow)
    tangent = ow.ones(2)

    def f(x):
        return doubled.apply(x.clone())

    _, pushed = ow.func.jvp(f, (ow.tensor([1.0, 2.0]),), (tangent,))

    assert pushed.tolist() == [2.0, 2.0]
    assert tangent.tolist() == [1.0, 1.0]
    assert ow.func.grad(lambda x: f(x).sum())(ow.ones(2)).tolist() == [2.0, 2.0]


def test_out_dims_that_do_not_fit_the_outputs_are_refused():
    class Pair(Function):
        @staticmethod
        def forward(x):
            return [x]

        @staticmethod
        def setup_context(ctx, inputs, output):
            pass

        @staticmethod
        def vmap(info, in_dims, x):
            return [x], (0,)

    with pytest.raises(RuntimeError, match=r"Pair\.vmap returned an incompatible"):
        ow.vmap(Pair.apply)(ow.ones(2))


def test_keyword_only_arguments_are_refused():
    class Sum(Function):
        @staticmethod
        def forward(x, *, y):
            return x + y

        @staticmethod
        def setup_context(ctx, inputs, output):
            pass

    with pytest.raises(NotImplementedError, match="Sum: kwarg-only Tensor args"):
        Sum.apply(ow.ones(2), y=ow.ones(2))


def test_functionalize_refuses_a_function_whose_gradient_is_recorded():
    rounded = make_straight_through(ow)
    functional = ow.func.functionalize(rounded.apply)

    assert functional(ow.tensor([1.6])).tolist() == [2.0]
    with pytest.raises(NotImplementedError, match="Rounded: functionalize does not keep"):
        ow.func.grad(lambda x: functional(x).sum())(ow.tensor([1.6]))


def test_forward_mode_keeps_the_backward_of_a_forward_with_a_ctx_as_in_torch():
    def run(library):
        class Rounded(library.autograd.Function):
            @staticmethod
            def forward(ctx, x, factor):
                ctx.factor = factor
                ctx.save_for_forward(x)
                return x.round() * factor

            @staticmethod
            def backward(ctx, grad):
                return grad * ctx.factor, None

            @staticmethod
            def jvp(ctx, tangent, _):
                return tangent * ctx.factor * ctx.saved_tensors[0]

        x = library.tensor([1.6], requires_grad=True)
        with library.autograd.forward_ad.dual_level():
            dual = library.autograd.forward_ad.make_dual(x, library.tensor([10.0]))
            y = library.autograd.forward_ad.unpack_dual(Rounded.apply(dual, 3.0))
            y.primal.backward()
        return y.primal.tolist(), y.tangent.tolist(), x.grad.tolist()

    assert run(compat) == run(torch)


# ---- What a jvp must do as forward does ----


def apply_dual(function, x):
    with ow.autograd.forward_ad.dual_level():
        dual = ow.autograd.forward_ad.make_dual(x, ow.ones_like(x))
        outputs = function.apply(dual)
        first = outputs[0] if isinstance(outputs, tuple) else outputs
        return dual, first, ow.autograd.forward_ad.unpack_dual(first).tangent


def make_view_function(tangent_of):
    class View(Function):
        @staticmethod
        def forward(ctx, x):
            return x.narrow(0, 0, 2)

        @staticmethod
        def jvp(ctx, tangent):
            return tangent_of(tangent)

    return View


@pytest.mark.parametrize(
    ("tangent_of", "text"),
    [
        (lambda t: t.narrow(0, 0, 2).clone(), "jvp is not returning a view"),
        (lambda t: t.clone().narrow(0, 0, 2), "jvp is not returning a view of the given"),
    ],
)
def test_the_tangent_of_a_view_must_be_a_view_of_the_tangent(tangent_of, text):
    with pytest.raises(RuntimeError, match=text):
        apply_dual(make_view_function(tangent_of), ow.ones(4))


def test_the_tangent_of_a_view_is_a_view_of_the_tangent():
    function = make_view_function(lambda tangent: tangent.narrow(0, 0, 2))

    _, _, tangent = apply_dual(function, ow.ones(4))

    assert tangent.tolist() == [1.0, 1.0]


def make_in_place_function(tangent_of):
    class InPlace(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.mark_dirty(x)
            return x.mul_(2)

        @staticmethod
        def jvp(ctx, tangent):
            return tangent_of(tangent)

    return InPlace


def test_a_jvp_writes_the_tangent_of_an_input_that_forward_writes():
    dual, output, tangent = apply_dual(
        make_in_place_function(lambda tangent: tangent.mul_(2)), ow.ones(2)
    )

    assert output is dual
    assert tangent.tolist() == [2.0, 2.0]
    with pytest.raises(RuntimeError, match="must modify the corresponding gradient inplace"):
        apply_dual(make_in_place_function(lambda tangent: tangent * 2), ow.ones(2))
    with pytest.raises(RuntimeError, match="must modify the corresponding gradient inplace"):
        apply_dual(make_in_place_function(lambda tangent: tangent), ow.ones(2))


def test_a_jvp_returns_none_for_an_output_without_gradient():
    class Marked(Function):
        @staticmethod
        def forward(ctx, x):
            y = x.clone()
            ctx.mark_non_differentiable(y)
            return y

        @staticmethod
        def jvp(ctx, tangent):
            return tangent.clone()

    with pytest.raises(RuntimeError, match="You should return None at that position instead"):
        apply_dual(Marked, ow.ones(2))

"""autograd.Function: functions with a backward of their own."""
# Covers: python/bindings/autograd/*.

import weakref

import opwright as ow
import pytest
from opwright.autograd import Function
from opwright.autograd.function import once_differentiable


class Power(Function):
    @staticmethod
    def forward(ctx, x, exponent):
        ctx.save_for_backward(x)
        ctx.exponent = exponent
        return x**exponent

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * ctx.exponent * x ** (ctx.exponent - 1), None


class Exp(Function):
    @staticmethod
    def forward(x):
        return x.exp()

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(output)

    @staticmethod
    def backward(ctx, grad):
        (y,) = ctx.saved_tensors
        return grad * y


def leaf(*values):
    return ow.tensor([float(value) for value in values], requires_grad=True)


def test_a_function_has_its_own_backward():
    x = leaf(1, 2)

    y = Power.apply(x, 3)
    y.sum().backward()

    assert (y.tolist(), x.grad.tolist()) == ([1.0, 8.0], [3.0, 12.0])
    assert y.grad_fn.name() == "PowerBackward"


def test_the_form_with_setup_context():
    x = leaf(0)

    Exp.apply(x).sum().backward()

    assert x.grad.tolist() == [1.0]


def test_a_backward_is_itself_differentiated():
    x = leaf(0.5)

    (first,) = ow.autograd.grad(Exp.apply(x).sum(), x, create_graph=True)
    (second,) = ow.autograd.grad(first.sum(), x, create_graph=True)
    (third,) = ow.autograd.grad(second.sum(), x)

    assert first.tolist() == second.tolist() == third.tolist()


def test_the_forward_is_not_recorded():
    seen = []

    class Looks(Function):
        @staticmethod
        def forward(ctx, x):
            seen.append((x * 2).requires_grad)
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            return grad * 2

    Looks.apply(leaf(1))

    assert seen == [False]


class Pair(Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.mark_non_differentiable(index := (x > y))
        return x * 2, "text", y * 3, index

    @staticmethod
    def backward(ctx, first, text, second, index):
        assert text is None
        return first * 2, second * 3


def test_several_outputs_some_without_a_gradient():
    x, y = leaf(1), leaf(1)

    first, text, second, index = Pair.apply(x, y)
    (first + 10 * second).sum().backward()

    assert (text, index.requires_grad) == ("text", False)
    assert (x.grad.tolist(), y.grad.tolist()) == ([2.0], [30.0])


def test_an_input_that_is_returned_is_another_tensor():
    class Same(Function):
        @staticmethod
        def forward(ctx, x):
            return x

        @staticmethod
        def backward(ctx, grad):
            return grad * 5

    x = leaf(1)
    y = Same.apply(x)
    y.sum().backward()

    assert y is not x
    assert x.grad.tolist() == [5.0]


def test_an_input_that_is_written_is_marked_dirty():
    class Double(Function):
        @staticmethod
        def forward(ctx, x):
            x.mul_(2)
            ctx.mark_dirty(x)
            return x

        @staticmethod
        def backward(ctx, grad):
            return grad * 2

    x = leaf(3)
    y = x * 1
    z = Double.apply(y)
    z.sum().backward()

    assert z is y
    assert (z.tolist(), x.grad.tolist()) == ([6.0], [2.0])


def test_needs_input_grad_has_an_entry_for_each_argument():
    seen = []

    class Sees(Function):
        @staticmethod
        def forward(ctx, x, y, n):
            return x * y * n

        @staticmethod
        def backward(ctx, grad):
            seen.append(ctx.needs_input_grad)
            return grad, None, None

    Sees.apply(leaf(1), ow.ones(1), 2).sum().backward()

    assert seen == [(True, False, False)]


def test_nothing_is_recorded_under_no_grad():
    with ow.no_grad():
        assert not Power.apply(leaf(1), 2).requires_grad


def test_a_wrong_number_of_gradients_is_told():
    class Wrong(Function):
        @staticmethod
        def forward(ctx, x, y):
            return x * y

        @staticmethod
        def backward(ctx, grad):
            return grad

    with pytest.raises(
        RuntimeError, match="Wrong: backward returned 1 gradients, but forward took 2"
    ):
        Wrong.apply(leaf(1), leaf(1)).sum().backward()


def test_a_gradient_of_other_sizes_is_told():
    class Wrong(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, grad):
            return grad[0:2]

    with pytest.raises(RuntimeError) as failure:
        Wrong.apply(leaf(1, 2, 3)).sum().backward()

    assert (
        "Wrong: backward returned a gradient of sizes [2] for argument 0, which has sizes [3]"
        in str(failure.value)
    )


def test_a_saved_tensor_that_was_written_is_told():
    x = leaf(1, 2)
    y = x * 1

    z = Power.apply(y, 2)
    y.add_(1)

    with pytest.raises(RuntimeError) as failure:
        z.sum().backward()

    assert "Power: saved tensor 0 was modified by an in-place operation: it is at version" in str(
        failure.value
    )


def test_once_differentiable_refuses_a_second_derivative():
    class Square(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        @once_differentiable
        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            return ow.from_numpy(2 * x.detach().numpy()) * grad

    x = leaf(3)
    (first,) = ow.autograd.grad(Square.apply(x).sum(), x, create_graph=True)

    assert first.tolist() == [6.0]
    with pytest.raises(
        RuntimeError, match="SquareBackward: its backward is marked with @once_differentiable"
    ):
        first.sum().backward()


def test_a_function_without_a_backward_says_so():
    class Half(Function):
        @staticmethod
        def forward(ctx, x):
            return x / 2

    with pytest.raises(NotImplementedError, match="must have a static method `backward`"):
        Half.apply(leaf(1)).sum().backward()


class Boxed(Function):
    boxed_grads_call = True

    @staticmethod
    def forward(ctx, x):
        return x * 2, x * 3

    @staticmethod
    def backward(ctx, grads):
        first, second = grads
        grads.clear()
        return first * 2 + second * 3


def test_a_boxed_backward_gets_a_list():
    x = ow.ones(2, requires_grad=True)
    a, b = Boxed.apply(x)

    (a + b).sum().backward()

    assert x.grad.tolist() == [5.0, 5.0]


def test_a_boxed_backward_holds_the_only_reference_to_a_gradient():
    dead = []

    class Frees(Function):
        boxed_grads_call = True

        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grads):
            reference = weakref.ref(grads[0])
            result = grads[0] * 2
            grads.clear()
            dead.append(reference() is None)
            return result

    Frees.apply(ow.ones(2, requires_grad=True)).sum().backward()

    assert dead == [True]


def test_the_backward_of_a_function_can_be_applied_to_its_node():
    a, _ = Boxed.apply(ow.ones(2, requires_grad=True))

    assert a.grad_fn.apply(ow.ones(2), ow.ones(2) * 2).tolist() == [8.0, 8.0]
    with pytest.raises(AttributeError, match=r"not an autograd\.Function"):
        ow.ones(2, requires_grad=True).sin().grad_fn.apply(ow.ones(2))


def test_an_output_returned_twice_is_one_tensor():
    class Twice(Function):
        @staticmethod
        def forward(ctx, x):
            y = x * 2
            return y, y

        @staticmethod
        def backward(ctx, first, second):
            return first * 2 + second * 2

    x = ow.ones(2, requires_grad=True)
    a, b = Twice.apply(x)
    (a + b).sum().backward()

    assert a is b
    assert x.grad.tolist() == [4.0, 4.0]


def test_an_instance_of_a_function_cannot_be_called():
    with pytest.warns(DeprecationWarning, match="should not be instantiated"):
        instance = Boxed()

    with pytest.raises(RuntimeError, match="non-static forward method is deprecated"):
        instance(ow.ones(1))


def test_an_argument_given_twice_is_named():
    with pytest.raises(TypeError, match="got multiple values for argument 'x'"):
        Boxed.apply(ow.ones(1), x=ow.ones(1))


def test_saved_variables_is_deprecated():
    class Saves(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            return grad * ctx.saved_variables[0]

    with pytest.warns(DeprecationWarning, match="saved_variables"):
        Saves.apply(ow.ones(1, requires_grad=True)).backward()


def test_backward_passes_nest_deeper_than_the_stack_of_python():
    class Countdown(ow.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            with ow.enable_grad():
                ctx.inner = x.detach().requires_grad_() - 1
            return ctx.inner.detach()

        @staticmethod
        def backward(ctx, gradient):
            with ow.enable_grad():
                if ctx.inner >= 0:
                    Countdown.apply(ctx.inner).backward()
            depths.append(ow.is_grad_enabled())
            return gradient

    depths = []
    x = ow.tensor(1500.0, requires_grad=True)
    Countdown.apply(x).backward()

    assert x.grad.item() == 1
    assert depths == [False] * 1501


def test_an_error_in_a_deeply_nested_backward_arrives():
    class Failing(ow.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            with ow.enable_grad():
                ctx.inner = x.detach().requires_grad_() - 1
            return ctx.inner.detach()

        @staticmethod
        def backward(ctx, gradient):
            if ctx.inner < 0:
                raise KeyError("at the bottom")
            with ow.enable_grad():
                Failing.apply(ctx.inner).backward()
            return gradient

    with pytest.raises(KeyError, match="at the bottom"):
        Failing.apply(ow.tensor(200.0, requires_grad=True)).backward()


@pytest.mark.parametrize("check_nan", [True, False])
def test_deeply_nested_backward_passes_keep_the_settings_of_anomaly_mode(check_nan):
    class Countdown(ow.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            with ow.enable_grad():
                ctx.inner = x.detach().requires_grad_() - 1
            return ctx.inner.detach()

        @staticmethod
        def backward(ctx, gradient):
            with ow.enable_grad():
                if ctx.inner >= 0:
                    Countdown.apply(ctx.inner).backward()
                else:
                    (nan * 0.0).sqrt().backward()
            return gradient

    nan = ow.zeros((), requires_grad=True)
    y = Countdown.apply(ow.tensor(100.0, requires_grad=True))

    with ow.autograd.detect_anomaly(check_nan=check_nan):
        if check_nan:
            with pytest.raises(RuntimeError, match="returned nan values"):
                y.backward()
        else:
            y.backward()
            assert nan.grad.isnan()

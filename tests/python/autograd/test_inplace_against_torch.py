"""Gradients around in-place writes, with torch as the referee."""

import opwright as ow
import opwright.compat.torch as compat
import pytest
import torch

LIBRARIES = [torch, compat]


def both(program):
    """Return what a program gives in torch and here, as lists; errors as their class."""

    def run(library):
        try:
            returned = program(library)
        except RuntimeError:
            return "RuntimeError"
        return [None if each is None else each.tolist() for each in returned]

    return run(torch), run(compat)


def retained_after_write(library):
    y = library.tensor([1.0, 2.0], requires_grad=True).clone()
    y.retain_grad()
    y.mul_(2)
    (y * 3).sum().backward()
    return [y.grad]


def retained_base_after_write_to_view(library):
    y = library.tensor([1.0, 2.0], requires_grad=True).clone()
    y.retain_grad()
    y[0].mul_(2)
    (y * 3).sum().backward()
    return [y.grad]


def retained_view_after_write_to_base(library):
    y = library.tensor([1.0, 2.0], requires_grad=True).clone()
    view = y.view(2)
    view.retain_grad()
    y.mul_(2)
    (view * 3).sum().backward()
    return [view.grad]


def retained_after_two_writes(library):
    y = library.tensor([1.0, 2.0], requires_grad=True).clone()
    y.retain_grad()
    y.mul_(2)
    y.sin_()
    (y * 3).sum().backward()
    return [y.grad]


@pytest.mark.parametrize(
    "program",
    [
        retained_after_write,
        retained_base_after_write_to_view,
        retained_view_after_write_to_base,
        retained_after_two_writes,
    ],
)
def test_retain_grad_keeps_the_gradient_of_the_value_after_a_write(program):
    theirs, ours = both(program)

    assert ours == theirs


@pytest.mark.parametrize("take", ["unbind", "split", "chunk"])
@pytest.mark.parametrize("needs_grad", [True, False])
def test_a_view_of_a_list_is_written_where_torch_allows_it(take, needs_grad):
    def program(library):
        y = library.ones(4, 4, requires_grad=needs_grad) * 1
        views = y.unbind() if take == "unbind" else getattr(y, take)(2)
        views[0].mul_(2)
        return [y]

    theirs, ours = both(program)

    assert ours == theirs


def test_the_refused_write_to_a_view_of_a_list_says_what_to_do():
    y = ow.ones(4, 4, requires_grad=True) * 1

    with pytest.raises(RuntimeError) as error:
        y.unbind()[0].mul_(2)

    assert str(error.value).startswith(
        "aten::mul_.Scalar: 'self' is one of the views that aten::unbind.int returned. The output "
        "of a function that returns multiple views cannot be modified in place where autograd "
        "records; compute a new tensor, or take the view by an index"
    )


ACTIVATIONS = {
    "hardswish": (),
    "hardsigmoid": (),
    "mish": (),
    "threshold": (0.1, 20.0),
    "silu": (),
    "elu": (),
    "leaky_relu": (),
    "hardtanh": (),
    "relu6": (),
}


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_the_gradients_of_in_place_activations_are_those_of_torch(name):
    def program(library):
        x = library.linspace(-4, 4, 9).requires_grad_()
        y = x.clone()
        getattr(library.nn.functional, name)(y, *ACTIVATIONS[name], inplace=True).sum().backward()
        return [x.grad]

    theirs, ours = both(program)

    assert ours[0] == pytest.approx(theirs[0], abs=1e-6)


@pytest.mark.parametrize(
    ("sizes", "change"),
    [
        ((3, 4), lambda x: x.t()),
        ((2, 3, 4), lambda x: x.permute(2, 0, 1)),
        ((3, 4), lambda x: x),
        ((3, 1), lambda x: x.expand(3, 4)),
        ((6, 4), lambda x: x[::2]),
    ],
)
@pytest.mark.parametrize("create_graph", [True, False])
def test_the_gradient_of_a_leaf_has_its_strides_as_in_torch(sizes, change, create_graph):
    def strides(library):
        x = change(library.ones(*sizes)).requires_grad_()
        (x * x * library.ones(x.shape)).sum().backward(create_graph=create_graph)
        return x.grad.stride()

    assert tuple(strides(compat)) == tuple(strides(torch))


def test_the_gradient_of_atan2_at_the_origin_is_that_of_torch():
    def program(library):
        x, y = (library.tensor([0.0, 0.0, 1.0], requires_grad=True) for _ in range(2))
        library.atan2(x, y).sum().backward()
        return [x.grad, y.grad]

    theirs, ours = both(program)

    assert ours == theirs


@pytest.mark.parametrize("base", [-1.5, 2.0])
@pytest.mark.parametrize("is_number", [True, False])
def test_the_gradient_of_a_power_with_a_complex_exponent_is_that_of_torch(base, is_number):
    def gradient(library):
        exponent = library.tensor(2 + 3j, dtype=library.complex128, requires_grad=True)
        power = library.pow(base if is_number else library.tensor(base), exponent)
        power.backward(library.ones_like(power))
        return complex(exponent.grad.item())

    assert gradient(compat) == pytest.approx(gradient(torch))


def test_the_output_of_a_function_that_returns_its_input_cannot_be_written():
    def program(library):
        class Identity(library.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                return x

            @staticmethod
            def backward(ctx, grad):
                return grad * 10

        x = library.ones(2, requires_grad=True).clone()
        y = Identity.apply(x)
        y.mul_(2)
        return [y]

    theirs, ours = both(program)

    assert ours == theirs == "RuntimeError"


def view_from_before_its_base_required_grad(library):
    x = library.ones(2)
    view = x[:]
    x.requires_grad = True
    view.add_(1)
    return [x]


def dirty_view_of_a_leaf(library):
    class Double(library.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.mark_dirty(x)
            return x.mul_(2)

        @staticmethod
        def backward(ctx, grad):
            return grad * 2

    x = library.ones(2, requires_grad=True)
    return [Double.apply(x[:1])]


@pytest.mark.parametrize("program", [view_from_before_its_base_required_grad, dirty_view_of_a_leaf])
def test_writes_that_torch_refuses_are_refused(program):
    theirs, ours = both(program)

    assert ours == theirs == "RuntimeError"


def test_gradcheck_passes_undefined_gradients_through_written_views():
    def function(x, y):
        base = x.clone()
        base[:, 0].mul_(y)
        return base

    x = ow.ones(2, 2, dtype=ow.float64, requires_grad=True)
    y = ow.ones(2, dtype=ow.float64, requires_grad=True)

    assert ow.gradcheck(function, (x, y), check_undefined_grad=True)

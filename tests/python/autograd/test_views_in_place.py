"""Tensors that become views of themselves (transpose_), and leaves that get other memory (set_)."""

import opwright.compat.torch as compat
import pytest
import torch

LIBRARIES = [compat, torch]


def leaf(lib):
    return lib.ones(2, 3, requires_grad=True)


def weights(lib):
    return lib.arange(6.0).reshape(3, 2)


@pytest.mark.parametrize("lib", LIBRARIES)
def test_a_leaf_that_is_transposed_under_no_grad_stays_a_leaf(lib):
    x = leaf(lib)

    with lib.no_grad():
        x.t_()
    (x * weights(lib)).sum().backward()

    assert (tuple(x.shape), x.is_leaf, x._is_view()) == ((3, 2), True, False)
    assert x.grad.tolist() == weights(lib).tolist()


@pytest.mark.parametrize("lib", LIBRARIES)
def test_a_leaf_of_inference_mode_is_transposed_there(lib):
    with lib.inference_mode():
        x = leaf(lib)
        x.transpose_(0, 1)

        assert (tuple(x.shape), x.requires_grad, x.is_inference()) == ((3, 2), True, True)


@pytest.mark.parametrize("lib", LIBRARIES)
def test_a_view_that_is_transposed_under_no_grad_keeps_its_history(lib):
    x = leaf(lib)
    y = x * 2
    view = y.view_as(y)

    with lib.no_grad():
        view.t_()
    view.mul_(weights(lib))
    y.sum().backward()

    assert x.grad.tolist() == (weights(lib).t() * 2).tolist()


def test_a_computed_tensor_that_is_transposed_under_no_grad_keeps_its_history():
    # torch's has another size than the gradient that its backward expects
    x = leaf(compat)
    y = x * 2

    with compat.no_grad():
        y.t_()
    (y * weights(compat)).sum().backward()

    assert x.grad.tolist() == (weights(compat).t() * 2).tolist()


@pytest.mark.parametrize("lib", LIBRARIES)
def test_one_of_several_views_cannot_be_transposed(lib):
    y = leaf(lib) * 2

    with pytest.raises(RuntimeError, match="function that returns multiple views"):
        y.unbind()[0].unsqueeze_(0)


@pytest.mark.parametrize("lib", LIBRARIES)
def test_a_view_that_a_function_made_cannot_be_transposed(lib):
    class View(lib.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.view_as(x)

        @staticmethod
        def backward(ctx, grad):
            return grad

    with pytest.raises(RuntimeError, match="view was created inside a custom Function"):
        View.apply(leaf(lib) * 2).t_()


@pytest.mark.parametrize("lib", LIBRARIES)
def test_a_leaf_gets_other_memory_under_no_grad(lib):
    x = leaf(lib)
    edge = lib.autograd.graph.get_gradient_edge(x)
    before = x * 2

    with lib.no_grad():
        x.set_(lib.full((2, 3), 5.0))
    (x * x).sum().backward()

    assert x.grad.tolist() == [[10.0] * 3] * 2
    (gradient,) = lib.autograd.grad(before.sum(), edge)
    assert gradient.tolist() == [[2.0] * 3] * 2


@pytest.mark.parametrize("lib", LIBRARIES)
def test_what_was_computed_from_the_old_memory_gives_no_gradient(lib):
    x = leaf(lib)
    before = x * 2
    with lib.no_grad():
        x.set_(lib.zeros(2, 3))

    with pytest.raises(RuntimeError, match=r"unused|had no part|not have been used"):
        lib.autograd.grad(before.sum(), x)


@pytest.mark.parametrize("lib", LIBRARIES)
def test_a_leaf_gets_no_other_memory_where_autograd_records(lib):
    with pytest.raises(RuntimeError, match="leaf"):
        leaf(lib).set_(lib.zeros(2, 3))


@pytest.mark.parametrize("lib", LIBRARIES)
@pytest.mark.parametrize("mode", ["no_grad", "inference_mode"])
def test_a_view_behind_its_base_has_no_node_to_show(lib, mode):
    y = leaf(lib) * 2
    with getattr(lib, mode)():
        view = y.view(-1)
    y.add_(1)

    with pytest.raises(RuntimeError, match=r"its? base .*(was|has been) modified in ?place"):
        _ = view.grad_fn


def transposed(lib):
    return lambda x: ((x * x).t_() * weights(lib)).sum()


def written(lib):
    def function(x):
        y = x * x
        y.t_().mul_(weights(lib))
        return (y * weights(lib)).sum()

    return function


def cloned(lib):
    def function(x):
        y = x.clone()
        y.unsqueeze_(0).squeeze_().add_(1)
        return y * y

    return function


TRANSFORMED = {
    "grad": lambda lib, x: lib.func.grad(transposed(lib))(x),
    "grad of a write": lambda lib, x: lib.func.grad(written(lib))(x),
    "vmap": lambda lib, x: lib.vmap(lambda row: (row * 2).unsqueeze_(0))(x),
    "vmap of grad": lambda lib, x: lib.vmap(lib.func.grad(lambda row: cloned(lib)(row).sum()))(x),
    "jvp": lambda lib, x: lib.func.jvp(transposed(lib), (x,), (lib.ones(2, 3),))[1],
    "functionalize": lambda lib, x: lib.func.functionalize(cloned(lib))(x),
}


@pytest.mark.parametrize("name", TRANSFORMED)
def test_a_value_that_a_transform_computed_becomes_a_view(name):
    actual, expected = (
        TRANSFORMED[name](lib, lib.arange(6.0).reshape(2, 3)) for lib in (compat, torch)
    )

    assert actual.tolist() == expected.tolist()


# torch gives the caller's tensor other sizes
@pytest.mark.parametrize("transform", ["vmap", "jvp", "functionalize"])
def test_an_argument_of_a_transformed_function_keeps_its_sizes(transform):
    x = compat.zeros(2, 3)
    calls = {
        "vmap": lambda function: compat.vmap(function)(x),
        "jvp": lambda function: compat.func.jvp(function, (x,), (compat.ones(2, 3),)),
        "functionalize": lambda function: compat.func.functionalize(function)(x),
    }

    with pytest.raises(RuntimeError, match=r"unsqueeze_: the sizes .* use unsqueeze\(\)"):
        calls[transform](lambda x: x.unsqueeze_(0))
    assert x.shape == (2, 3)

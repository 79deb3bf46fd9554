"""autograd.functional, with torch as the referee."""

import opwright.compat.torch as compat
import pytest
import torch


def flat(value):
    return [flat(each) for each in value] if isinstance(value, (tuple, list)) else value.tolist()


def inputs(library):
    x = library.tensor([1.0, 2.0], dtype=library.float64)
    return x, library.tensor([3.0, -1.0], dtype=library.float64)


def product(x, y):
    return x * x * y, (x * y.exp()).sum()


def scalar(x, y):
    return (x * x * x * y).sum()


def run_vjp(library):
    weights = (library.tensor([1.0, 2.0], dtype=library.float64), library.tensor(3.0).double())
    return library.autograd.functional.vjp(product, inputs(library), weights)


def run_jvp(library):
    return library.autograd.functional.jvp(product, inputs(library), inputs(library))


def run_jacobian(library):
    return library.autograd.functional.jacobian(product, inputs(library))


def run_batched_jacobian(library):
    return library.autograd.functional.jacobian(product, inputs(library), vectorize=True)


def run_forward_jacobian(library):
    return library.autograd.functional.jacobian(
        product, inputs(library), vectorize=True, strategy="forward-mode"
    )


def run_hessian(library):
    return library.autograd.functional.hessian(scalar, inputs(library))


def run_vhp(library):
    return library.autograd.functional.vhp(scalar, inputs(library), inputs(library))


def run_hvp(library):
    return library.autograd.functional.hvp(scalar, inputs(library), inputs(library))


@pytest.mark.parametrize(
    "run",
    [
        run_vjp,
        run_jvp,
        run_jacobian,
        run_batched_jacobian,
        run_forward_jacobian,
        run_hessian,
        run_vhp,
        run_hvp,
    ],
)
def test_the_results_are_those_of_torch(run):
    ours, theirs = flat(run(compat)), flat(run(torch))

    torch.testing.assert_close(ours, theirs)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (lambda x: (lambda x: x * 2, [x]), "inputs given to vjp must be either a Tensor"),
        (lambda x: (lambda x: x * 2, x), "v can only be None if the output of"),
        (lambda x: (lambda x: x * 2, x, x[:1]), r"v has invalid size: should be \[2\]"),
        (lambda x: (lambda x: x * 2, x, (x, x)), "should contain a single Tensor"),
        (lambda x: (lambda x: 2, x), "outputs of the user-provided function given to vjp"),
    ],
)
def test_wrong_arguments_are_named(arguments, message):
    with pytest.raises((RuntimeError, TypeError), match=message):
        compat.autograd.functional.vjp(*arguments(compat.ones(2)))


def test_strict_refuses_an_output_that_does_not_depend_on_an_input():
    x, y = compat.ones(2), compat.ones(2)

    with pytest.raises(RuntimeError, match="is independent of input 1"):
        compat.autograd.functional.vjp(lambda x, y: x.sum(), (x, y), strict=True)

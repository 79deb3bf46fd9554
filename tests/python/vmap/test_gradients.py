"""Histories of samples and of batches: each level has its own."""

import opwright as ow
from opwright import make_fx, vmap

from .samples import assert_same, counted


def test_a_captured_tensor_that_requires_grad_gets_the_gradient_of_all_samples():
    weight = ow.tensor([1.0, 2.0], requires_grad=True)
    x = counted(3, 2)

    vmap(lambda x: (x * weight).sum())(x).sum().backward()

    assert_same(weight.grad, x.sum(0))


def test_a_batch_that_requires_grad_gets_the_gradient_of_each_sample():
    x = counted(3, 2).requires_grad_()

    vmap(lambda x: (x * x).sum(), in_dims=1)(x).sum().backward()

    assert_same(x.grad, 2 * counted(3, 2))


def test_a_write_to_a_sample_is_part_of_the_history_of_the_batch():
    x = counted(3, 2).requires_grad_()

    def f(x):
        y = x * 2
        y[0].mul_(x[1])
        return y

    vmap(f)(x).sum().backward()

    detached = x.detach()
    expected = ow.stack([2 * detached[:, 1], 2 * detached[:, 0] + 2], 1)
    assert_same(x.grad, expected)


def test_requires_grad_inside_vmap_gives_each_sample_its_gradient():
    def f(x):
        x = x.clone().requires_grad_()
        (x * x * x).sum().backward()
        return x.grad

    x = counted(3, 2)

    assert_same(vmap(f)(x), 3 * x * x)
    assert not x.requires_grad


def test_histories_inside_and_outside_of_vmap_do_not_mix():
    weight = ow.tensor([1.0, 2.0], requires_grad=True)

    def f(x):
        x = x.clone().requires_grad_()
        (x * x * weight.detach()).sum().backward()
        return (x.grad * weight).sum()

    x = counted(3, 2)
    vmap(f)(x).sum().backward()

    assert_same(weight.grad, (2 * x * weight.detach()).sum(0))


def test_no_grad_inside_vmap_holds_for_what_is_outside():
    weight = ow.tensor([1.0, 2.0], requires_grad=True)

    def f(x):
        with ow.no_grad():
            return x * weight

    assert not vmap(f)(counted(3, 2)).requires_grad


def test_a_backward_inside_vmap_is_traced_as_a_plain_graph():
    def f(x):
        x = x.clone().requires_grad_()
        x.sin().sum().backward()
        return x.grad

    x = counted(3, 2)
    traced = make_fx(vmap(f))(x)

    assert_same(traced(x), x.cos())
    assert_same(traced(x + 1), (x + 1).cos())


def test_an_empty_sample_that_cat_leaves_out_keeps_its_history():
    empty = ow.zeros(3, 0, requires_grad=True)

    joined = vmap(lambda x, y: ow.cat([x, y]))(empty, ow.ones(3, 2))
    joined.sum().backward()

    assert tuple(joined.shape) == (3, 2)
    assert tuple(empty.grad.shape) == (3, 0)

"""C.4: views, and writes to them."""

import opwright as ow


def leaf(*values):
    return ow.tensor([float(value) for value in values], requires_grad=True)


def test_a_write_to_a_view_reaches_its_base():
    x = leaf(1, 2, 3)
    y = x * 1

    y[1:2].mul_(10)
    (y * y).sum().backward()

    assert x.grad.tolist() == [2.0, 400.0, 6.0]


def test_a_write_to_the_base_reaches_a_view():
    x = leaf(1, 2)
    y = x * 1
    view = y[0:1]

    y.mul_(3)
    view.sum().backward()

    assert x.grad.tolist() == [3.0, 0.0]


def test_a_write_of_another_value_takes_the_gradient():
    x, value = leaf(1, 2), leaf(5)
    y = x * 1

    y[0:1] = value
    (y * 2).sum().backward()

    assert (x.grad.tolist(), value.grad.tolist()) == ([0.0, 2.0], [2.0])


def test_a_view_of_a_view_knows_its_base():
    x = ow.zeros(4, 4)
    view = x[1][2:]

    assert view._base is x
    assert (view._is_view(), x._is_view(), x._base) == (True, False, None)


def test_detach_is_no_view_of_autograd():
    x = leaf(1)

    assert not x.detach()._is_view()


def test_the_node_of_a_base_after_a_write_to_its_view():
    y = leaf(1, 2) * 1

    y[0:1].mul_(2)

    assert y.grad_fn.name() == "CopySlices"


def test_a_copy_that_reshape_makes_is_no_view():
    weight = ow.ones(4, requires_grad=True)
    base = ow.zeros(3, 4).t().clone()
    copy = base.reshape(-1)

    base.fill_(weight.sum())

    assert copy._base is None
    assert not copy.requires_grad

"""autograd.graph: writes to saved tensors, saved tensors on the CPU, hooks that are refused."""

import opwright as ow
import pytest
from opwright.autograd.graph import (
    allow_mutation_on_saved_tensors,
    disable_saved_tensors_hooks,
    save_on_cpu,
    saved_tensors_hooks,
)


def test_a_saved_tensor_is_copied_before_a_write():
    x = ow.tensor([1.0, 2.0], requires_grad=True)

    with allow_mutation_on_saved_tensors() as copies:
        y = x.clone()
        z = (y * y).sum()
        y.zero_()
        assert len(copies.cloned) == 1
        z.backward()
        assert len(copies.cloned) == 0

    assert x.grad.tolist() == [2.0, 4.0]


def test_a_saved_view_is_copied_before_a_write_to_its_base():
    x = ow.tensor([1.0, 2.0], requires_grad=True)

    with allow_mutation_on_saved_tensors():
        y = x.clone()
        z = (y[:1] ** 2).sum()
        y.mul_(10)
        z.backward()

    assert x.grad.tolist() == [2.0, 0.0]


def test_a_value_saved_twice_is_copied_once():
    x = ow.ones(2, requires_grad=True).clone()

    with allow_mutation_on_saved_tensors() as copies:
        first, second = x**2, x**2
        x.sin_()
        assert len(copies.cloned) == 1
        del first, second
        assert len(copies.cloned) == 0


def test_a_backward_after_the_block_is_refused():
    x = ow.ones(2, requires_grad=True)
    with allow_mutation_on_saved_tensors():
        y = (x**2).sum()

    with pytest.raises(AssertionError, match="outside of the 'allow_mutation_on_saved_tensors'"):
        y.backward()


def test_blocks_do_not_nest():
    with (
        allow_mutation_on_saved_tensors(),
        pytest.raises(RuntimeError, match="contexts cannot be nested"),
        allow_mutation_on_saved_tensors(),
    ):
        pass


def test_save_on_cpu_computes_the_same_gradients():
    x = ow.tensor([1.0, 2.0], requires_grad=True)

    with save_on_cpu():
        y = (x * x).sum()
    y.backward()

    assert x.grad.tolist() == [2.0, 4.0]


def test_hooks_are_refused_with_the_given_reason():
    with (
        disable_saved_tensors_hooks("no hooks here"),
        pytest.raises(RuntimeError, match="no hooks here"),
        saved_tensors_hooks(lambda tensor: tensor, lambda tensor: tensor),
    ):
        pass


def test_no_copies_are_left_after_the_block():
    x = ow.tensor([1.0, 2.0], requires_grad=True)

    with allow_mutation_on_saved_tensors() as copies:
        y = x.clone()
        z = (y * y).sum()
        y.zero_()
        z.backward(retain_graph=True)

    assert len(copies.cloned) == 0
